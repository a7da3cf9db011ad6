"""What table units ask and tell: their API, their reports, and the view each table gets."""
