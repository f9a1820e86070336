"""Any sequence of calls on a game with any options: nothing is lost, nothing leaks, errors change nothing."""

import copy
import pickle
import random

import pytest
from hypothesis import Phase, event, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from solver import scout
from solver.errors import GameOptionError, IllegalActionError, PositionError

SEEDS = st.integers(0, 2**32 - 1)


@st.composite
def games(draw) -> scout.Game:
    """A game with any options that can be dealt; the normal ones are frequent."""
    players = draw(st.integers(2, 5))
    rounds = draw(st.sampled_from([1, 1, 2, "match", 4]))
    ranks = draw(st.sampled_from([10, 10, 5, 6, 8, 11]))
    options = {}
    if draw(st.booleans()):
        pairs = [(a, b) for a in range(1, ranks + 1) for b in range(a + 1, ranks + 1)]
        drop = draw(st.lists(st.sampled_from(pairs), max_size=3, unique=True))
        most = (len(pairs) - len(drop)) // (players * (2 if players == 2 and rounds != 1 else 1))
        options = {"drop": drop, "hand_size": draw(st.integers(2, min(most, 12)))} if most >= 2 else {}
    elif ranks == 5 and players == 5:
        options = {"hand_size": 2}
    if players == 2:
        options["chips"] = draw(st.sampled_from([3, 3, 0, 1, 7]))
    return scout.Game(
        players=players,
        rounds=rounds,
        ranks=ranks,
        payoff=draw(st.sampled_from(["score", "margin", "win"])),
        insertions_public=draw(st.booleans()),
        ends_on_emptying_scout=draw(st.booleans()),
        max_turns=draw(st.sampled_from([500, 500, 60, 9])),
        **options,
    )


def snapshot(state: scout.State) -> tuple:
    """Everything that can be asked of a state."""
    seats = range(state.game.players)
    playing = state.phase not in ("deal", "over")
    return (
        state.history(),
        state.phase,
        state.round,
        state.turns,
        state.starter,
        state.current_player(),
        state.legal_actions(),
        [state.hand(seat) for seat in seats],
        state.active_set(),
        state.owner(),
        state.chips(),
        state.score_cards(),
        state.scout_and_show_left(),
        state.scores(),
        state.totals(),
        state.returns(),
        state.round_results(),
        state.chance_outcomes(),
        [state.information_state_string(seat) for seat in seats],
        [str(state.position(seat)) for seat in seats] if playing else None,
    )


def sections(position: scout.Position) -> dict[str, list[str]]:
    """The sections of a position's line, by keyword."""
    parts = [part.split() for part in str(position).split(" | ")[1:]]
    return {words[0]: words[1:] for words in parts}


def identities(words) -> set[frozenset]:
    """Cards written top/bottom, or (top, bottom), whichever way they lie."""
    pairs = [word.split("/") if isinstance(word, str) else word for word in words]
    return {frozenset(map(int, pair)) for pair in pairs}


