"""How few repeated pairings a round can do with, by matching in the graph of those who have not met."""

from collections.abc import Collection, Mapping
from itertools import combinations

import networkx

from checker.books import Event
from checker.records import swiss_rounds

Met = Mapping[str, Collection[str]]


def met_in_swiss(event: Event) -> dict[str, set[str]]:
    """Whom each has sat down with in this stage; an opponent who did not appear was not met."""
    met: dict[str, set[str]] = {competitor["id"]: set() for competitor in event["competitors"]}
    for played in swiss_rounds(event):
        for match in played["matches"]:
            if "b" in match:
                met[match["a"]].add(match["b"])
                met[match["b"]].add(match["a"])
    return met


def fewest_repeats(members: Collection[str], met: Met) -> int:
    """Of an even number of members. Whoever a largest matching leaves over has met everybody else left over."""
    if all(2 * (len(set(met[who]) & set(members)) + 1) <= len(members) for who in members):
        return 0  # Dirac: everybody may still meet at least half of the field.
    graph = networkx.Graph()
    graph.add_nodes_from(members)
    graph.add_edges_from((a, b) for a, b in combinations(members, 2) if b not in met[a])
    return len(members) // 2 - len(networkx.max_weight_matching(graph, maxcardinality=True))
