"""The receipt printer: lines, drawings, bytes, profiles, port."""
