"""The hall: walls and announcements, the checks before the doors open, and this hub with its machine."""
