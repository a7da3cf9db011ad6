"""The hall: walls and announcements, the check before the doors open, and this hub with its machine."""
