"""Setting an event up: making it, and the options that are announced."""
