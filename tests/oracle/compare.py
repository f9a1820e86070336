"""Plays the compiled SCOUT and the slow reference side by side and compares them after every action.

The tests use these functions on a few thousand rounds; `python -m tests.oracle.compare --rounds 20000` plays more by
hand, for each number of players, and prints how the rounds ended.
"""

import argparse
import math
import random
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from solver import scout
from tests.reference.scout_rules import Reference, after_scout, full_deck, identity, is_set, sets_in, tops_of

Move = tuple[int, tuple]  # (action id, decoded action)
Style = Callable[[random.Random, scout.State, list[Move]], int]


# ---------------------------------------------------------------------------------------------------------------------
# Ways to choose a move, so that rounds end in every way
# ---------------------------------------------------------------------------------------------------------------------


def _of_kind(moves: list[Move], *kinds: str) -> list[Move]:
    return [move for move in moves if move[1][0] in kinds]


def _any_of(rng: random.Random, *preferences: list[Move]) -> int:
    """A random move of the first list that has one."""
    return rng.choice(next(moves for moves in preferences if moves))[0]


def uniform(rng, _state, moves):
    """Any legal action."""
    return _any_of(rng, moves)


def shows(rng, _state, moves):
    """Shows when it can, now and then something else."""
    return _any_of(rng, _of_kind(moves, "show") if rng.random() < 0.9 else [], moves)


def _longest(moves: list[Move]) -> list[Move]:
    """The Shows of most cards."""
    sets = _of_kind(moves, "show")
    longest = max((move[1][2] for move in sets), default=0)
    return [move for move in sets if move[1][2] == longest]


def long_shows(rng, _state, moves):
    """Shows as many cards as it can."""
    return _any_of(rng, _longest(moves), moves)


def scouts(rng, _state, moves):
    """Scouts when it can, else shows many cards; now and then something else: rounds end by (ii), hands grow."""
    if rng.random() < 0.04:
        return _any_of(rng, moves)
    return _any_of(rng, _of_kind(moves, "scout"), _longest(moves), moves)


def both_first(rng, _state, moves):
    """Scout & Show whenever it is offered."""
    return _any_of(rng, _of_kind(moves, "scout_and_show"), moves)


def short_sets(rng, state, moves):
    """Empties the table where one card lies there, and shows one or two cards: emptying Scouts, long rounds."""
    if len(state.active_set()) == 1 and rng.random() < 0.9:
        return _any_of(rng, _of_kind(moves, "scout"), moves)
    return _any_of(rng, [move for move in _of_kind(moves, "show") if move[1][2] <= 1 + (rng.random() < 0.4)], moves)


def builds(rng, state, moves):
    """Scouts into long sets and shows them; scouts away what others show so: (ii) with a set left on the table."""
    taking = _of_kind(moves, "scout")
    sets = [move for move in _longest(moves) if move[1][2] >= state.game.players]
    if sets or not taking or len(state.active_set()) >= 3:
        return _any_of(rng, sets, taking, [move for move in moves if move[1][-1] == 1], moves)
    hand, active = state.hand(state.current_player()), state.active_set()

    def longest_after(move: Move) -> int:
        new_hand, _ = after_scout(hand, active, *move[1][1:])
        return max(length for _, length in sets_in(tops_of(new_hand)))

    return max(rng.sample(taking, min(12, len(taking))), key=longest_after)[0]


STYLES: tuple[Style, ...] = (uniform, shows, scouts, long_shows, both_first, short_sets, builds)


