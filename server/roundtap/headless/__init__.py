"""The commands that need no hub: each reads an event file and prints; a module is named as its command."""
