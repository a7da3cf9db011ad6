"""The table unit: its loop, its messages from the hub, its dialogue and its screens."""
