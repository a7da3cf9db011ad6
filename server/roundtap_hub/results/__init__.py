"""Results entered by officials, step by step or as one line, and the standings."""
