"""Fingers on buttons: what a made-up list of edges comes to."""

from itertools import pairwise

from roundtap_devices.input.gestures import Edge, Gestures


def done(*edges: tuple[str, bool, int], until: int) -> list[tuple[str, str]]:
    return [(kind, key) for kind, key, _ in Gestures().tick(until, [Edge(*edge) for edge in edges])]


def bouncing(key: str, down: bool, at_ms: int) -> list[Edge]:
    """Five bounces, 2 ms apart: ten changes and then the level that stays."""
    noise = [Edge(key, down if n % 2 == 0 else not down, at_ms + 2 * n) for n in range(10)]
    return [*noise, Edge(key, down, at_ms + 20)]


def test_a_short_press_is_a_tap_on_release():
    gestures = Gestures()
    assert gestures.tick(50, [Edge("a", True, 0)]) == []
    assert [g[:2] for g in gestures.tick(200, [Edge("a", False, 90)])] == [("tap", "a")]


def test_five_bounces_are_one_press():
    edges = bouncing("up", True, 0) + bouncing("up", False, 150)
    assert [g[:2] for g in Gestures().tick(1000, edges)] == [("tap", "up")]


def test_a_spike_shorter_than_15_ms_is_nothing():
    assert done(("a", True, 0), ("a", False, 9), until=3000) == []


def test_the_same_edges_give_the_same_gestures_in_one_batch_or_one_by_one():
    presses = (("up", True, 0), ("up", False, 900), ("b", True, 1000), ("b", False, 1100))
    edges = [edge for press in presses for edge in bouncing(*press)]
    slow = Gestures()
    one_by_one = [gesture for edge in edges for gesture in slow.tick(edge.at_ms, [edge])] + slow.tick(2000)
    assert one_by_one == Gestures().tick(2000, edges)


def test_an_arrow_held_repeats_faster_and_faster_and_its_release_adds_nothing():
    gestures = Gestures().tick(3000, [Edge("up", True, 0), Edge("up", False, 2500)])
    assert {kind for kind, _, _ in gestures} == {"repeat"}
    times = [at for _, _, at in gestures]
    pauses = [later - earlier for earlier, later in pairwise(times)]
    assert times[0] == 415  # 15 ms until it counts as down, 400 ms held
    assert pauses == sorted(pauses, reverse=True)
    assert pauses[0] > 200
    assert pauses[-1] == 60
    assert times[-1] <= 2515


def test_an_own_button_held_is_a_hold_once():
    assert done(("b", True, 0), ("b", False, 2000), until=3000) == [("hold", "b")]


def test_both_arrows_for_a_second_and_a_half_call_a_judge_and_change_no_figure():
    assert done(("up", True, 0), ("down", True, 180), ("up", False, 1900), ("down", False, 1950), until=4000) == [
        ("call", "call")
    ]


def test_both_arrows_let_go_too_early_are_nothing_at_all():
    assert done(("up", True, 0), ("down", True, 30), ("down", False, 900), ("up", False, 950), until=4000) == []


def test_an_arrow_still_held_after_a_broken_chord_stays_silent():
    assert done(("up", True, 0), ("down", True, 30), ("down", False, 900), ("up", False, 3000), until=4000) == []


def test_own_button_and_down_together_ask_to_leave():
    assert done(("a", True, 0), ("down", True, 200), ("a", False, 1900), ("down", False, 1900), until=3000) == [
        ("leave", "a")
    ]


def test_a_call_key_of_its_own_calls_after_a_second_and_a_half():
    assert done(("call", True, 0), until=1600) == [("call", "call")]
    assert done(("call", True, 0), ("call", False, 2000), until=2100) == [("call", "call")]


def test_a_joystick_pressed_by_mistake_calls_nobody():
    assert done(("call", True, 0), ("call", False, 100), until=3000) == []
    assert done(("up", True, 0), ("call", True, 100), ("call", False, 200), ("up", False, 300), until=3000) == [
        ("tap", "up")
    ]


def test_both_own_buttons_at_once_are_two_taps():
    assert sorted(done(("a", True, 0), ("b", True, 20), ("a", False, 100), ("b", False, 110), until=300)) == [
        ("tap", "a"),
        ("tap", "b"),
    ]


def test_it_says_when_it_must_be_looked_at_again():
    gestures = Gestures()
    assert gestures.due_ms() is None
    gestures.tick(0, [Edge("up", True, 0)])
    assert gestures.due_ms() == 15
    gestures.tick(15)
    assert gestures.due_ms() == 415
    gestures.tick(415)
    assert gestures.due_ms() == 415 + 220
