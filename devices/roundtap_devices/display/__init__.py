"""What a board shows: its screen, its light and its buzzer."""
