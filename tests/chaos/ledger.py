"""What the journal on the disk says, read and added up here, beside what people were shown and pressed."""

import hashlib
import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from people import Memory, Score

from roundtap_core.names import public_names
from roundtap_core.records import Competitor


@dataclass
class MatchAccount:
    """One match as its entries tell: the people at it, what each side reports, what is agreed by which entry."""

    players: tuple[str, str]
    reports: dict[str, Score] = field(default_factory=dict)
    agreed: Score | None = None
    number: int | None = None
    numbers: dict[str, int] = field(default_factory=dict)
    """The entry of each side's report."""
    stood: list[tuple[Score, int]] = field(default_factory=list)
    """Everything that ever stood, with its entry."""

    said_again: list[tuple[Score, int]] = field(default_factory=list)
    """Reports of what stood already, each saved as an entry of its own."""

    @property
    def second(self) -> bool:
        """Both have agreed on another result since: a judge decides."""
        said = list(self.reports.values())
        return len(said) == 2 and said[0] == said[1] and self.agreed not in (None, said[0])

    def stands_by(self) -> list[tuple[Score, int]]:
        """What stands, by each entry that a table may name for it: a report that says the same again was saved, too."""
        return self.stood[-1:] + [(score, number) for score, number in self.said_again if number > self.stood[-1][1]]

    def stands(self, score: Score, number: int) -> None:
        self.agreed, self.number = score, number
        self.stood.append((score, number))