class ScoutMachine(RuleBasedStateMachine):
    """Plays one game and asks for everything on the way."""

    # -- the game, and what must be counted beside it

    @initialize(
        game=games(),
        seed=SEEDS,
        explicit=st.booleans(),
        head_start=st.one_of(st.just(0), st.integers(1, 120)),
        data=st.data(),
    )
    def begin(self, game, seed, explicit, head_start, data):
        self.game = game
        self.deck = identities(game.deck())
        assert len(self.deck) == len(game.deck())
        if explicit:
            self.state = game.new_initial_state()
        else:
            self.state = game.deal(seed=seed, starter=data.draw(st.integers(0, game.players - 1)))
        self.start_counting()
        event("chance nodes" if explicit else "dealt")
        if head_start:
            while self.state.phase in ("deal", "choose"):
                self.apply(self.state.legal_actions()[seed % len(self.state.legal_actions())])
            self.play_some(seed, head_start, "")

    def start_counting(self):
        self.scouts = 0
        self.used = [False] * self.game.players

    def views(self):
        return [(str(self.state.position(q)), self.state.information_state_string(q)) for q in range(self.game.players)]

    def apply(self, action):
        """Play an action and check what holds for the step."""
        state = self.state
        if state.is_chance_node():
            state.apply_action(action)
            return
        kind = self.game.decode(action)[0]
        mover, finished, held = state.current_player(), len(state.round_results()), state.counts()
        on_table, taken = len(state.active_set()), state.score_cards()
        before = self.views() if kind == "scout_and_show" else None
        state.apply_action(action)
        assert state.history()[-1] == action
        if kind in ("scout", "scout_and_show"):
            self.scouts += 1
        if kind == "scout_and_show":
            assert not self.used[mover]
            self.used[mover] = True
            after = self.views()
            for seat in range(self.game.players):
                assert (after[seat] == before[seat]) is (seat != mover)
            assert state.current_player() == mover
            assert {self.game.decode(a)[0] for a in state.legal_actions()} == {"show"}
        if len(state.round_results()) > finished:
            self.check_result(finished)
            self.start_counting()
        elif kind == "show":
            length = self.game.decode(action)[2]
            assert state.counts()[mover] == held[mover] - length
            assert state.score_cards()[mover] == taken[mover] + on_table
            assert state.owner() == mover

    def check_result(self, index):
        """The last round's scores add up: every card that is no score card and not exempt costs a point."""
        result = self.state.round_results()[index]
        assert len(result.scores) == self.game.players
        assert result.reason in ("empty_hand", "scouted_out", "max_turns")
        assert (result.exempt is not None) == (result.reason == "scouted_out")
        assert self.state.round == index + 1
        assert self.state.totals() == [
            sum(r.scores[q] for r in self.state.round_results()) for q in range(self.game.players)
        ]
        event(result.reason)

    # -- moves

    @precondition(lambda self: not self.state.is_terminal())
    @rule(index=st.integers(0, 2**20))
    def play_one(self, index):
        actions = self.state.legal_actions()
        self.apply(actions[index % len(actions)])

    @precondition(lambda self: not self.state.is_terminal())
    @rule(seed=SEEDS, steps=st.integers(2, 30), leaning=st.sampled_from(["", "show", "scout"]))
    def play_some(self, seed, steps, leaning):
        """Several actions at once, so that rounds and games end within a sequence."""
        rng = random.Random(seed)
        for _ in range(steps):
            if self.state.is_terminal():
                break
            actions = self.state.legal_actions()
            if not self.state.is_chance_node() and rng.random() < 0.8:
                leant = [action for action in actions if self.game.decode(action)[0] == leaning]
                actions = leant or actions
            self.apply(rng.choice(actions))
            self.nothing_is_lost()

    @precondition(lambda self: self.state.is_chance_node())
    @rule(seed=SEEDS)
    def deal_out(self, seed):
        rng = random.Random(seed)
        while self.state.is_chance_node():
            self.apply(rng.choice(self.state.legal_actions()))

    def offered(self):
        """The ids of Scout & Show that are legal."""
        return [a for a in self.state.legal_actions() if self.game.decode(a)[0] == "scout_and_show"]

    @precondition(lambda self: self.state.phase == "turn" and self.offered())
    @rule(seed=SEEDS)
    def scout_and_show(self, seed):
        """Where it is offered: both halves, and the others learn of both at once."""
        rng = random.Random(seed)
        mover, turns, finished = self.state.current_player(), self.state.turns, len(self.state.round_results())
        before = self.views()
        self.apply(rng.choice(self.offered()))
        assert self.state.turns == turns
        self.apply(rng.choice(self.state.legal_actions()))
        if len(self.state.round_results()) > finished:
            return
        assert self.state.turns == turns + 1
        assert not self.state.scout_and_show_left()[mover]
        for seat, view in enumerate(self.views()):
            assert view[0] != before[seat][0]
            assert view[1].startswith(before[seat][1])
            if seat != mover:
                assert f"; {mover} scout & show" in view[1][len(before[seat][1]) :]
        event("Scout & Show")

    # -- what must not work

    @rule(action=st.one_of(st.integers(0, 1100), st.sampled_from([-1, 2**31, 2**40, -(2**70), 1.0, "0", None, (3,)])))
    def illegal_actions_change_nothing(self, action):
        legal = self.state.legal_actions()
        if isinstance(action, int) and action in legal:
            return
        before, raw = snapshot(self.state), self.state.__reduce__()[1]
        with pytest.raises(IllegalActionError) as error:
            self.state.apply_action(action)
        assert str(error.value)
        with pytest.raises(IllegalActionError):
            self.state.child(action)
        assert snapshot(self.state) == before
        assert self.state.__reduce__()[1] == raw

    @precondition(lambda self: self.state.phase in ("turn", "must_show"))
    @rule()
    def every_other_action_is_refused(self):
        """All ids that are not legal, one after the other."""
        legal = set(self.state.legal_actions())
        position = self.state.position(self.state.current_player())
        raw = self.state.__reduce__()[1]
        for action in range(self.game.num_distinct_actions()):
            if action in legal:
                assert position.why_not(action) == ""
                continue
            assert position.why_not(action)
            with pytest.raises(IllegalActionError, match=r"seat \d cannot"):
                self.state.apply_action(action)
        assert self.state.__reduce__()[1] == raw

    @precondition(lambda self: self.state.phase in ("deal", "over"))
    @rule(seat=st.integers(0, 1))
    def no_position_while_nobody_decides(self, seat):
        with pytest.raises(PositionError):
            self.state.position(seat)

    @rule(seat=st.sampled_from([-1, 5, 6, None, "0", True, 0.0]))
    def no_such_seat(self, seat):
        for call in (self.state.hand, self.state.position):
            with pytest.raises(ValueError, match="a seat lies in"):
                call(seat)

    # -- copies

    @rule(seed=SEEDS, how=st.sampled_from(["clone", "copy", "deepcopy", "pickle", "child"]))
    def copies_are_equal_and_independent(self, seed, how):
        state = self.state
        before, raw = snapshot(state), state.__reduce__()[1]
        rng = random.Random(seed)
        if how == "child":
            if state.is_terminal():
                return
            action = rng.choice(state.legal_actions())
            other, same = state.child(action), state.clone()
            same.apply_action(action)
            assert snapshot(other) == snapshot(same)
        else:
            other = {
                "clone": state.clone,
                "copy": lambda: copy.copy(state),
                "deepcopy": lambda: copy.deepcopy(state),
                "pickle": lambda: pickle.loads(pickle.dumps(state)),
            }[how]()
            assert other.game == self.game
            assert snapshot(other) == before
        twin = other.clone()
        for _ in range(40):
            if other.is_terminal():
                break
            action = rng.choice(other.legal_actions())
            other.apply_action(action)
            twin.apply_action(action)
        # the random stream of later deals is copied too
        assert snapshot(other) == snapshot(twin)
        assert snapshot(state) == before
        assert state.__reduce__()[1] == raw

    @rule()
    def games_survive_pickle_and_text(self):
        game = self.game
        assert pickle.loads(pickle.dumps(game)) == game
        assert scout.load(str(game)) == game == scout.Game(**game.get_parameters())
        assert hash(scout.load(str(game))) == hash(game)
        assert scout.load(str(game)).get_parameters() == game.get_parameters()
        assert scout.load(str(game)).deck() == game.deck()

    # -- positions

    @precondition(lambda self: self.state.phase not in ("deal", "over"))
    @rule(seed=SEEDS)
    def positions_survive_text_and_pickle(self, seed):
        for seat in range(self.game.players):
            position = self.state.position(seat)
            for other in (scout.parse(str(position)), pickle.loads(pickle.dumps(position))):
                assert other == position
                assert hash(other) == hash(position)
                assert str(other) == str(position)
                assert other.legal_actions() == position.legal_actions()
                assert other.player == position.player == seat
                assert other.current_player() == position.current_player()
                for name in ("hand", "active_set", "owner", "counts", "chips", "score_cards", "known", "phase"):
                    assert getattr(other, name) == getattr(position, name)
                assert other.unseen() == position.unseen()
                # the same to the last hidden detail: the same draw gives the same state
                assert other.sample(seed).__reduce__()[1] == position.sample(seed).__reduce__()[1]
            mine = self.state.legal_actions() if seat == self.state.current_player() else []
            assert position.legal_actions() == mine

    @precondition(lambda self: self.state.phase not in ("deal", "over"))
    @rule()
    def words_name_one_action_each(self):
        position = self.state.position(self.state.current_player())
        words = {action: position.action_to_string(action) for action in position.legal_actions()}
        assert len(set(words.values())) == len(words)
        action = list(words)[len(words) // 2]
        assert position.parse_action(words[action]) == action
        assert self.state.action_to_string(self.state.current_player(), action) == words[action]

    @precondition(lambda self: self.state.phase not in ("deal", "over"))
    @rule(seed=SEEDS)
    def sampled_states_fit_the_position(self, seed):
        for seat in range(self.game.players):
            position = self.state.position(seat)
            sampled = position.sample(seed)
            assert sampled.position(seat) == position
            assert sampled.counts() == list(position.counts)
            cards = [card for q in range(self.game.players) for card in sampled.hand(q)] + sampled.active_set()
            assert len(identities(cards)) == len(cards)
            assert identities(cards) <= self.deck
            assert identities(cards).isdisjoint(identities(sections(position).get("gone", ())))
            assert sampled.current_player() == position.current_player()
            assert sampled.legal_actions()
            if seat == position.current_player():
                assert sampled.legal_actions() == self.state.legal_actions()
            if sampled.phase != "must_show":
                for other in range(self.game.players):
                    view = sampled.position(other)
                    assert scout.parse(str(view)) == view

    # -- at any time

    @invariant()
    def nothing_is_lost(self):
        """Every card of the deck is in one hand, on the table, gone, or set aside, and in one place only."""
        state, game = self.state, self.game
        seats = range(game.players)
        hands = [state.hand(seat) for seat in seats]
        cards = [card for hand in hands for card in hand] + state.active_set()
        assert len(identities(cards)) == len(cards)
        assert identities(cards) <= self.deck
        assert state.counts() == [len(hand) for hand in hands]
        numbers = [*state.counts(), *state.chips(), *state.score_cards(), state.turns, state.round]
        assert min(numbers) >= 0
        assert state.turns <= game.max_turns
        assert (state.owner() is None) == (not state.active_set())
        if state.phase == "deal":
            return
        assert len(cards) + sum(state.score_cards()) == game.cards_in_play
        if state.phase == "over":
            assert state.current_player() == -4
            assert state.legal_actions() == []
            assert len(state.round_results()) == game.rounds == state.round
            worst, best = game.min_utility(), game.max_utility()
            assert all(worst <= value <= best for value in state.returns())
            return
        if game.two_player:
            assert sum(state.chips()) + self.scouts == 2 * game.chips
            assert max(state.chips()) <= game.chips
        else:
            assert sum(state.chips()) == self.scouts
            assert state.scout_and_show_left() == [not used for used in self.used]
        gone = None
        for seat in seats:
            gone = self.check_what_a_seat_knows(seat, hands, gone)

    def check_what_a_seat_knows(self, seat, hands, gone):
        """A seat's own hand, the table, known, gone and unseen cards are the deck, each card once, and are true."""
        position = self.state.position(seat)
        parts = sections(position)
        table = [word for word in parts.get("table", ()) if "/" in word]
        known = {q: identities(card for card, _ in cards) for q, cards in position.known.items() if q != seat}
        where = [identities(position.hand), identities(table), *known.values(), identities(position.unseen())]
        where += [identities(parts.get(word, ())) for word in ("gone", "out", "left")]
        assert sum(map(len, where)) == len(self.deck)
        assert set().union(*where) == self.deck
        assert list(position.hand) == hands[seat]
        for other, cards in known.items():
            assert cards <= identities(hands[other])
        mine = identities(parts.get("gone", ()))
        assert len(mine) == sum(self.state.score_cards())
        in_play = identities(card for hand in hands for card in hand) | identities(self.state.active_set())
        assert mine.isdisjoint(in_play)
        assert gone is None or gone == mine
        return mine


ScoutMachine.TestCase.settings = settings(
    max_examples=400, stateful_step_count=30, phases=(Phase.generate, Phase.shrink)
)
TestScoutMachine = ScoutMachine.TestCase


@settings(max_examples=300)
@given(games())
def test_random_options_can_be_dealt_and_written(game):
    """Games with any options give a text that gives them back, and deal hands of the right size."""
    assert scout.load(str(game)) == game
    state = game.deal(seed=0)
    assert state.counts() == [game.hand_size] * game.players


@pytest.mark.parametrize(
    "options",
    [
        {"players": 1},
        {"players": 6},
        {"players": 2.0},
        {"players": True},
        {"rounds": 0},
        {"rounds": 101},
        {"rounds": "all"},
        {"payoff": "points"},
        {"payoff": None},
        {"insertions_public": 1},
        {"ends_on_emptying_scout": "yes"},
        {"max_turns": 0},
        {"max_turns": 30_001},
        {"ranks": 1},
        {"ranks": 12},
        {"ranks": 2},
        {"hand_size": 0},
        {"hand_size": 12},
        {"hand_size": -1},
        {"chips": 2},
        {"players": 2, "chips": -1},
        {"players": 2, "rounds": 2, "hand_size": 12},
        {"drop": [(1, 1)]},
        {"drop": [(0, 3)]},
        {"drop": [(3, 11)]},
        {"drop": [3]},
        {"drop": 5},
        {"drop": "9-10"},
        {"drop": [(a, b) for a in range(1, 10) for b in range(a + 1, 11)]},
    ],
)
def test_options_that_cannot_be_dealt_are_errors(options):
    """Each wrong option is a GameOptionError (which is a ValueError) that says something."""
    with pytest.raises(GameOptionError, match=r"\w+ .*\w+"):
        scout.Game(**options)
    assert issubclass(GameOptionError, ValueError)


def test_deals_that_cannot_be_are_errors():
    """Hands of the wrong number, size or cards, cards twice, and wrong starters are PositionErrors with the place."""
    game = scout.Game(players=3, hand_size=2)
    good = [[(1, 2), (3, 1)], [(1, 4), (5, 1)], [(2, 3), (2, 4)]]
    assert game.deal(hands=good).hand(1) == [(1, 4), (5, 1)]
    for hands, message in (
        (good[:2], "3 seats"),
        ([*good[:2], [(2, 3)]], "seat 2: 2 cards are dealt, not 1"),
        ([*good[:2], [(2, 3), (1, 3)]], r"seat 2, place 1: .* is also at seat 0, place 1"),
        ([*good[:2], [(2, 3), (2, 10)]], "seat 2, place 1: .* is no card"),
        ([*good[:2], [(2, 2), (2, 5)]], "seat 2, place 0: .* is no card"),
        ([*good[:2], [(2, 3), (2, 0)]], "is no card"),
        ([*good[:2], [(2, 3), (2, 2**40)]], "is no card"),
        ([*good[:2], [(2, 3), "24"]], "is no card"),
        ([*good[:2], [(2, 3), (2.0, 4)]], "is no card"),
        ([*good[:2], [(2, 3), None]], "is no card"),
    ):
        with pytest.raises(PositionError, match=message):
            game.deal(hands=hands)
    for starter in (-1, 3, None, True, 0.0):
        with pytest.raises(PositionError, match="starter"):
            game.deal(starter=starter)
    with pytest.raises(PositionError, match="turned"):
        game.deal(turned=[False] * 2)


@pytest.mark.parametrize("players", [3, 4, 5])
def test_a_position_read_from_text_keeps_the_row_of_scouts(players):
    """Whoever owns the Active Set and however many have scouted since: read back from its line, a position needs as
    many more Scouts until the round ends by (ii) as the state it was taken from."""
    game = scout.Game(players=players, hand_size=6)
    deck = game.deck()
    low = [pair for pair in deck if pair[0] != 1 and pair[1] != 9][: 6 * (players - 1)]
    for owner in range(players):
        hands = [low[6 * seat : 6 * seat + 6] for seat in range(players - 1)]
        hands.insert(owner, [(1, number) for number in range(2, 8)])
        state = game.deal(hands=hands, turned=[False] * players, starter=owner)
        state.apply_action(game.show(0, 5))
        for scouted in range(players - 1):
            for seat in range(players):
                sampled = scout.parse(str(state.position(seat))).sample(1)
                for _ in range(players - 1 - scouted):
                    assert not sampled.is_terminal(), (owner, scouted, seat)
                    sampled.apply_action(game.scout(0, 0, False))
                assert sampled.is_terminal(), (owner, scouted, seat)
                assert sampled.round_results()[0].exempt == owner
            state.apply_action(game.scout(0, 0, False))
        assert state.is_terminal()


def test_states_sampled_between_the_halves_of_a_scout_and_show():
    """A state sampled for the player who must show: the others see the table as it was, in cards of the deck."""
    game = scout.Game(players=3, hand_size=4)
    hands = [
        [(5, 1), (6, 2), (9, 1), (9, 2)],
        [(7, 3), (7, 4), (3, 4), (1, 2)],
        [(2, 3), (2, 4), (3, 5), (4, 5)],
    ]
    state = game.deal(hands=hands, turned=[False] * 3)
    state.apply_action(game.show(0, 2))
    state.apply_action(game.scout_and_show(1, 4, False))
    sampled = state.position(1).sample(1)
    for seat in (0, 2):
        view = sampled.position(seat)
        assert view.active_set == ((5, 1), (6, 2))
        assert scout.parse(str(view)) == view
        assert view.counts == (2, 4, 4)
        assert view.chips == (0, 0, 0)
