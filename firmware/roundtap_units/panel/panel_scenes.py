"""What the front panel's screen shows, as plain data; `panel_drawing` draws it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PanelScene:
    """`kind` is for programs. A `title`; then one big figure, a list with a cursor, lines of text, or a QR code beside
    them; at the bottom what can be pressed. `corner`: the time, a call, no contact."""

    kind: str
    title: str = ""
    big: str = ""
    lines: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    cursor: int = 0
    qr: str = ""
    hint: str = ""
    corner: str = ""

    def says(self) -> str:
        """All its text in reading order, for tests, logs and the virtual panel."""
        items = (f"► {item}" if place == self.cursor else item for place, item in enumerate(self.items))
        qr = f"[QR {self.qr}]" if self.qr else ""
        return " | ".join(text for text in (self.corner, self.title, self.big, qr, *self.lines, *items, self.hint)
                          if text)
