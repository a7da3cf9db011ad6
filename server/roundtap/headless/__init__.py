"""The commands that need no running hub, each in a module of its name; and what they share."""
