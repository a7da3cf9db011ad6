"""What a printer reads in the bytes of a job, by Epson's own list of commands and nothing of the product's.

Letters are read by the code page that was selected for them, on models whose pages are known from elsewhere.
"""

from collections.abc import Iterator, Mapping

PARAMETERS = {
    b"\x1b@": 0,
    b"\x1c.": 0,
    b"\x1da": 1,
    b"\x1bt": 1,
    b"\x1b3": 1,
    b"\x1bJ": 1,
    b"\x1bE": 1,
    b"\x1ba": 1,
    b"\x1d!": 1,
    b"\x1dr": 1,
    b"\x1b!": 1,
    b"\x1bG": 1,
    b"\x1b-": 1,
    b"\x1bM": 1,
    b"\x1bB": 1,
    b"\x1b{": 1,
    b"\x1db": 1,
    b"\x1dB": 1,
}
"""How many bytes follow a command that always has as many."""
PICTURE = ""  # stands among the lines for one block of a picture


def read(data: bytes, pages: Mapping[int, str]) -> Iterator[str]:
    """Each line of letters as it stands on the paper, and PICTURE for each block of a picture, in order."""
    page, line, at = pages[0], "", 0
    while at < len(data):
        two, byte = data[at : at + 2], data[at]
        if byte == 0x0A:
            yield line
            line, at = "", at + 1
        elif byte >= 0x20:
            line, at = line + data[at : at + 1].decode(page), at + 1
        elif two in PARAMETERS:
            if two == b"\x1bt":
                page = pages[data[at + 2]]
            elif two == b"\x1b@":
                page = pages[0]
            at += 2 + PARAMETERS[two]
        elif two in (b"\x1dv", b"\x12*"):
            assert not line, "a picture begins beside letters"
            yield PICTURE
            rows, wide, head = (
                (int.from_bytes(data[at + 6 : at + 8], "little"), int.from_bytes(data[at + 4 : at + 6], "little"), 8)
                if two == b"\x1dv"
                else (data[at + 2], data[at + 3], 4)
            )
            at += head + rows * wide
        elif two == b"\x1d(":
            at += 5 + int.from_bytes(data[at + 3 : at + 5], "little")
        elif data[at : at + 3] == b"\x1dVB":
            at += 4
        else:
            raise AssertionError(f"a printer does not know {data[at : at + 4]!r}")
    assert at == len(data), "the last command is not whole"
    assert not line, "letters without an end of their line stay in the printer"
