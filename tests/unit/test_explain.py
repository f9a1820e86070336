"""Explanations: chances with known answers, sentences, the line of play, plain data."""

import json
import math
import re
from types import SimpleNamespace

import numpy as np
import pytest

from solver import _explain_bakerstreet, _explain_scout, bakerstreet, explain, games, ismcts, kuhn, leduc, scout
from solver._core import Rng
from solver._explain_text import listing, percent
from solver.errors import ArgumentError

# Each rival holds one card and has spent its chip: nothing beats three of a kind, also when one has scouted.
SAFE = (
    "scout(players=3) | hand 4/1 4/3 4/8 9/2 7/1 | table 2/8 by 2 | cards 5 1 1 | chips 2 0 0 | score 9 10 9 | used 1 2"
)
# The rivals' hands are in sight: 9-9 and 8-8 both beat a pair of 4s.
BEATEN = (
    "scout(players=3,insertions_public=true) | hand 4/1 4/3 1/2 6/3 2/4 | table 2/8 by 2 | cards 5 2 2 | chips 2 0 0 | "
    "score 8 10 8 | used 1 2 | known 1: 9/1@0 9/2@1 | known 2: 8/1@0 8/3@1"
)
FINISH = "scout(players=3) | hand 4/1 4/3 4/8 | table 2/8 by 2 | cards 3 11 12 | score 0 4 5"
FIRST_SIX = "bakerstreet | starter 1 | phase bid | hand 5 5 5 | bids 9"


def told(line, words, n=200):
    """What SCOUT tells of an action over n deals."""
    position = games.parse(line)
    action = position.parse_action(words)
    rng = Rng(1)
    deals = [position.sample(rng, this_round_only=True).child(action) for _ in range(n)]
    return _explain_scout.tell(position, action, deals, Rng(2))


def kuhn_state(cards, moves=()):
    state = kuhn.Game().new_initial_state()
    for action in (*cards, *moves):
        state.apply_action(action)
    return state


# ----------------------------------------------------------------------------------------------
# SCOUT


def test_a_set_that_nobody_can_beat():
    found = told(SAFE, "show 4-4-4")
    assert [row["show"] + row["scout_and_show"] for row in found.facts["can_beat"]] == [0, 0]
    assert [row["seat"] for row in found.facts["can_beat"]] == [1, 2]
    assert found.facts["unbeaten"] == 1
    assert found.facts["round_ends"] == {"unbeaten": 1}
    assert found.sentences == [
        "You take 1 card and keep 2; the others hold 1 and 1.",
        "Nobody can beat your 4-4-4 in any of the deals.",
        "The round ends before your next turn in 100 %: nobody beats your set (your hand then costs nothing).",
    ]


def test_a_set_that_everybody_can_beat():
    found = told(BEATEN, "show 4-4")
    assert [row["show"] for row in found.facts["can_beat"]] == [1, 1]
    # seat 1 shows its last cards
    assert found.facts["unbeaten"] < 0.2
    assert found.facts["round_ends"]["empty_hand"] > 0.8
    assert "Any of the next 2 can beat your 4-4, each in every deal." in found.sentences


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_could_beat_is_what_the_rules_allow(players):
    """Against the legal actions of whoever is to move, in 300 states of planned play."""
    rng = Rng(players)
    seen = set()
    game = scout.Game(players=players)
    state = game.deal(seed=rng)
    for _ in range(600):
        if state.is_terminal():
            state = game.deal(seed=rng)
        if state.phase == "turn" and state.active_set():
            mover = state.current_player()
            kinds = {game.decode(action)[0] for action in state.legal_actions()}
            both = players > 2 and state.scout_and_show_left()[mover]
            show, scouted = _explain_scout.could_beat([top for top, _ in state.hand(mover)], state.active_set(), both)
            assert show == ("show" in kinds)
            if not show:
                assert scouted == ("scout_and_show" in kinds)
            seen.add((show, scouted))
        state.apply_action(state.policy_action(rng))
    assert {(True, False), (False, False)} <= seen
    assert players == 2 or (False, True) in seen


