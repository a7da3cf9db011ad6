"""The rulebooks, one module each, and the base they share, which finds one by its id."""
