"""A machine of the kit and its card: `roundtap.txt` read, the role taken, the root read-only, the card made."""