def test_an_action_that_ends_the_round():
    result = ismcts.search(scout.parse(FINISH), iterations=2000, seed=1)
    found = result.explanation()
    assert found.facts["round_ends"] == {"empty_hand": 1.0}
    assert found.facts["scores"] == [1, -7, -7]
    assert found.line == ()
    assert found.value == 8
    text = result.explain()
    assert text.startswith("why show 4-4-4\n- You end 8.0 points ahead of the others' average.\n")
    assert "- Your hand is empty: the round ends at once.\n- You score 1 in it, the others -7 and -7." in text


def test_the_last_scout_of_a_round():
    """Seat 0 has Shown two cards and seat 1 has Scouted; if seat 2 Scouts, too, the round is over."""
    game = scout.Game(players=3)
    state = game.deal(seed=1, turned=[False] * 3)
    state.apply_action(next(action for action in state.legal_actions() if game.decode(action)[2] == 2))
    state.apply_action(game.scout(0, 0, False))
    last = game.scout(0, 0, False)
    found = _explain_scout.tell(state.position(2), last, [state.child(last)], Rng(1))
    assert found.sentences[0] == "Nobody beat the set on the table: the round ends at once."
    assert found.sentences[1].endswith("(seat 0 loses nothing for its hand).")


def test_a_show_that_may_or_may_not_end_the_round():
    """Two players: whether the rival, who has no chip, can beat a 9 hangs on its card; a match goes on with round 2."""
    line = "scout(players=2,rounds=match) | hand 9/1 3/5 1/2 | table 2/8 by 1 | cards 3 1 | chips 0 0 | score 8 9"
    position = scout.parse(line)
    action = position.parse_action("show 9")
    rng = Rng(1)
    deals = [position.search_sample(rng, "win").child(action) for _ in range(300)]
    ended = sum(bool(deal.round_results()) for deal in deals)
    assert 0 < ended < 300
    found = _explain_scout.tell(position, action, deals, Rng(2))
    assert found.facts["can_beat"][0]["show"] == pytest.approx(1 - ended / 300)
    assert found.facts["hand"] == 2
    assert found.facts["rival_hands"] == {1: 1}
    assert sum(found.facts["round_ends"].values()) == pytest.approx(1)


def test_keep_or_turn_says_what_the_hand_holds():
    hand = "7/8 8/1 6/8 9/4 6/2 1/9 7/4 3/2 5/4 1/6 3/8 9/5"
    position = scout.parse(f"scout(players=3) | choose | hand {hand}")
    found = ismcts.search(position, iterations=200, seed=1).explanation()
    assert found.facts["kept"] == [[7, 8]]
    assert found.facts["turned"] == []
    assert found.facts["worth"]["kept"] == position.hand_worth()
    turned = position.sample(1)
    turned.apply_action(position.game.turn)
    assert found.facts["worth"]["turned"] == turned.position(0).hand_worth()
    assert "Kept, it has 7-8; 10 cards stand alone." in found.sentences
    assert "Turned, it has no set of two; 12 cards stand alone." in found.sentences
    assert found.alternatives[0].words in ("keep the hand", "turn the hand")


def test_the_line_goes_on_with_what_known_hands_do():
    """After 4-4 seat 1 can show its last cards, 9-9, and that ends the round."""
    result = ismcts.search(scout.parse(BEATEN), iterations=3000, seed=1)
    position = scout.parse(BEATEN)
    show = position.parse_action("show 4-4")
    best = ismcts.Result(**{**vars(result), "best": show, "then": result.then[:0]})
    (step,) = best.explanation().line
    assert (step.seat, step.words, step.kind) == (1, "shows 9-9", "shows")
    assert step.share > 0.8


# ----------------------------------------------------------------------------------------------
# Baker Street


def test_the_chance_that_a_bid_holds():
    position = bakerstreet.parse(FIRST_SIX)
    action = position.parse_action("bid 19")
    rng = Rng(1)
    before = [position.search_sample(rng) for _ in range(4000)]
    found = _explain_bakerstreet.tell(position, action, [deal.child(action) for deal in before], Rng(2))
    exact = position.bid_odds()[19]
    assert found.facts["bid_holds"] == exact
    holds = np.mean([sum(v for q in (0, 1) for v, _ in deal.hand(q)) >= 19 for deal in before])
    assert abs(holds - exact) < 5 * math.sqrt(exact * (1 - exact) / len(before))
    # whoever doubts by its own cards doubts a little oftener where the bid fails
    assert found.facts["rival_doubts"] > 0.2
    assert abs(found.facts["doubt_won"] - exact) < 0.1


