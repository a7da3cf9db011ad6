"""Players' lists: the form, the parts that checks use, and the squads of a list."""
