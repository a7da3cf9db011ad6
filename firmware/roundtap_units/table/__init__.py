"""The table unit: its loop, what the hub tells it, its dialogue and its screens."""
