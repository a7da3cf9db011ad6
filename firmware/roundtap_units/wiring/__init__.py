"""`roundtap board`: lists boards and tests them."""
