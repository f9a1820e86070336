"""Options of `ismcts.search` beyond the default, on small trees whose answers are known, compiled and in Python."""

import math
from fractions import Fraction

import numpy as np
import pytest

from solver import agents, bakerstreet, games, ismcts, kuhn, scout
from solver.errors import ArgumentError, SearchError
from tests.unit.test_search import AGREE, BOTH, FINISH, PLAIN, TURN, Lottery, agree, first_turn, same


class Scored(Lottery):
    """A lottery whose prizes look as good as `scores` say; tickets are worth up to `noise`."""

    def __init__(self, prizes, scores, noise=1.0, ticket=0.0, chosen=None):
        super().__init__(prizes, ticket, chosen)
        self.scores, self.noise = scores, noise

    def clone(self):
        return Scored(self.prizes, self.scores, self.noise, self.ticket, self.chosen)

    def child(self, action):
        return Scored(self.prizes, self.scores, self.noise, self.ticket, action)

    def resample_from_infostate(self, player, uniform_01):
        return Scored(self.prizes, self.scores, self.noise, self.noise * uniform_01())

    def action_scores(self):
        return self.scores

    def policy_action(self, rng):
        return self.scores.index(max(self.scores))

    def estimated_returns(self):
        return self.returns()

    def horizon_clock(self):
        return 0


def visits_of(state, **options):
    return list(ismcts.search(state, seed=1, **options).actions["visits"])


# An exploration so great that pay-offs do not matter.
EXPLORING = {"selection": "puct", "exploration": 1e6}


def test_puct_explores_by_priors():
    """Where only the bound matters, visits are as the priors: e**score here, 1 : 2 : 3."""
    state = Scored([0.0, 0.0, 0.0], [0.0, math.log(2), math.log(3)])
    for visits, expected in zip(visits_of(state, iterations=600, **EXPLORING), (100, 200, 300), strict=True):
        assert abs(visits - expected) <= 2
    for visits in visits_of(state, iterations=600, temperature=1e9, **EXPLORING):
        assert abs(visits - 200) <= 2
    halved = visits_of(state, iterations=1400, temperature=0.5, **EXPLORING)  # 1 : 4 : 9
    for visits, expected in zip(halved, (100, 400, 900), strict=True):
        assert abs(visits - expected) <= 2


def test_puct_counts_what_a_game_does_not_score_as_the_best():
    state = Scored([0.0, 0.0, 0.0], [0.0, math.log(2), math.inf])
    for visits, expected in zip(visits_of(state, iterations=500, **EXPLORING), (100, 200, 200), strict=True):
        assert abs(visits - expected) <= 2
    state = Scored([0.0, 0.0], [math.inf, math.inf])
    for visits in visits_of(state, iterations=500, **EXPLORING):
        assert abs(visits - 250) <= 2


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize(
    ("position", "own"),
    [(first_turn(2), "policy"), (first_turn(2), "learnt"), (bakerstreet.parse(TURN), "policy")],
    ids=["scout", "learnt", "bakerstreet"],
)
def test_puct_takes_the_scores_of_the_game(position, own, compiled):
    """The same law at the root of a card game."""
    temperature = 3.0
    state = position.sample(1)
    scores = np.array(state.learnt_scores() if own == "learnt" else state.action_scores())
    scores = np.minimum(scores, scores[np.isfinite(scores)].max())
    priors = np.exp((scores - scores.max()) / temperature)
    iterations = 5000 if compiled else 400
    plain = {**PLAIN, "belief": None, "rollout": "policy", "depth": 1, "own": own}
    result = ismcts.search(
        position, iterations, seed=1, temperature=temperature, compiled=compiled, **{**plain, **EXPLORING}
    )
    assert np.abs(result.actions["visits"] - iterations * priors / priors.sum()).max() <= 3


def test_puct_finds_the_better_of_two_that_look_alike():
    state = Scored([0.0, 5.0, 1.0], [1.0, 1.0, 1.0])
    result = ismcts.search(state, iterations=500, seed=1, selection="puct")
    assert result.best == 1
    assert result.actions["visits"][1] > 400


