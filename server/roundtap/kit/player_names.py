"""Names of made-up players, long Polish ones among them, for demonstrations and rehearsals."""

from __future__ import annotations

import itertools

FIRST_NAMES = ("Ana", "Bruno", "Łukasz", "Eva", "Kai", "Aleksandra", "Jörg", "Begoña", "Zofia", "Íñigo", "Käthe",
               "Stanisław", "Lucía", "Grzegorz", "Renée", "Małgorzata", "Tomás", "Heike", "Paweł", "Inés")
LAST_NAMES = ("Ruiz", "Maier", "Żak", "Luz", "Eich", "Wiśniewska-Szczepańska", "Müller", "Ibáñez", "Kowalczyk",
              "Núñez", "Groß", "Wójcik", "Peña", "Szymański", "Voß", "Dąbrowska", "Ortega", "Schäfer", "Łęcki", "Vidal",
              "Roth", "Sánchez", "Jabłońska", "Winkler", "Castaño", "Mazur")


def player_names(n: int) -> list[str]:
    """`n` different full names, mixed so that neighbours differ in both parts."""
    pairs = itertools.chain.from_iterable(
        zip(FIRST_NAMES, LAST_NAMES[shift:] + LAST_NAMES[:shift], strict=False) for shift in range(len(LAST_NAMES))
    )
    return [f"{first} {last}" for first, last in itertools.islice(pairs, n)]