def seating(rng: random.Random, players: int, match: int) -> list[Style]:
    """A style for each seat: the same for all, or (every other time) one drawn for each."""
    if match % 2:
        return [rng.choice(STYLES) for _ in range(players)]
    return [STYLES[match // 2 % len(STYLES)]] * players


# ---------------------------------------------------------------------------------------------------------------------
# What was seen
# ---------------------------------------------------------------------------------------------------------------------


@dataclass
class Tally:
    """Counts of what happened in compared rounds."""

    rounds: int = 0
    decisions: int = 0
    endings: Counter = field(default_factory=Counter)
    scout_and_shows: int = 0
    longest_hand: int = 0
    most_actions: int = 0

    def add(self, other: "Tally") -> None:
        self.rounds += other.rounds
        self.decisions += other.decisions
        self.endings += other.endings
        self.scout_and_shows += other.scout_and_shows
        self.longest_hand = max(self.longest_hand, other.longest_hand)
        self.most_actions = max(self.most_actions, other.most_actions)


def ending_of(reference: Reference, last: tuple) -> str:
    """The reason of the round that just ended, told apart by what happened last."""
    reason = reference.round_results[-1][1]
    if reason != "scouted_out":
        return reason
    if last[0] == "show":
        return "scouted_out by a Show"
    return "scouted_out by an emptying Scout" if not reference.active else "scouted_out by a Scout"


# ---------------------------------------------------------------------------------------------------------------------
# Comparison
# ---------------------------------------------------------------------------------------------------------------------


class Memo(Reference):
    """The reference, which does not count the same legal actions twice."""

    def legal(self) -> set:
        mover = self.to_move
        key = (
            self.phase,
            mover,
            None if mover is None else (tuple(self.hands[mover]), self.chips[mover], self.can_scout_and_show[mover]),
            tuple(self.active),
        )
        if getattr(self, "_key", None) != key:
            self._key, self._legal = key, super().legal()
        return self._legal


def same(name: str, ours: object, theirs: object) -> None:
    """Both engines say the same."""
    assert ours == theirs, f"{name}: {ours!r} in the compiled game, {theirs!r} in the reference"


def pay_off(kind: str, totals: list[int]) -> list[float]:
    """What each seat gets for these totals."""
    if kind == "score":
        return [float(total) for total in totals]
    if kind == "margin":
        return [total - (sum(totals) - total) / (len(totals) - 1) for total in totals]
    winners = totals.count(max(totals))
    return [1 / winners if total == max(totals) else 0.0 for total in totals]


class Near(list):
    """A list of floats that equals another within 1e-9."""

    def __eq__(self, other):
        return len(self) == len(other) and all(
            math.isclose(a, b, abs_tol=1e-9) for a, b in zip(self, other, strict=True)
        )

    __hash__ = None


class Table:
    """One game in both engines.

    Parameters
    ----------
    game : scout.Game
    seed : int
        Of the deals.
    starter : int
    chance : bool
        Deal by chance nodes, walked at random, instead of by `Game.deal`.
    """

    def __init__(self, game: scout.Game, seed: int, starter: int = 0, chance: bool = False) -> None:
        options = game.get_parameters()
        self.game = game
        self.rng = random.Random(seed)
        self.deck = full_deck(game.players, game.get_parameters()["ranks"], {frozenset(p) for p in options["drop"]})
        same("deck", {frozenset(pair) for pair in game.deck()}, self.deck)
        self.state = game.new_initial_state() if chance else game.deal(seed=seed, starter=starter)
        self.reference = Memo(
            game.players,
            starter=starter,
            rounds=game.rounds,
            ends_on_emptying_scout=options["ends_on_emptying_scout"],
            max_turns=game.max_turns,
            chips=options["chips"],
        )
        self.before = None  # what all seats saw before the Scout half of a Scout & Show
        self.out: set = set()  # two players, second deal of a shuffle: shown in the first ...
        self.left: list[set] = [set() for _ in range(game.players)]  # ... and not shown, by seat
        self.start_round()

    def start_round(self) -> None:
        """Give the reference the hands that the compiled game dealt."""
        self.walk_chance()
        reference = self.reference
        if self.game.players == 2 and reference.round % 2 == 1:
            shown = reference.gone | set(map(identity, reference.active)) | set().union(*reference.public_known)
            self.out = shown
            self.left = [set(map(identity, hand)) - shown for hand in reference.hands]
        else:
            self.out, self.left = set(), [set() for _ in range(self.game.players)]
        hands = [self.state.hand(seat) for seat in range(self.game.players)]
        assert {len(hand) for hand in hands} == {self.game.hand_size}
        cards = {identity(card) for hand in hands for card in hand}
        assert len(cards) == self.game.cards_in_play
        assert cards <= self.deck
        reference.start_round(hands)

    def walk_chance(self) -> None:
        """Deal card by card, where the compiled game has chance nodes."""
        while self.state.is_chance_node():
            outcomes = self.state.chance_outcomes()
            assert math.isclose(sum(p for _, p in outcomes), 1)
            self.state.apply_action(self.rng.choice(outcomes)[0])

    def check(self) -> list[Move]:
        """Compare everything that both engines tell; the legal moves."""
        state, reference, game = self.state, self.reference, self.game
        seats = range(game.players)
        same("phase", state.phase, reference.phase)
        same("round", state.round, reference.round + (reference.phase == "over"))
        same("starter", state.starter, reference.starter)
        same("totals", state.totals(), reference.totals)
        results = [(list(scores), reason, exempt) for scores, reason, exempt in state.round_results()]
        same("round results", results, reference.round_results)
        if reference.phase == "over":
            same("mover", state.current_player(), -4)
            same("legal actions", state.legal_actions(), [])
            same("scores", state.scores(), reference.totals)
            assert state.returns() == Near(pay_off(game.payoff, reference.totals))
            return []
        same("mover", state.current_player(), reference.to_move)
        same("hands", [state.hand(seat) for seat in seats], reference.hands)
        same("counts", state.counts(), [len(hand) for hand in reference.hands])
        same("Active Set", state.active_set(), reference.active)
        same("owner", state.owner(), reference.owner)
        same("chips", state.chips(), reference.chips)
        same("score cards", state.score_cards(), reference.taken)
        same("Scout & Show chips", state.scout_and_show_left(), reference.can_scout_and_show)
        same("turns", state.turns, reference.turns)
        same("returns before the end", state.returns(), [0.0] * game.players)
        standing = [
            total + taken + chips - len(hand)
            for total, taken, chips, hand in zip(
                reference.totals, reference.taken, reference.chips, reference.hands, strict=True
            )
        ]
        same("scores", state.scores(), standing)
        assert not reference.active or is_set(tops_of(reference.active))
        ids = state.legal_actions()
        assert ids == sorted(set(ids)), f"ids must ascend without repetition: {ids}"
        assert 0 <= ids[0] <= ids[-1] < game.num_distinct_actions()
        moves = [(action, game.decode(action)) for action in ids]
        legal = reference.legal()
        assert len(legal) == len(moves)
        assert {decoded for _, decoded in moves} == legal, (
            f"only compiled: { ({decoded for _, decoded in moves} - legal) }, "
            f"only reference: {legal - {decoded for _, decoded in moves}}"
        )
        self.check_knowledge(self.rng.randrange(game.players))
        return moves

    def views(self) -> list[tuple[str, str]]:
        """All that each seat sees: its position and its information state."""
        return [
            (str(self.state.position(seat)), self.state.information_state_string(seat))
            for seat in range(self.game.players)
        ]

    def check_knowledge(self, seat: int) -> None:
        """What a seat knows is what the reference says is public, and its own hand."""
        state, reference = self.state, self.reference
        mover = reference.to_move
        if reference.phase == "must_show":
            # a Scout & Show is one action for the others
            now = self.views()
            for other in range(self.game.players):
                if other != mover:
                    same("view between the halves of a Scout & Show", now[other], self.before[other])
            seat = mover
        position = state.position(seat)
        same("own hand", list(position.hand), reference.hands[seat])
        same("counts known", list(position.counts), [len(hand) for hand in reference.hands])
        same("Active Set known", list(position.active_set), reference.active)
        same("owner known", position.owner, reference.owner)
        same("chips known", list(position.chips), reference.chips)
        same("score cards known", list(position.score_cards), reference.taken)
        same("legal actions known", position.legal_actions(), state.legal_actions() if seat == mover else [])
        known = {other: {identity(card) for card, _ in cards} for other, cards in position.known.items()}
        same("cards known", known, {q: cards for q, cards in enumerate(reference.public_known) if cards})
        for other, cards in position.known.items():
            for card, place in cards:
                if self.game.insertions_public and other != seat:
                    same("place known", card, reference.hands[other][place])
                else:
                    same("no place known", place, -1)
        seen = {identity(card) for card in (*reference.hands[seat], *reference.active)}
        seen |= reference.gone | set().union(*reference.public_known) | self.out | self.left[seat]
        same("unseen cards", {identity(card) for card in position.unseen()}, self.deck - seen)

    def play(self, styles: list[Style], tally: Tally) -> None:
        """Play to the end, each seat in its style."""
        moves = self.check()
        while moves:
            style = uniform if self.state.phase == "choose" else styles[self.state.current_player()]
            choice = style(self.rng, self.state, moves)
            decoded = self.game.decode(choice)
            finished = len(self.reference.round_results)
            self.before = self.views() if decoded[0] == "scout_and_show" else None
            self.state.apply_action(choice)
            self.reference.apply(decoded)
            tally.decisions += 1
            tally.scout_and_shows += decoded[0] == "scout_and_show"
            tally.most_actions = max(tally.most_actions, len(moves))
            tally.longest_hand = max(tally.longest_hand, *map(len, self.reference.hands))
            if len(self.reference.round_results) > finished:
                tally.rounds += 1
                tally.endings[ending_of(self.reference, decoded)] += 1
                if self.reference.phase == "deal":
                    self.start_round()
            moves = self.check()


def compare(game: scout.Game, rounds: int, seed: int = 0, chance: bool = False) -> Tally:
    """Play at least so many rounds of a game in both engines, the styles in turn; raises at the first difference."""
    tally = Tally()
    rng = random.Random(f"{game} {seed} {chance}")
    match = 0
    while tally.rounds < rounds:
        starter = 0 if chance else rng.randrange(game.players)
        table = Table(game, seed=rng.getrandbits(48), starter=starter, chance=chance)
        table.play(seating(rng, game.players, match), tally)
        match += 1
    return tally


def small_variant(rng: random.Random) -> scout.Game:
    """A game with few ranks, small hands, other chips, dropped pairs, and any of the other options."""
    while True:
        players = rng.randint(2, 5)
        ranks = rng.randint(4, 9)
        pairs = [(a, b) for a in range(1, ranks + 1) for b in range(a + 1, ranks + 1)]
        drop = rng.sample(pairs, rng.choice([0, 0, 1, 2, 3]))
        rounds = rng.choice([1, 1, 1, 2, "match"])
        deals = players * (2 if players == 2 and rounds != 1 else 1)
        most = (len(pairs) - len(drop)) // deals
        if most >= 2:
            break
    options = {"chips": rng.randint(0, 5)} if players == 2 else {}
    if rng.random() < 0.6:
        options["hand_size"] = rng.randint(2, min(most, 9))
    return scout.Game(
        players=players,
        ranks=ranks,
        rounds=rounds,
        drop=drop or rng.choice([None, []]),
        payoff=rng.choice(["score", "margin", "win"]),
        insertions_public=rng.random() < 0.3,
        ends_on_emptying_scout=rng.random() < 0.7,
        max_turns=rng.choice([1, 7, 30, 100, 500]),
        **options,
    )


def compare_variants(rounds: int, seed: int = 0) -> dict[int, Tally]:
    """At least so many rounds of small variants; a tally by number of players."""
    rng = random.Random(seed)
    tallies = {players: Tally() for players in (2, 3, 4, 5)}
    while sum(tally.rounds for tally in tallies.values()) < rounds:
        game = small_variant(rng)
        for match in (1, 2 * rng.randrange(len(STYLES))):
            table = Table(game, seed=rng.getrandbits(48), starter=rng.randrange(game.players))
            table.play(seating(rng, game.players, match), tallies[game.players])
    return tallies


def table_of(tallies: dict[str, Tally]) -> str:
    """The tallies as lines of text."""
    kinds = sorted({kind for tally in tallies.values() for kind in tally.endings})
    lines = []
    for name, tally in tallies.items():
        lines.append(
            f"{name}: {tally.rounds} rounds, {tally.decisions} decisions, {tally.scout_and_shows} Scout & Shows, "
            f"longest hand {tally.longest_hand}, most legal actions {tally.most_actions}"
        )
        lines += [f"    {tally.endings[kind]:7d} {kind}" for kind in kinds if tally.endings[kind]]
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> None:
    """The long comparison."""
    parser = argparse.ArgumentParser(description="Compare the compiled SCOUT with the slow reference.")
    parser.add_argument("--rounds", type=int, default=20_000, help="rounds for each number of players")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    for players in (2, 3, 4, 5):
        tally = compare(scout.Game(players=players, rounds="match"), options.rounds, options.seed)
        sys.stdout.write(table_of({f"{players} players": tally}))
        sys.stdout.flush()
    variants = compare_variants(options.rounds, options.seed)
    sys.stdout.write(table_of({f"small variants, {players} players": tally for players, tally in variants.items()}))


if __name__ == "__main__":
    main()
