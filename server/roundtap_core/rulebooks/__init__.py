"""The rulebooks, one module each, the base they share, and the registry that finds one by its id."""
