"""What holds for every bracket, whoever wins and whoever leaves."""

from hypothesis import given
from hypothesis import strategies as st

from bracket_kit import better_wins, entered, leaves, played, ranked
from roundtap_core.check.check import violations
from roundtap_core.elimination.bracket import bracket_of, next_elimination_round
from roundtap_core.elimination.ranking import final_ranking
from roundtap_core.errors import Problem
from roundtap_core.eventfile.exports import tournament_to_json
from roundtap_core.eventfile.read import tournament_from_json
from roundtap_core.records import Match, Tournament

FIELDS = st.one_of(
    st.builds(
        lambda size, third: ranked(2 * size, cut=size, third_place_match=third),
        st.sampled_from([2, 4, 8, 16, 32]),
        st.booleans(),
    ),
    st.integers(2, 40).map(entered),
)


@given(event=FIELDS, data=st.data())
def test_a_bracket_ends_with_one_champion_after_log2_rounds(event: Tournament, data: st.DataObject) -> None:
    coin = data.draw(st.randoms(use_true_random=False))
    rounds = 0
    while (bracket := bracket_of(event)) is None or not bracket.over:
        drawn = next_elimination_round(event)
        seated = [who for m in drawn.matches for who in (m.a, m.b) if who]
        assert len(seated) == len(set(seated))
        event = played(event, lambda m: m.a if coin.random() < 0.5 else m.b or "", drawn)
        rounds += 1
    assert 1 << rounds == bracket.size
    assert bracket.champion is not None
    lost = [who for g in bracket.games if g.game != "third" for who in g.losers]
    began = {who for g in bracket.of_round(1) for who in (g.a.competitor, g.b.competitor) if who}
    assert sorted(lost) == sorted(began - {bracket.champion})
    assert [p for p in violations(event) if "/rounds/0" not in p.where] == []
    assert tournament_from_json(tournament_to_json(event)) == event
    ranking = final_ranking(event, bracket)
    assert sorted(p.competitor for p in ranking) == sorted(c.id for c in event.competitors)
    assert [ranking[0].competitor, ranking[0].rank] == [bracket.champion, 1]


@given(event=FIELDS, data=st.data())
def test_whoever_leaves_in_any_round_the_rest_play_on(event: Tournament, data: st.DataObject) -> None:
    coin = data.draw(st.randoms(use_true_random=False))
    while True:
        try:
            drawn = next_elimination_round(event)
        except Problem as problem:
            ended = problem.key
            break
        gone = {c.id for c in event.competitors if not c.active}
        assert not gone & {who for m in drawn.matches for who in (m.a, m.b) if who}
        event = played(event, lambda m: m.a if coin.random() < 0.5 else m.b or "", drawn)
        assert [p for p in violations(event) if "/rounds/0" not in p.where] == []
        for competitor in event.competitors:
            if coin.random() < 0.1 and competitor.active:
                event = leaves(event, competitor.id)
    assert ended in ("bracket_decided", "nobody_left", "too_few_players")
    bracket = bracket_of(event)
    if bracket is not None:
        ranks = [p.rank for p in final_ranking(event, bracket)]
        assert ranks == sorted(ranks)


@given(size=st.sampled_from([4, 8, 16, 32]))
def test_seeds_are_protected(size: int) -> None:
    """While the better seeds win, the k best meet nobody of the k best before the round of k: 1 and 2 in the final."""
    event = ranked(2 * size, cut=size)
    left = size
    while left > 1:
        drawn = next_elimination_round(event)
        pairs: list[Match] = [m for m in drawn.matches if m.b]
        assert {who for m in pairs for who in (m.a, m.b)} == {f"p{n}" for n in range(1, left + 1)}
        assert all(int(m.a[1:]) + int(str(m.b)[1:]) == left + 1 for m in pairs)
        event = played(event, better_wins, drawn)
        left //= 2
