"""What may be won beside the title: the list of prizes, and door prizes drawn by lot."""