class Ledger:
    """One event's entries of a hub's folder, whatever the hub makes of them."""

    def __init__(self, folder: Path, event: str) -> None:
        with sqlite3.connect(f"file:{folder / 'roundtap.db'}?mode=ro", uri=True) as database:
            self.rows = [
                {
                    "number": number,
                    "kind": kind,
                    "data": json.loads(data),
                    "prev": prev,
                    "hash": said,
                    "text": (at, actor, data),
                }
                for number, kind, at, actor, data, prev, said in database.execute(
                    "select number, kind, at, actor, data, prev, hash from entry where stream = ? order by number",
                    (event,),
                )
            ]
            people = [
                Competitor(who, json.loads(data)["name"])
                for who, data in database.execute(
                    "select competitor, data from person where event = ? order by competitor", (event,)
                )
            ]
        self.names: Mapping[str, str] = public_names(people)

    def matches(self) -> dict[tuple[int, str], MatchAccount]:
        """Every match of a published round, by round and id."""
        found: dict[tuple[int, str], MatchAccount] = {}
        drafts: dict[int, list[dict[str, Any]]] = {}
        for row in self.rows:
            kind, data = row["kind"], row["data"]
            if kind == "round-drawn":
                drafts[data["number"]] = data["matches"]
            elif kind == "round-imported":
                drafts[data["number"]] = data["matches"]
                self._published(found, drafts, data["number"])
            elif kind == "round-published":
                self._published(found, drafts, data["number"])
            elif kind == "result-entered":
                account = found[int(data["match"].split(".")[0]), data["match"]]
                score = data["result"]["score"]
                account.stands((int(score["a"]), int(score["b"])), row["number"])
                account.reports, account.numbers = {}, {}
            elif kind == "report" and data["fate"] == "accepted":
                self._report(found[int(data["match"].split(".")[0]), data["match"]], row)
        return found

    def _published(
        self, found: dict[tuple[int, str], MatchAccount], drafts: Mapping[int, list[dict[str, Any]]], number: int
    ) -> None:
        for place, match in enumerate(drafts[number], start=1):
            if match.get("b") is not None:
                # A round that was adopted from the tables keeps the ids that they knew.
                players = (self.names[match["a"]], self.names[match["b"]])
                found[number, match.get("id", f"{number}.{place}")] = MatchAccount(players)

    @staticmethod
    def _report(account: MatchAccount, row: dict[str, Any]) -> None:
        data = row["data"]
        score = (int(data["result"]["score"]["a"]), int(data["result"]["score"]["b"]))
        account.reports[data["side"]], account.numbers[data["side"]] = score, row["number"]
        if len(set(account.reports.values())) == 1 and len(account.reports) == 2 and account.agreed is None:
            account.stands(score, row["number"])
        elif score == account.agreed:
            account.said_again.append((score, row["number"]))

    def open_calls(self) -> dict[str, list[str]]:
        """Who calls a judge, by match: until somebody has closed the call, or the caller taken it back; a result may
        have settled it before."""
        return self._open("judge-called", "call-cancelled", "call-closed", "match")

    def open_wishes(self) -> dict[str, list[str]]:
        """Where each who wants to drop has said so, by competitor."""
        return self._open("drop-asked", "drop-cancelled", "drop-refused", "competitor")

    def _open(self, asked: str, cancelled: str, answered: str, key: str) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for row in self.rows:
            data = row["data"]
            if row["kind"] == asked:
                found[data[key]] = sorted({*found.get(data[key], []), data["source"]})
            elif row["kind"] == cancelled:
                found[data[key]].remove(data["source"])
            elif row["kind"] == answered:
                found.pop(data[key])
        return {what: sources for what, sources in found.items() if sources}

    def asked(self) -> Counter[str]:
        """How many entries of calls and wishes there are, by kind."""
        return Counter(row["kind"] for row in self.rows if row["kind"].startswith(("judge-", "call-", "drop-")))

    def request_faults(self, memories: Mapping[int, Memory]) -> list[str]:
        """Calls and wishes that nobody pressed or that are doubled, and wishes said to be requested that are gone."""
        found = []
        by_unit = Counter(
            row["data"]["source"] for row in self.rows if row["kind"] in ("judge-called", "call-cancelled")
        )
        found += [
            f"table {table} pressed {memory.toggled} times, on record are {by_unit[f'unit:table-{table}']}"
            for table, memory in memories.items()
            if by_unit[f"unit:table-{table}"] > memory.toggled
        ]
        pressed: Counter[str] = Counter()
        promised = set()
        for memory in memories.values():
            pressed.update(memory.drops)
            promised |= memory.promised
        wishes = Counter(
            self.names[row["data"]["competitor"]]
            for row in self.rows
            if row["kind"] in ("drop-asked", "drop-cancelled")
        )
        found += [
            f"{who} pressed {pressed[who]} times, on record are {n}" for who, n in wishes.items() if n > pressed[who]
        ]
        stands = {self.names[who] for who in self.open_wishes()}
        answered = {self.names[row["data"]["competitor"]] for row in self.rows if row["kind"] == "drop-refused"}
        found += [f"{who} was told that the drop is requested, and it is gone" for who in promised - stands - answered]
        return found

    def faults(
        self,
        memories: Mapping[int, Memory],
        meant: Callable[[tuple[str, str]], Collection[Score | None]],
        renumbered: bool = False,
    ) -> list[str]:
        """Everything that nobody said, that somebody said in vain, or that is another than was shown; `meant`: what the
        people of a match wanted, first and in the end. `renumbered`: the journal is another one than at first (a
        backup's, a second Pi's): what was said again there has a number of its own."""
        found = self._chain()
        matches = {(account.players[0], account.players[1]): account for account in self.matches().values()}
        found += [
            f"{account.players} meant {meant(account.players)}, on record is {account}"
            for account in matches.values()
            if account.agreed not in meant(account.players)
        ]
        doubled = [
            i
            for i, n in Counter(row["data"]["report_id"] for row in self.rows if row["kind"] == "report").items()
            if n > 1
        ]
        found += [f"report {i} stands twice" for i in doubled]
        for table, memory in memories.items():
            for shown in memory.shown:
                account = matches.get(shown.players)
                if account is None or account.number is None:
                    found.append(f"table {table} was shown {shown}, and nothing is on record")
                elif (shown.score, shown.number) not in [*account.stood, *account.said_again] and not (
                    (renumbered or not shown.number) and shown.score in [score for score, _ in account.stood]
                ):
                    found.append(f"table {table} was shown {shown}, on record is {account}")
            last = {shown.players: shown for shown in memory.shown}
            for shown in last.values():
                account = matches.get(shown.players)
                if (
                    account is not None
                    and len(account.stood) > 1
                    and shown.players == memory.shown[-1].players
                    and (shown.score, shown.number or account.stood[-1][1]) not in account.stands_by()
                ):
                    found.append(f"table {table} shows {shown} in the end, on record is {account}")
        said = {key: scores for memory in memories.values() for key, scores in memory.said.items()}
        for account in matches.values():
            for side, score in account.reports.items():
                if score not in said.get((account.players, side), set()):
                    found.append(f"{account.players} {side}: {score} is on record, and nobody said it")
        return found

    def _chain(self) -> list[str]:
        found, before = [], ""
        for place, row in enumerate(self.rows, start=1):
            if row["number"] != place:
                found.append(f"entry {place} is numbered {row['number']}")
            if before and row["prev"] != before:
                found.append(f"entry {place} does not follow the one before")
            before = row["hash"]
        return found

    def digest(self) -> str:
        """Of everything up to now: what stands once may only be added to."""
        return hashlib.sha256("".join(row["hash"] for row in self.rows).encode()).hexdigest()
