"""Setting up a machine of the kit: its card, `roundtap.txt`, its role, a read-only root, its hotspot."""