@pytest.mark.parametrize(("first_play", "tried"), [(None, 8), (100.0, 8), (-100.0, 2)])
def test_first_play_urgency(first_play, tried):
    """Far below the mean nothing more is tried, once two were: until then all pay-offs were the same."""
    result = ismcts.search(Lottery([float(i) for i in range(8)]), iterations=300, seed=1, first_play=first_play)
    assert (result.actions["visits"] > 0).sum() == tried


@pytest.mark.parametrize("compiled", [True, False])
def test_first_play_urgency_in_a_card_game(compiled):
    position = first_turn(3)
    plain = {**PLAIN, "iterations": 300, "seed": 1, "compiled": compiled, "exploration": 0.0}
    everything = ismcts.search(position, first_play=100.0, **plain)
    assert (everything.actions["visits"] > 0).all()
    little = ismcts.search(position, first_play=-100.0, **plain)
    assert 2 <= (little.actions["visits"] > 0).sum() <= 3
    assert little.actions["visits"].sum() == 300


def test_first_play_at_the_mean_passes_over_what_is_worse():
    """Equal pay-offs say nothing, so all of these are tried; the first that differs ends it: here the 9, or a 1."""
    for prizes in ([1.0, 1.0, 1.0, 1.0, 9.0], [9.0, 1.0, 1.0, 1.0, 1.0]):
        result = ismcts.search(Scored(prizes, [0.0] * 5, 0.0), 300, seed=1, first_play=0.0, exploration=0.0)
        assert result.value == 9.0
        assert result.untried <= 3
        assert result.actions["visits"].max() >= 295


def test_halving_rules_the_root():
    """With a tree of one decision under halving the bound says nothing."""
    a = ismcts.search(first_turn(3), iterations=500, seed=1)
    b = ismcts.search(first_turn(3), iterations=500, seed=1, selection="puct", first_play=-1.0)
    assert same(a, b)


@pytest.mark.parametrize(
    ("score", "bias", "iterations", "best"),
    [
        (-3.0, 0.0, 80, 0),
        (-3.0, 1.0, 80, 0),  # halved after 10 tries: 0.5 less 3 / 10 is more than the others' 0
        (-3.0, 2.0, 80, 1),
        (-3.0, 2.0, 160, 0),  # the oftener tried, the less its look counts
        (-60.0, 1.0, 80, 1),
        (-60.0, 1.0, 160, 0),  # as 6 below the best
        (math.inf, 9.0, 80, 0),  # not judged: as good as the best
    ],
)
def test_halving_with_a_bias(score, bias, iterations, best):
    """The better of four by 0.5 stays if its score is not too far behind; then it is the best whatever its score."""
    state = Scored([0.5, 0.0, 0.0, 0.0], [score, 0.0, 0.0, 0.0], 0.0)
    result = ismcts.search(state, iterations, seed=1, root="halving", bias=bias)
    assert result.actions["visits"].min() == iterations // 8
    if best == 0:
        assert (result.best, result.value) == (0, 0.5)
        assert result.actions["visits"][0] == 3 * iterations // 8
    else:
        assert result.actions["visits"][0] == iterations // 8
        assert result.value == 0.0


def test_a_bias_needs_scores():
    with pytest.raises(SearchError, match="policy_action"):
        ismcts.search(kuhn.Game().new_initial_state().child(0).child(1), iterations=10, root="halving", bias=1.0)


@pytest.mark.parametrize("own", ["policy", "learnt"])
@pytest.mark.parametrize("line", [AGREE[1], AGREE[2], AGREE[5], BOTH])
def test_compiled_and_twin_agree_on_a_bias(line, own):
    options = {**PLAIN, "rollout": "policy", "own": own, "root": "halving", "widening": 9}
    agree(scout.parse(line), 60, 150, **options, bias=3.0)


@pytest.mark.parametrize("line", [AGREE[1], AGREE[2], AGREE[5], BOTH])
@pytest.mark.parametrize(
    "options",
    [
        {"selection": "puct", "temperature": 2.0},
        {"selection": "puct", "widening": 3, "rollout": "policy", "first_play": -0.5},
        {"first_play": 0.5},
    ],
    ids=str,
)
def test_compiled_and_twin_agree_on_selection(line, options):
    agree(scout.parse(line), 60, 150, **{**PLAIN, **options})


def test_compiled_and_twin_agree_on_selection_in_baker_street():
    agree(bakerstreet.parse(TURN), 60, 150, selection="puct", temperature=5.0)


