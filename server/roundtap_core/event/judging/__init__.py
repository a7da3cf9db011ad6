"""Judging in an event in play: officials, warnings, rulings, appeals, extensions."""
