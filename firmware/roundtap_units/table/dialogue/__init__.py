"""The dialogue of a table: one module for each state it can be in, and what each shows."""