class TwoSeats:
    """Seat 0 asks or skips; then seat 1 decides twice or once. What the steps are worth, subclasses say."""

    skip = 0.0  # what skipping pays seat 0

    def __init__(self, card=0, moves=()):
        self.card, self.moves = card, moves

    @property
    def game(self):
        return kuhn.Game()  # two players

    def current_player(self):
        return -4 if self.is_terminal() else min(len(self.moves), 1)

    def legal_actions(self):
        return [0, 1]

    def clone(self):
        return type(self)(self.card, self.moves)

    def child(self, action):
        return type(self)(self.card, (*self.moves, action))

    def apply_action(self, action):
        self.moves = (*self.moves, action)

    def action_to_string(self, player, action):
        return ("ask", "skip")[action] if player == 0 else str(action)

    def policy_action(self, rng):
        return rng.choice([0, 1])

    def returns(self):
        value = self.skip if self.moves[0] else self.asked()
        return [value, -value]


class Box(TwoSeats):
    """Seat 1 hides a ball in one of two boxes, unseen, and then takes it out again, if it knows where it is."""

    skip = -0.75

    def is_terminal(self):
        return self.moves[:1] == (1,) or len(self.moves) == 3

    def asked(self):
        return -1.0 if self.moves[1] == self.moves[2] else 0.0

    def observed_actions(self, player):
        return [(action, 1 if player == 0 and len(self.moves) == 1 else action + 1) for action in (0, 1)]

    def information_state_string(self, player):
        hidden = self.moves if player else tuple("?" if i == 1 else m for i, m in enumerate(self.moves))
        return "".join(map(str, hidden))

    def resample_from_infostate(self, player, uniform_01):
        return self.clone()


class Guess(TwoSeats):
    """Seat 0 can only ask; seat 1 guesses which of two cards seat 0 holds."""

    def legal_actions(self):
        return [0, 1] if self.moves else [0]

    def is_terminal(self):
        return len(self.moves) == 2

    def asked(self):
        return -1.0 if self.moves[1] == self.card else 1.0

    def observed_actions(self, player):
        return [(action, action + 1) for action in self.legal_actions()]

    def information_state_string(self, player):
        return f"{'' if player else self.card}|{self.moves}"

    def resample_from_infostate(self, player, uniform_01):
        return Guess(int(2 * uniform_01()) if player else self.card, self.moves)


def test_in_a_tree_of_its_own_a_seat_knows_what_it_did():
    """Seat 0 does not see where seat 1 hides the ball; in the tree of seat 0 seat 1 forgets it."""
    single = ismcts.search(Box(), iterations=2000, seed=1)
    assert single.best_words() == "ask"
    assert single.value == pytest.approx(-0.5, abs=0.06)
    multiple = ismcts.search(Box(), iterations=2000, seed=1, trees="multiple")
    assert multiple.best_words() == "skip"
    assert multiple.value == -0.75
    ask = multiple.actions["value"][0]
    assert -1.0 < ask < -0.75


@pytest.mark.parametrize("trees", ["single", "multiple"])
def test_opponents_that_are_dealt_anew_do_not_see_the_hand(trees):
    """Seat 1 guesses right nearly always if it learns with the true card on the table, else half of the time."""
    values = {}
    for redeal in ("none", "opponents"):
        found = [
            ismcts.search(Guess(card), iterations=400, seed=seed, trees=trees, redeal=redeal)
            for seed in range(10)
            for card in (0, 1)
        ]
        values[redeal] = np.array([result.value for result in found])
        visits = sum(int(result.actions["visits"].sum()) for result in found)
    assert (values["none"] < -0.9).all()
    assert abs(values["opponents"].mean()) < 0.25
    # a quarter of the iterations are dealt anew, at the only place where they can be
    assert visits == pytest.approx(0.75 * 400 * 20, abs=5 * (400 * 20 * 0.75 * 0.25) ** 0.5)