def test_a_doubt_that_cannot_fail():
    position = bakerstreet.parse("bakerstreet | starter 1 | hand 0 0 0s | bids 16")
    found = ismcts.search(position, iterations=2000, seed=1).explanation()
    assert found.best == "doubt"
    assert found.facts["bid_holds"] == 0
    assert found.facts["doubt_won"] == 1
    assert "which three cards cannot make" in found.sentences[0]
    assert str(found).splitlines()[1].startswith("- Your chance to win is ")


def test_placing_tells_who_controls_the_piles():
    position = bakerstreet.parse(
        "bakerstreet | seat 1 | starter 1 | hand 4 5 0s | stack2 0:3 1:2x | stack0 0:5 | bids 12 14"
    )
    action = position.parse_action("place 4 on 0")
    rng = Rng(1)
    found = _explain_bakerstreet.tell(position, action, [position.sample(rng).child(action)], rng)
    assert found.facts["pile"] == {"pile": 0, "own": 4, "rival": 5}
    assert found.facts["control"] == {"you": [2], "rival": [0], "level": [1, 3, 4]}


def test_a_letter_that_wins():
    line = (
        "bakerstreet | phase take | mover 0 | doubt-won 0 | pile 1 | log 0@0:C 0@2:D 0@3:E 0@1 | look1 AFHJLNPR | "
        "look0 BDGHIKM | look2 BEGILNO | look3 KMOPQST"
    )
    position = bakerstreet.parse(line)
    found = _explain_bakerstreet.tell(position, position.parse_action("take F"), [], Rng(1))
    assert found.facts == {"letters": "CDEF", "window": "ABCDEFG", "have": 4}


def test_a_pile_that_is_won_by_the_tie():
    position = bakerstreet.parse(
        "bakerstreet | phase choose | mover 0 | discards0 4 4 2s | discards1 0 2 3 | stack4 1:5"
    )
    for words, wins in (("name pile 1", True), ("name pile 4", False)):
        found = _explain_bakerstreet.tell(position, position.parse_action(words), [], Rng(1))
        assert found.facts["wins"] == wins


# ----------------------------------------------------------------------------------------------
# What all games have


def positions():
    """Of rounds of planned play, every third decision."""
    for players in (2, 3, 4, 5):
        rng = Rng(players)
        state = scout.Game(players=players, rounds=1 + players % 2).deal(seed=rng)
        at = 0
        while not state.is_terminal() and at < 40:
            if at % 3 == 0:
                yield state.position(state.current_player())
            state.apply_action(state.policy_action(rng))
            at += 1
    rng = Rng(9)
    state = bakerstreet.Game().deal(seed=rng)
    for at in range(90):
        if state.is_terminal():
            break
        if at % 4 == 0:
            yield state.position(state.current_player())
        state.apply_action(state.policy_action(rng))


def test_every_position_is_explained_within_80_columns():
    kinds = set()
    for position in positions():
        result = ismcts.search(position, iterations=300, seed=1)
        found = result.explanation(samples=20)
        text = str(found)
        assert all(len(line) <= 80 for line in text.splitlines()), text
        assert "nan" not in text
        assert "\xa0" not in text
        data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
        assert data["best"] == result.best_words()
        assert data["text"] == text
        assert {row["words"] for row in data["alternatives"]} <= set(result.words.values())
        shares = [step.share for step in found.line if step.share is not None]
        assert all(0 < share <= 1 for share in shares)
        # the line ends with the own turn, at the latest
        own = [i for i, step in enumerate(found.line) if step.seat == position.player]
        others = [i for i, step in enumerate(found.line) if step.seat != position.player]
        assert not others or not own or max(own) < others[0] or max(own) == len(found.line) - 1
        kinds.add(found.best.split()[0])
    assert {"show", "scout", "place", "bid", "doubt", "name", "take"} <= kinds


def test_the_same_result_has_the_same_explanation():
    position = scout.Game(players=4).deal(seed=3, turned=[False] * 4).position(0)
    first, second = (ismcts.search(position, iterations=2000, seed=5) for _ in range(2))
    assert first.explain() == first.explain() == second.explain()
    assert first.explanation() == second.explanation()
    assert first.explanation() != ismcts.search(position, iterations=2000, seed=6).explanation()
    # also where the seed came from a SeedSequence, with a word of its own
    spawned = [np.random.SeedSequence(5).spawn(2)[1] for _ in range(2)]
    first, second = (ismcts.search(position, iterations=500, seed=seed).explain() for seed in spawned)
    assert first == second


