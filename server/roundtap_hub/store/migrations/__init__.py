"""The forms that a journal's tables have had, and how one becomes the next."""