@pytest.mark.parametrize("line", [AGREE[1], AGREE[2], AGREE[5]])
@pytest.mark.parametrize(
    "options",
    [
        {"trees": "multiple"},
        {"redeal": "opponents"},
        {"trees": "multiple", "redeal": "opponents", "selection": "puct", "belief": "play", "rollout": "policy"},
        {"redeal": "opponents", "root": "halving", "widening": 4},
    ],
    ids=str,
)
def test_compiled_and_twin_agree_on_trees_and_redealing(line, options):
    agree(scout.parse(line), 60, 150, **{**PLAIN, **options})


@pytest.mark.parametrize("options", [{"trees": "multiple"}, {"redeal": "opponents"}], ids=str)
def test_compiled_and_twin_agree_on_trees_in_baker_street(options):
    agree(bakerstreet.parse(TURN), 50, 120, opponents="tree", **options)


@pytest.mark.parametrize("options", [{"trees": "multiple"}, {"redeal": "opponents"}], ids=str)
def test_a_tree_for_each_seat_keeps_the_rest(options):
    """Every action tried, the same bits for the same seed, no more nodes than allowed, threads, a deep tree."""
    position = first_turn(4)
    more = {**PLAIN, **options, "iterations": 4000, "seed": 3}
    result = ismcts.search(position, **more)
    assert same(result, ismcts.search(position, **more))
    assert result.settings["method"] == ("mo-ismcts" if "trees" in options else "so-ismcts+pom")
    assert list(result.actions["action"]) == position.legal_actions()
    assert (result.actions["visits"] > 0).all()
    assert 2000 < result.actions["visits"].sum() <= 4000
    small = ismcts.search(position, max_nodes=300, **more)
    assert small.nodes <= 303
    assert small.iterations == 4000
    assert ismcts.search(position, threads=2, **more).iterations == 4000
    assert "best play" not in result.explain(20)


@pytest.mark.parametrize("options", [{"trees": "multiple"}, {"redeal": "opponents"}], ids=str)
def test_two_true_states_behind_one_position_still_give_the_same_bits(options):
    state = bakerstreet.Game().deal(seed=2)
    other = state.position(state.current_player()).sample(1)
    more = {"iterations": 500, "seed": 1, "opponents": "tree", **options}
    assert same(ismcts.search(state, **more), ismcts.search(other, **more))


def test_trees_and_redealing_are_for_opponents_in_a_tree():
    for options in ({"trees": "multiple"}, {"redeal": "opponents"}):
        with pytest.raises(SearchError, match="it needs opponents='tree'"):
            ismcts.search(first_turn(3), iterations=10, **options)
    with pytest.raises(SearchError, match="no observed_actions"):
        ismcts.search(kuhn.Game().new_initial_state().child(0).child(1), iterations=10, redeal="opponents")


def test_trees_of_a_game_in_plain_python():
    """Kuhn poker: in its own tree the rival's nodes are its own information states."""
    state = kuhn.Game().new_initial_state()
    for action in (2, 0):
        state.apply_action(action)
    result = ismcts.search(state, iterations=3000, seed=1, trees="multiple")
    # against a rival that folds jacks and calls with queens now and then the king gains more than the ante
    assert result.actions["value"].max() > 1.0
    assert result.value > 1.0


# The last of three rounds. To show all ends it for certain: the searcher has 1 point more, seat 1 has 7 less.
LAST = (
    "scout(players=3,rounds=3) | hand 4/1 4/3 4/8 | table 2/8 by 2 | cards 3 11 12 | score 0 4 5 | round 3 | starter 2"
)


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize(("totals", "share"), [("0 9 0", 0.0), ("0 8 0", 0.5), ("1 8 0", 1.0)])
def test_win_plays_the_last_round_for_rank(totals, share, compiled):
    """By margin showing all is best, whatever the totals; by rank it is if it wins, not if seat 1 stays ahead by 1."""
    position = scout.parse(f"{LAST} | totals {totals}")
    ending = position.parse_action("show 4-4-4")
    options = {"iterations": 1000 if compiled else 200, "seed": 1, "compiled": compiled}
    margin = ismcts.search(position, payoff="margin", **options)
    assert margin.best == ending
    ours, first, second = (int(total) for total in totals.split())
    assert margin.value == pytest.approx(ours + 1 - (first + 4 - 11 + second + 5 - 12) / 2)
    win = ismcts.search(position, payoff="win", **options)
    shown = win.actions[win.actions["action"] == ending]
    assert shown["value"] == share
    assert (win.best == ending) == (share > 0)
    assert win.value > 0
    # so it is in a game whose pay-off this is, unless another is asked for
    told = scout.parse(f"{LAST} | totals {totals}".replace("rounds=3", "rounds=3,payoff=win"))
    assert same(win, ismcts.search(told, **options))
    assert ismcts.search(told, payoff="margin", **options).best == ending