def test_samples_are_a_whole_number():
    result = ismcts.search(scout.parse(FINISH), iterations=100, seed=1)
    for bad in (0, -1, 1.5, "x", None):
        with pytest.raises(ArgumentError, match="samples is a whole number"):
            result.explain(samples=bad)


def test_alternatives_are_the_next_best_and_the_best_of_other_kinds():
    line = "scout(players=3) | hand 4/1 4/3 9/2 6/8 3/1 | table 2/8 by 2 | cards 5 9 10 | score 1 5 5"
    result = ismcts.search(scout.parse(line), iterations=3000, seed=1)
    found = result.explanation().alternatives
    assert found[0].title == "next best"
    kinds = [" ".join(re.findall("show|scout|&", other.words)) for other in found]
    assert all(other.title == f"best {kind}" for other, kind in zip(found[1:], kinds[1:], strict=True))
    assert len({"show", *kinds}) >= len(found)
    values = {result.words[int(row["action"])]: row for row in result.actions}
    for other in found:
        row = values[other.words]
        assert (other.visits, other.value) == (row["visits"], row["value"])
        if not other.played:
            assert other.less == result.value - row["value"]
            assert other.clear == (abs(other.less) > 1.96 * other.less_stderr)


def test_an_action_dropped_early_is_compared_by_playing_on():
    """Showing 4-4-4 wins 8 points at once; one 4 of them leaves that to the next turn."""
    result = ismcts.search(scout.parse(FINISH), iterations=500, seed=1)
    dropped = [other for other in result.explanation().alternatives if other.visits < 30]
    assert dropped
    for other in dropped:
        assert other.played
        assert other.clear
        assert other.less > 2


def test_a_difference_that_is_noise_is_called_so():
    rows = np.zeros(2, ismcts.ACTION_DTYPE)
    rows[:] = [(0, 500, 1.0, 0.1), (1, 400, 0.9, 0.1)]
    result = ismcts.search(kuhn_state((0, 1)), iterations=10, seed=1)
    near = ismcts.Result(**{**vars(result), "actions": rows, "best": 0, "line": ()})
    assert "About as good (0.1 +- 0.3 worse: no more than noise)." in near.explain()
    rows["value"][1] = 0.5
    assert "Worse by 0.5 +- 0.3, more than noise." in near.explain()
    rows["value"][1] = 1.5
    assert "Better by 0.5 +- 0.3, but far less tried." in near.explain()
    rows["visits"][1] = 1
    assert "Dropped after 1 try: it looked worse." in near.explain()


def test_games_in_plain_python_tell_what_the_tree_knows():
    result = ismcts.search(kuhn_state((0, 1)), iterations=2000, seed=1)
    found = result.explanation()
    assert (found.best, found.deals, found.facts) == ("pass", 0, {})
    assert [step.seat for step in found.line] == [1, 0]
    assert found.line[0].words == "bet"
    assert 0 < found.line[0].share <= 1
    assert found.line[1].share is None
    text = result.explain()
    assert text.startswith("why pass\n- Its mean pay-off is -1.0")
    assert "Most likely it goes on:\n    seat 1  bet" in text or "the rival" in text
    state = leduc.Game().new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.chance_outcomes()[0][0])
    assert ismcts.search(state, iterations=500, seed=1).explain().startswith("why ")


def test_the_python_twin_is_explained_too():
    position = scout.parse(SAFE)
    result = ismcts.search(position, iterations=60, seed=1, compiled=False)
    assert len(result.outline) == 0
    assert result.explanation(samples=20).deals == 20


def test_an_only_action():
    position = bakerstreet.parse("bakerstreet | starter 1 | hand 5 5 5 | bids 30")
    assert len(position.legal_actions()) == 1
    text = ismcts.search(position, iterations=50, seed=1).explain(samples=20)
    assert "- The only legal action. Your chance to win is" in text


# ----------------------------------------------------------------------------------------------
# Pieces


