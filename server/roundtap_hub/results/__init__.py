"""Results by officials: entered step by step or as one line, and the standings that they lead to."""
