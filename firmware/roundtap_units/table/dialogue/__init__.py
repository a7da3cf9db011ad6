"""The dialogue of a table: its states, and what each shows."""
