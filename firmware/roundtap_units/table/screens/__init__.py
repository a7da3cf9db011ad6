"""The contents of a table's screen, as scenes, and scenes as 1-bit pictures."""