@pytest.mark.parametrize("payoff", ["margin", "win"])
@pytest.mark.parametrize("asked", ["score", "margin", "win"])
def test_what_is_maximised_is_what_is_asked_for_whatever_the_game_pays(asked, payoff):
    """Show all: 1 point against -7 and -7, so a margin of 8; the twin once took margins and shares for scores."""
    position = scout.parse(FINISH.replace("players=3", f"players=3,payoff={payoff}"))
    for compiled in (True, False):
        result = ismcts.search(position, iterations=100, seed=1, payoff=asked, compiled=compiled)
        shown = result.actions[result.actions["action"] == position.parse_action("show 4-4-4")]
        assert shown["value"] == {"score": 1.0, "margin": 8.0, "win": 1.0}[asked]


@pytest.mark.parametrize("compiled", [True, False])
def test_baker_street_is_always_played_for_the_win(compiled):
    """A game of it is won or lost, so the pay-offs are one."""
    position = bakerstreet.parse(TURN)
    results = [
        ismcts.search(position, iterations=200, seed=1, payoff=payoff, compiled=compiled)
        for payoff in (None, "score", "margin", "win")
    ]
    assert all(same(results[0], other) for other in results[1:])


class Twice(Lottery):
    """A first choice that pays nothing, then one that the policy makes best: the last option, worth 1."""

    def __init__(self, ticket=0.0, moves=()):
        super().__init__([0.0] * 4, ticket, None)
        self.moves = moves

    def is_terminal(self):
        return len(self.moves) == 2

    def current_player(self):
        return -4 if self.is_terminal() else 0

    def legal_actions(self):
        return [0, 1, 2, 3]

    def clone(self):
        return Twice(self.ticket, self.moves)

    def child(self, action):
        return Twice(self.ticket, (*self.moves, action))

    def apply_action(self, action):
        self.moves = (*self.moves, action)

    def resample_from_infostate(self, player, uniform_01):
        return Twice(uniform_01(), self.moves)

    def information_state_string(self, player):
        return str(self.moves)

    def returns(self):
        return [float(self.moves[1] == 3)]

    def policy_action(self, rng):
        return 3

    def action_scores(self):
        return [0.0] * 4

    def estimated_returns(self):
        return self.returns()

    def horizon_clock(self):
        return 0


@pytest.mark.parametrize(("epsilon", "value"), [(0.0, 1.0), (0.5, 0.625), (1.0, 0.25)])
def test_epsilon_mixes_the_policy_with_chance(epsilon, value):
    """1 - epsilon times what the policy gets, and epsilon times a quarter."""
    result = ismcts.search(Twice(), 20_000, seed=1, rollout="policy", depth=1, epsilon=epsilon)
    found = float((result.actions["value"] * result.actions["visits"]).sum() / result.actions["visits"].sum())
    assert abs(found - value) <= 4 * math.sqrt(0.25 / 20_000) * (epsilon > 0)
    assert result.settings["epsilon"] == epsilon


@pytest.mark.parametrize("line", [AGREE[1], AGREE[2], AGREE[5], BOTH, TURN])
@pytest.mark.parametrize("opponents", ["tree", "policy"])
def test_compiled_and_twin_agree_on_epsilon(line, opponents):
    position = games.parse(line)
    agree(position, 60, 150, epsilon=0.4, opponents=opponents, root="ucb", rollout="policy")


@pytest.mark.parametrize("line", [line for line in AGREE if line.startswith("scout")])
@pytest.mark.parametrize("own", ["policy", "learnt"])
def test_compiled_and_twin_agree_on_own_play(line, own):
    position = games.parse(line)
    agree(position, 60, 150, own=own, epsilon=0.2, widening=5, root="ucb", rollout="policy", opponents="policy")


