"""What a table's screen shows, as scenes, and scenes as 1-bit pictures."""
