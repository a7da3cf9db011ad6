"""What became of every report of an event: a mapping that grows without being copied, in a quarter of the memory."""

from collections.abc import Iterator, Mapping

from roundtap_core.event.states import ReportFate

TAIL = 32  # so many fates lie in the one small dict that is copied when a fate is added

_DIGEST_LETTERS = 64


class ReportFates(Mapping[str, ReportFate]):
    """Fates by the id of their report, in the order in which they came. Frozen: any thread may read it.

    `with_fate` gives the next one; both share what is old. Blocks are dicts that no longer change; two of about
    one size are made one, so there are few of them, and a fate is moved as often as the number has doubled.

    `EventState.fates` may be any mapping: a plain dict, as a codec or a test makes it, becomes one of these with the
    next report. `Fates.of({...})` is made of a plain dict; `dict(fates)` is one again, and the two are equal.
    """

    __slots__ = ("_blocks", "_tail")

    def __init__(
        self,
        blocks: tuple[dict[str, bytes | ReportFate], ...] = (),
        tail: Mapping[str, bytes | ReportFate] | None = None,
    ) -> None:
        self._blocks = blocks
        self._tail: Mapping[str, bytes | ReportFate] = {} if tail is None else tail

    @classmethod
    def of(cls, fates: Mapping[str, ReportFate]) -> "ReportFates":
        """The same fates; itself, if it is one of these."""
        if isinstance(fates, ReportFates):
            return fates
        block = {report_id: _packed(fate) for report_id, fate in fates.items()}
        return cls((block,) if block else ())

    def with_fate(self, report_id: str, fate: ReportFate) -> "ReportFates":
        """These and one more; a fate that is known already gives way to `fate`."""
        if report_id in self:
            return ReportFates.of({**self, report_id: fate})
        tail = {**self._tail, report_id: _packed(fate)}
        if len(tail) < TAIL:
            return ReportFates(self._blocks, tail)
        blocks = self._blocks
        while blocks and len(blocks[-1]) <= len(tail):
            tail = {**blocks[-1], **tail}
            blocks = blocks[:-1]
        return ReportFates((*blocks, tail))

    def __getitem__(self, report_id: str) -> ReportFate:
        for block in (self._tail, *reversed(self._blocks)):
            if report_id in block:
                return _unpacked(block[report_id])
        raise KeyError(report_id)

    def __contains__(self, report_id: object) -> bool:
        return report_id in self._tail or any(report_id in block for block in self._blocks)

    def __iter__(self) -> Iterator[str]:
        for block in (*self._blocks, self._tail):
            yield from block

    def __len__(self) -> int:
        return len(self._tail) + sum(map(len, self._blocks))

    def __repr__(self) -> str:
        return f"Fates.of({dict(self)!r})"


def _packed(fate: ReportFate) -> bytes | ReportFate:
    """The two digests as bytes, then the rest as text, its parts apart by blanks; what does not fit that stays as it
    is (a test's digest, a reason with a blank in it)."""
    digests = fate.hash + fate.body
    text = f"{fate.number} {fate.fate} {fate.reason or ''}"
    if len(fate.hash) != _DIGEST_LETTERS or fate.reason == "" or text.count(" ") != 2:
        return fate
    try:
        packed = bytes.fromhex(digests)
        rest = text if fate.match is None else f"{text} {fate.match}"
        return packed + rest.encode() if packed.hex() == digests and len(packed) == _DIGEST_LETTERS else fate
    except ValueError:
        return fate


def _unpacked(packed: bytes | ReportFate) -> ReportFate:
    if isinstance(packed, ReportFate):
        return packed
    half = _DIGEST_LETTERS // 2
    number, fate, reason, *match = packed[_DIGEST_LETTERS:].decode().split(" ", 3)
    return ReportFate(
        fate,
        int(number),
        packed[:half].hex(),
        packed[half:_DIGEST_LETTERS].hex(),
        reason or None,
        match[0] if match else None,
    )
