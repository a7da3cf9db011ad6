"""The event file: its schema, reading and writing."""