def test_own_play_is_of_the_own_seat_alone():
    """Another order of the options and other rollouts; those of the others stay."""
    position = first_turn(3)
    rows = {own: ismcts.search(position, 3000, seed=1, own=own) for own in ("policy", "learnt")}
    assert rows["learnt"].settings["own"] == "learnt"
    assert not same(rows["policy"], rows["learnt"])
    assert same(ismcts.search(position, 3000, seed=1), rows["learnt"])
    # where nobody rolls out by policy, only the order is another: with all options at once that is nothing
    plain = {"rollout": "random", "opponents": "tree", "widening": 0, "root": "ucb", "depth": 0}
    one, other = (ismcts.search(position, 2000, seed=1, own=own, **plain) for own in ("policy", "learnt"))
    assert same(one, other)
    with pytest.raises(SearchError, match="own: the compiled side of this game has no rule that is learnt"):
        ismcts.search(bakerstreet.parse(TURN), 10, own="learnt")
    with pytest.raises(SearchError, match="own: State has no rule that is learnt"):
        ismcts.search(bakerstreet.parse(TURN), 10, own="learnt", compiled=False)


LATE = (
    "bakerstreet | seat 1 | starter 1 | phase choose | mover 1 | discards0 0 0 1 2 4 0a | discards1 0 1 1 2 "
    "0s 0a | stack0 1:3 0:2a 1:2s 0:4 1:5 0:5 1:5 0:5 1:3 0:5 1:5 0:4 1:5 0:4 1:3 0:4 1:4 0:5 1:4 0:2x 1:2x | "
    "stack1 1:5 | stack2 1:3 1:4 0:3 | stack3 0:5 1:4 0:1x 1:4 0:2 1:2a 0:3 1:0x 0:3 1:2 | stack4 1:3 | "
    "rounds 10 | log 1@2:I 1@4:J 0@3:- 1@1:H 1@2:F 1@3:K 0@1:? 0@1:? 0@1:? 0@4:? 0@4:? | look1 EHIKLMN | "
    "look2 ACERRT | look3 JLNOQQ | look4 BCDDMSS"
)  # a game of Baker Street shortly before its end


@pytest.mark.parametrize("line", [AGREE[1], AGREE[2], AGREE[5], BOTH, LATE])
def test_a_policy_with_epsilon_1_is_random_play(line):
    """What each option is worth, within 4.5 standard errors; without it they are far apart."""
    position = games.parse(line)
    usual = {"depth": 1, "root": "ucb", "opponents": "tree", "exploration": 1e6, "horizon": -1, "belief": "uniform"}
    found = {}
    for name, options in (
        ("random", {"rollout": "random"}),
        ("mixed", {"rollout": "policy", "epsilon": 1}),
        ("policy", {"rollout": "policy"}),
    ):
        # each option as often
        found[name] = ismcts.search(position, 20_000, seed=1, widening=0, **usual, **options).actions

    def apart(one, other):
        """The greatest difference of an option, in standard errors."""
        errors = np.hypot(found[one]["stderr"], found[other]["stderr"])
        return float(np.max(np.abs(found[one]["value"] - found[other]["value"]) / (errors + 1e-12)))

    assert apart("random", "mixed") < 4.5, found
    assert apart("random", "policy") > 10, found


def test_epsilon_has_its_range():
    position = first_turn(3)
    for epsilon in (-0.1, 1.5):
        with pytest.raises(SearchError, match=rf"epsilon must be a number in 0\.\.1, not {epsilon}"):
            ismcts.search(position, 10, epsilon=epsilon)
        with pytest.raises(ArgumentError, match=rf"epsilon must be a number in 0\.\.1, not {epsilon}"):
            position.search_root(epsilon=epsilon)
    for position in (first_turn(3), bakerstreet.parse(TURN)):
        for epsilon in ("often", "0.5", True, None, math.nan, 10**400, 1j):
            with pytest.raises(ArgumentError, match=r"epsilon must be a number in 0\.\.1, not"):
                position.search_root(epsilon=epsilon)
        for epsilon in (0, 1, 0.5, np.float32(0.1), np.int64(1), Fraction(1, 3)):
            assert position.search_root(epsilon=epsilon).observer == position.player
            assert ismcts.search(position, 20, seed=1, epsilon=epsilon).settings["epsilon"] == float(epsilon)
    with pytest.raises(SearchError, match="epsilon is for moves by policy"):
        ismcts.search(position, 10, epsilon=0.1, rollout="random", opponents="tree")
    with pytest.raises(ArgumentError, match="epsilon must be a finite number"):
        agents.make("ismcts:10,epsilon=nan")
    for name in ("flat:10,epsilon=0.1", "ismcts:10,rollout=random,opponents=tree,epsilon=0.1"):
        with pytest.raises(ArgumentError, match="epsilon is for moves by policy"):
            agents.make(name)
    assert dict(agents.make("ismcts:10,epsilon=0.05").options) == {"epsilon": 0.05}
    assert dict(agents.make("flat:10,rollout=policy,epsilon=0.05").options)["epsilon"] == 0.05


