"""Paper: what is printed, by whom it is taken, and slips that come back."""
