"""People from elsewhere: tables as they are read, their columns guessed, and what they would change."""
