"""Boards drawn, listed and tried: `roundtap board`."""
