"""Many random events of one rulebook, small and large, one after the other."""

from collections.abc import Iterable, Iterator

from desk import play_at_desk
from simulator import Played, play


def play_many(rulebook: str, seeds: Iterable[int]) -> Iterator[tuple[int, Played]]:
    """Each seed's event, by turns as files and as people press them, with dirty endings; one that ends in an error has
    that as its complaint."""
    for seed in seeds:
        try:
            yield seed, play(rulebook, seed, large=True) if seed % 2 else play_at_desk(rulebook, seed)
        except Exception as error:
            yield seed, Played({}, [f"{type(error).__name__}: {error}"])
