"""Every screen, slip and page as a picture."""

EVENT_NAMES = {"en": "Winter Open", "es": "Torneo de Invierno", "de": "Winterturnier", "pl": "Turniej Zimowy"}
"""What the event is called, by language."""
