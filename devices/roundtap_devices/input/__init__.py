"""Buttons: pins, edges, and the gestures made of them."""
