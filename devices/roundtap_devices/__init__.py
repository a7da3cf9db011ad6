"""What is soldered (pins, buttons, screen) and its virtual twins."""
