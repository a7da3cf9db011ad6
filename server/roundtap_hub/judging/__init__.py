"""Judging: officials, their page, and what they write down."""
