"""Paper: print jobs, the stations that take them, and slips that come back."""
