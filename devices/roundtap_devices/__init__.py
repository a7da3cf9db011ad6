"""What is soldered or plugged in (pins, buttons, screen, receipt printer), and its virtual twins."""
