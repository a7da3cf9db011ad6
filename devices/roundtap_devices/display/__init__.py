"""What a board shows: its screen, its lights and its buzzer."""