class OwnRoot:
    """A position of another package: it has a search root and tells no defaults."""

    def __init__(self, position):
        self.position = position
        self.player = position.player

    def current_player(self):
        return self.player

    def legal_actions(self):
        return self.position.legal_actions()

    def action_to_string(self, action):
        return self.position.action_to_string(action)

    def search_root(self, payoff=None):
        return self.position.search_root(payoff)


class OwnDefault(OwnRoot):
    """One whose policy slips unless told not to."""

    def search_defaults(self):
        return {"rollout": "policy", "depth": 1, "epsilon": 0.5}

    def search_root(self, payoff=None, belief=None, epsilon=0.5):
        self.given = (belief, epsilon)
        return self.position.search_root(payoff, belief, epsilon)


def test_a_game_is_told_its_epsilon_even_if_it_is_0():
    position = OwnDefault(first_turn(3))
    for options, epsilon in (({}, 0.5), ({"epsilon": 0}, 0.0), ({"epsilon": 0.25}, 0.25)):
        assert ismcts.search(position, 20, seed=1, **options).settings["epsilon"] == epsilon
        assert position.given == (None, epsilon)


def test_epsilon_is_refused_where_the_compiled_policy_takes_none():
    position = OwnRoot(first_turn(3))
    assert ismcts.search(position, 50, seed=1, rollout="policy").iterations == 50
    with pytest.raises(SearchError, match="epsilon: the compiled policies of this game take none"):
        ismcts.search(position, 50, seed=1, rollout="policy", epsilon=0.1)


def test_settings_tell_the_selection():
    options = {"selection": "puct", "temperature": 2.5, "first_play": -1.0, "root": "ucb"}
    result = ismcts.search(scout.parse(FINISH), iterations=50, seed=1, **options)
    assert {name: result.settings[name] for name in options} == options
    plain = ismcts.search(scout.parse(FINISH), iterations=50, seed=1)
    assert (plain.settings["selection"], plain.settings["first_play"]) == ("ucb", None)
    assert "Infinity" not in plain.to_json()


def test_agents_take_the_options():
    agent = agents.make("ismcts:300,selection=puct,temperature=2,first_play=-0.5,root=ucb")
    assert dict(agent.options) == {"selection": "puct", "temperature": 2.0, "first_play": -0.5, "root": "ucb"}
    with pytest.raises(ArgumentError, match="temperature must be a number above 0"):
        agents.make("ismcts:300,temperature=0")


BAD = [
    ({"trees": "many", "opponents": "tree"}, "trees must be one of single, multiple, not 'many'"),
    ({"redeal": True, "opponents": "tree"}, "redeal must be one of none, opponents, not True"),
    ({"selection": "best"}, "selection must be one of ucb, puct, not 'best'"),
    ({"temperature": 0}, "temperature must be a number above 0, not 0"),
    ({"temperature": math.nan}, "temperature must be a finite number"),
    ({"first_play": math.inf}, "first_play must be a finite number"),
    ({"first_play": "late"}, "first_play must be a finite number"),
    ({"bias": -1}, "bias must be a number of at least 0, not -1"),
    ({"bias": math.nan}, "bias must be a finite number"),
]


@pytest.mark.parametrize(("options", "words"), BAD)
def test_options_out_of_range(options, words):
    with pytest.raises(SearchError, match=words):
        ismcts.search(first_turn(3), **options)


def test_puct_needs_scores():
    with pytest.raises(SearchError, match="policy_action"):
        ismcts.search(kuhn.Game().new_initial_state().child(0).child(1), iterations=10, selection="puct")
