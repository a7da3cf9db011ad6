"""Every screen, slip and page as a picture."""

EVENT_NAMES = {"en": "Winter Open", "es": "Torneo de Invierno", "de": "Winterturnier", "pl": "Turniej Zimowy"}


def event_name(language: str) -> str:
    """What the event is called; in a language that is still to be translated as in English."""
    return EVENT_NAMES.get(language, EVENT_NAMES["en"])
