"""The forms that a journal's tables have had, how one becomes the next, and back."""
