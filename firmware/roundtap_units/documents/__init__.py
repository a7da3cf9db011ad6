"""Printed documents: result slips, and pairings and standings to hang up."""
