"""Buttons: pins, edges, and the gestures made from them."""