def test_the_outline_is_the_much_visited_part_of_the_tree():
    position = scout.Game(players=3).deal(seed=3, turned=[False] * 3).position(0)
    result = ismcts.search(position, iterations=4000, seed=1)
    outline = result.outline
    assert 0 < len(outline) < 400
    assert (outline["parent"] < np.arange(len(outline))).all()
    assert (outline["visits"] >= 20).all()
    top = outline[outline["parent"] == -1]
    visits = dict(zip(result.actions["action"], result.actions["visits"], strict=True))
    assert {int(row["action"]): int(row["visits"]) for row in top} == {a: n for a, n in visits.items() if n >= 20}
    for i, row in enumerate(outline):
        assert outline["visits"][outline["parent"] == i].sum() <= row["visits"]


def test_own_moves_are_summed_over_what_chance_showed():
    """Below the step 7 chance shows one of two things; key 5 has most visits in both together."""
    dtype = [("parent", "i4"), ("key", "u8"), ("action", "i4"), ("visits", "i8")]
    rows = np.array(
        [
            (-1, 7, 0, 100),
            (0, 70, -1, 60),
            (0, 71, -1, 40),
            (1, 4, 1, 30),
            (1, 5, 2, 25),
            (2, 5, 2, 30),
            (-1, 8, 3, 9),
        ],
        dtype,
    )
    tree = explain._Outline(rows)
    here = tree.children([-1], {7})
    assert here == [0]
    assert tree.best(here, {11: 4, 12: 5}) == 12
    assert tree.best(here, {11: 4}) == 11
    assert tree.best(here, {11: 99}) is None
    assert tree.best(tree.children(here, {5}), {11: 4}) is None


@pytest.mark.parametrize(
    ("share", "words"),
    [(0, "0 %"), (0.001, "under 1 %"), (0.124, "12 %"), (0.997, "over 99 %"), (1, "100 %")],
)
def test_percent(share, words):
    assert percent(share) == words


def test_amounts_have_the_digits_that_their_spread_leaves():
    amount = explain._amount
    assert amount(6.044, 0.02) == "6.04 +- 0.02"
    assert amount(6.044, 0.11) == "6.0 +- 0.1"
    assert amount(-31.7, 2.6) == "-32 +- 3"
    assert amount(8.0, 0.0) == "8.0"
    assert amount(1.5, math.nan) == "1.5"
    assert amount(0.42, 0.38) == "0.42 +- 0.38"
    assert listing(["a"]) == "a"
    assert listing(["a", "b", "c"]) == "a, b and c"


@pytest.mark.parametrize("game", ["scout(players=3)", "scout(players=3,payoff=win)"])
def test_a_seats_pay_off_before_the_end_is_read_as_at_the_end(game):
    """By margin: the estimated score minus the mean of the others', whatever the game itself pays."""
    state = scout.parse(SAFE.replace("scout(players=3)", game)).search_sample(1, "margin")
    scores = state.estimated_returns()
    assert _explain_scout.value(state, "score", 0) == scores[0]
    assert _explain_scout.value(state, "margin", 0) == pytest.approx(scores[0] - (scores[1] + scores[2]) / 2)
    assert _explain_scout.value(state, "win", 0) == (scores[0] == max(scores))
    assert len(set(scores)) > 1


@pytest.mark.parametrize(("epsilon", "share"), [(0.0, 0.0), (0.4, 0.3), (1.0, 0.75)])
def test_what_is_played_out_slips_as_the_rollouts_did(epsilon, share):
    """The policy has one of four actions; the others come by chance alone."""

    class Four:
        action = None

        def is_terminal(self):
            return self.action is not None

        def horizon_clock(self):
            return 0

        def legal_actions(self):
            return [0, 1, 2, 3]

        def policy_action(self, rng):
            return 3

        def apply_action(self, action):
            self.action = action

    teller = SimpleNamespace(value=lambda state, payoff, seat: float(state.action != 3))
    settings = {"epsilon": epsilon, "own": "policy", "horizon": -1, "payoff": None}
    result, rng = SimpleNamespace(settings=settings, source=SimpleNamespace(player=0)), Rng(1)
    others = np.mean([explain._outcome(teller, result, Four(), rng) for _ in range(4000)])
    assert abs(others - share) <= 4 * math.sqrt(0.25 / 4000) * (epsilon > 0)
