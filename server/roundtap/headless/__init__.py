"""The commands that need no running hub; each module is named after its command."""
