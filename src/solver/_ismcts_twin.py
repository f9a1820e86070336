"""The readable twin of the compiled search tree, over any game of `solver.protocol`, and what the two share."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from solver import _ismcts
from solver._core import Rng
from solver._protocol_checks import LONGEST, checked_outcomes, checked_returns, endless, listed
from solver.errors import SearchError
from solver.protocol import CHANCE_PLAYER

__all__ = ["OUTLINE", "PythonTree", "Style", "by_policy", "derive_payoffs"]

OUTLINE = 200  # parts of the iterations that a node needs to be kept in a result
_WIDENING_VISITS = 100  # as in the compiled tree
_MOST_BEHIND = 6.0  # likewise
_LINE = 8  # moves of the line of play


class Style(NamedTuple):
    """How a search plays beyond its tree's own choices; the options of `search` of these names."""

    rollout: str = "random"
    opponents: str = "tree"
    horizon: int = -1
    widening: int = 0
    exploration: float = 0.7
    depth: int = 0
    root: str = "ucb"
    selection: str = "ucb"
    temperature: float = 1.0
    first_play: float | None = None
    trees: str = "single"
    redeal: str = "none"
    epsilon: float = 0.0
    own: str = "policy"
    bias: float = 0.0

    def for_tree(self) -> dict[str, Any]:
        """As the compiled tree takes it."""
        return {
            "exploration": self.exploration,
            "policy_rollouts": self.rollout == "policy",
            "policy_rivals": self.opponents == "policy",
            "horizon": self.horizon,
            "widening": self.widening,
            "depth": self.depth,
            "halving": self.root == "halving",
            "first_play": self.urgency,
            "temperature": self.temperature if self.selection == "puct" else 0.0,
            "multiple": self.trees == "multiple",
            "redealing": self.redeal == "opponents",
            "bias": self.bias,
        }

    @property
    def urgency(self) -> float:
        """What an option never tried counts as, in standard deviations above the mean of those tried."""
        if self.first_play is not None:
            return self.first_play
        return 0.0 if self.selection == "puct" else math.inf


class _Step:
    """Statistics of one step from an information state, as `node_t` of the compiled tree."""

    def __init__(self) -> None:
        self.visits = 0
        self.available = 0
        self.total = 0.0
        self.squares = 0.0
        self.action = -1


class PythonTree:
    """The search tree over any game of the protocol: the same algorithm as the compiled one.

    Parameters
    ----------
    sample : callable
        Takes an `Rng`, returns a full state that fits what the observer knows.
    observer : int
        The seat that searches.
    rng : Rng
    max_nodes : int
    payoff : str or None
        How `returns` is read: None as it is; "score", "margin" or "win" derived from it.
    style : Style, optional
        With `opponents="policy"` the moves of the others take no nodes here, unlike in the compiled
        tree, so that a bound of nodes means something else; so does it with `trees="multiple"`, where what
        a seat sees of the others' moves takes none. Policies, horizon and widening need states
        with the methods of `solver.protocol.PolicyState`, and `redeal` ones with `observed_actions`.
    redeal : callable, optional
        Takes a full state, the seat to decide and an `Rng`, returns another state that fits what that seat
        knows. Needed by a style with `redeal`.
    """

    def __init__(
        self,
        sample: Callable[[Rng], Any],
        observer: int,
        rng: Rng,
        max_nodes: int,
        payoff: str | None = None,
        style: Style | None = None,
        redeal: Callable[[Any, int, Rng], Any] | None = None,
    ) -> None:
        self.sample = sample
        self.redeal = redeal
        self.style = style or Style()
        self.observer = observer
        self.rng = rng
        self.max_nodes = max_nodes
        self.payoff = payoff
        # information state string of the observer (or see `_place`) -> what it sees of a step -> statistics
        self.steps: dict[Any, dict[Any, _Step]] = {}
        self.visits: dict[Any, int] = {}
        # of an earlier tree: what was not reached yet
        self.earlier: dict[Any, tuple[dict[Any, _Step], int]] = {}
        self.root: dict[Any, _Step] | None = None
        self.num_nodes = 1
        self.iterations = 0
        self.mean = 0.0
        self.squares = 0.0
        # halving: the options left at the root, whose turn it is, what they all start from in this turn
        self.budget = 0
        self.survivors: list[Any] = []
        self.shortfalls: dict[Any, float] = {}
        self.turn = self.phases = self.phase = 0
        self.dealt: Any = None
        self.chance = rng

    def run(self, iterations: int, budget: int = 0) -> None:
        """Grow the tree by so many iterations, of about `budget` (0: these) in all calls together."""
        self.budget = budget or self.iterations + iterations
        for _ in range(iterations):
            self._iterate()

    def adopt(self, earlier: PythonTree) -> int:
        """Begin with what an earlier tree of the same seat found; what is not reached of it takes no nodes.

        Returns
        -------
        int
            Visits of the options at the root that were taken over; 0: none, and the tree is as it was.
        """
        here = self.sample(copy.copy(self.rng)).information_state_string(self.observer)
        kept = sum(step.visits for step in earlier.steps.get(here, {}).values())
        if kept:
            self.earlier = {place: (steps, earlier.visits.get(place, 0)) for place, steps in earlier.steps.items()}
            self.root = self._reach(here)
            self.mean = earlier.mean
            self.squares = earlier.squares / earlier.iterations * kept
            self.iterations = kept
        return kept

    def _reach(self, here: Any) -> dict[Any, _Step]:
        """The steps from a node, which is made or taken over from an earlier tree."""
        steps = self.steps.get(here)
        if steps is None:
            steps, visits = self.earlier.pop(here, ({}, 0))
            self.steps[here] = steps
            self.num_nodes += len(steps)
            if visits:
                self.visits[here] = visits
        return steps

    def _options(self, state: Any, seat: int | None = None) -> dict[Any, list[int]]:
        """Legal actions, grouped by what a seat (None: the observer) sees of them."""
        seat = self.observer if seat is None else seat
        groups: dict[Any, list[int]] = {}
        if hasattr(state, "observed_actions"):
            for action, key in state.observed_actions(seat):
                groups.setdefault(key, []).append(action)
            return groups
        player = state.current_player()
        for action in listed(state.legal_actions(), "legal actions"):
            key = action if player == seat else state.child(action).information_state_string(seat)
            groups.setdefault(key, []).append(action)
        return groups

    def _place(self, state: Any, seat: int, seen: dict[int, tuple[Any, ...]]) -> Any:
        """What a seat's tree calls the node of a state.

        The observer's nodes are its information states. Another seat's in its own tree, and in the observer's
        where hands are dealt anew, are what was seen of the steps, since it does not count there what the seat
        holds.
        """
        if seat != self.observer and not hasattr(state, "observed_actions"):
            return (seat, state.information_state_string(seat))
        if seat != self.observer or (seat != state.current_player() and self.style.redeal != "none"):
            return (seat, seen[seat])
        return state.information_state_string(seat)

    def _see(self, state: Any, action: int, here: Any, seen: dict[int, tuple[Any, ...]]) -> None:
        """Write down what each seat sees of an action that is still to come, as far as places need it."""
        player = state.current_player()
        for seat in seen:
            if seat == self.observer == player:
                seen[seat] = (here,)  # its own decision starts anew
            seen[seat] += ((player, dict(state.observed_actions(seat))[action]),)

    def _chance(self, state: Any) -> None:
        """Let chance decide, until a seat does or the game ends."""
        moves = 0
        while state.current_player() == CHANCE_PLAYER:
            moves += 1
            if moves > LONGEST:
                raise endless(type(state))
            outcomes = checked_outcomes(state.chance_outcomes())
            ends = np.cumsum([p for _, p in outcomes])
            drawn = int(np.searchsorted(ends, self.rng.random() * ends[-1], side="right"))
            state.apply_action(outcomes[min(drawn, len(outcomes) - 1)][0])

    def _open_next(
        self, state: Any, groups: dict[Any, list[int]], untried: list[Any], room: bool, priors: dict[Any, float]
    ) -> Any:
        """Of the options never tried the one to try now, None for none; as `open_next` of the compiled tree."""
        if not untried:
            return None
        if not self.style.widening:
            best = max(priors.get(key, 0.0) for key in untried)
            return self.rng.choice([key for key in untried if priors.get(key, 0.0) == best])
        scores = self._scores(state, groups)
        free = [key for key in untried if scores[key] == math.inf]
        if free:
            return self.rng.choice(free)
        return max(untried, key=lambda key: scores[key]) if room else None

    def _learnt(self, state: Any) -> bool:
        """Whether the seat to decide goes by the rule that is learnt."""
        return self.style.own == "learnt" and state.current_player() == self.observer

    def _scores(self, state: Any, groups: dict[Any, list[int]]) -> dict[Any, float]:
        """How good each option looks: as the best of the actions that look the same to the observer."""
        scores = state.learnt_scores() if self._learnt(state) else state.action_scores()
        by_action = dict(zip(state.legal_actions(), scores, strict=True))
        return {key: max(by_action[action] for action in group) for key, group in groups.items()}

    def _priors(self, state: Any, groups: dict[Any, list[int]]) -> dict[Any, float]:
        """The share of each option in the exploration, as `set_priors` of the compiled tree."""
        scores = self._scores(state, groups)
        best = max((score for score in scores.values() if score != math.inf), default=0.0)
        weights = {key: math.exp((min(score, best) - best) / self.style.temperature) for key, score in scores.items()}
        total = sum(weights.values())
        return {key: weight / total for key, weight in weights.items()}

    def _shortfalls(self, scores: dict[Any, float]) -> dict[Any, float]:
        """What the scores of the candidates take from their pay-offs under halving."""
        best = max((score for score in scores.values() if score != math.inf), default=math.inf)
        return {
            key: self.style.bias * max(score - best, -_MOST_BEHIND) if score < best else 0.0
            for key, score in scores.items()
        }

    @staticmethod
    def _bound(step: _Step, scale: float, prior: float | None) -> float:
        if prior is not None:
            return step.total / step.visits + scale * prior * math.sqrt(step.available) / (1 + step.visits)
        return step.total / step.visits + scale * math.sqrt(math.log(step.available) / step.visits)

    def _deal(self) -> Any:
        """A full state; under halving all options in turn play from one, with one stream."""
        halves = self.style.root == "halving"
        if halves and self.dealt is not None and (self.turn or not self.phases):
            self.rng = copy.copy(self.chance)
            return self.dealt.clone()
        state = self.sample(self.rng)
        if halves:
            self.dealt = state.clone()
            self.chance = copy.copy(self.rng)
        return state

    def _next_survivor(self) -> Any:
        """What to play next at the root, as `next_survivor` of the compiled tree."""
        steps = cast(dict[Any, _Step], self.root)
        # only after whole turns, in which all have played the same deals
        while (
            self.turn == 0
            and self.phase + 1 < self.phases
            and self.phases * self.iterations >= (self.phase + 1) * self.budget
        ):
            self.survivors.sort(key=lambda key: -(steps[key].total + self.shortfalls.get(key, 0.0)) / steps[key].visits)
            del self.survivors[(len(self.survivors) + 1) // 2 :]
            self.phase += 1
        key = self.survivors[self.turn]
        self.turn = (self.turn + 1) % len(self.survivors)
        return key

    def _iterate(self) -> None:
        state = self._deal()
        spread = math.sqrt(self.squares / self.iterations) if self.iterations > 1 else 0.0
        scale = self.style.exploration * spread
        # while all pay-offs were the same, nothing says how far above the mean another may lie
        competing = self.style.urgency < math.inf and spread > 0
        redealing = self.style.redeal != "none"
        multiple = self.style.trees == "multiple"
        watching = range(state.game.num_players()) if multiple and hasattr(state, "observed_actions") else ()
        seen: dict[int, tuple[Any, ...]] = dict.fromkeys(watching or (self.observer,) * redealing, ())
        due = redealing and self.rng.random() < 0.5
        redealt = others_turn = False
        path: list[tuple[_Step, int]] = []
        in_tree = True
        moves = length = 0
        while in_tree and not state.is_terminal():
            length += 1
            if length > LONGEST:
                raise endless(type(state))
            self._chance(state)
            if state.is_terminal():
                break
            player = state.current_player()
            if player < 0:
                raise SearchError("games with simultaneous moves cannot be searched: convert them to turns first")
            if self.style.depth and moves == self.style.depth:
                break
            moves += player == self.observer
            if player != self.observer and self.style.opponents == "policy":
                # Its move is chance: what its policy plays with the hand that was drawn for it.
                state.apply_action(by_policy(state, self.style.epsilon, self.rng))
                continue
            if player == self.observer:
                if redealt:
                    break  # it holds other cards than its nodes are of
                others_turn = False
            elif not others_turn:
                others_turn = True
                if due and self.rng.random() < 0.5:
                    state = cast(Callable[[Any, int, Rng], Any], self.redeal)(state, player, self.rng)
                    due, redealt = False, True
                    path.clear()
            tree = player if multiple else self.observer
            here = self._place(state, tree, seen)
            steps = self._reach(here)
            groups = self._options(state, tree)
            self.visits[here] = self.visits.get(here, 0) + 1
            untried = [key for key in groups if key not in steps]
            tried = [key for key in groups if key in steps]
            for key in tried:
                steps[key].available += 1
            may_grow = self.root is None or steps is self.root or self.num_nodes < self.max_nodes
            doublings = (1 + (self.visits[here] - 1) // _WIDENING_VISITS).bit_length() - 1
            halves = self.style.root == "halving" and (self.root is None or steps is self.root)
            room = not tried or len(tried) < self.style.widening + (0 if halves else doublings)
            in_turn = halves and self.phases > 0
            priors = self._priors(state, groups) if self.style.selection == "puct" and not halves else {}
            bounds = {key: self._bound(steps[key], scale, priors.get(key)) for key in tried} if not in_turn else {}
            key = None
            if not in_turn and (may_grow or not tried):
                key = self._open_next(state, groups, untried, room, priors)
            if key is not None and tried and competing and not halves:
                mean = sum(steps[k].total for k in tried) / sum(steps[k].visits for k in tried)
                worth = mean + self.style.urgency * spread
                if priors:
                    worth += scale * priors[key] * math.sqrt(self.visits[here])
                if worth <= max(bounds.values()):
                    key = None
            if redealing and player != self.observer and not redealt:
                if key is not None or not tried:
                    break  # it learns nothing here: what it has not tried yet the rollout may play
                # As often as tried before: to the greatest bound the observer would learn an answer.
                often = np.cumsum([steps[k].visits for k in tried])
                key = tried[int(np.searchsorted(often, int(self.rng.random() * often[-1]), side="right"))]
                action = self.rng.choice(groups[key])
                self._see(state, action, here, seen)
                state.apply_action(action)
                continue
            if in_turn:
                key = self._next_survivor()
            elif halves and key is None:
                # All candidates have been tried, each from the same deal: the turns begin, with another.
                self.survivors = list(steps)
                self.phases = max(1, (len(steps) - 1).bit_length())
                if self.style.bias:
                    self.shortfalls = self._shortfalls(self._scores(state, {key: groups[key] for key in steps}))
                self._iterate()
                return
            elif key is not None:
                in_tree = False
                if may_grow:
                    steps[key] = _Step()
                    # where options compete at their first try, as if legal at each visit of the node before
                    steps[key].available = self.visits[here] if self.style.urgency < math.inf else 1
                    self.num_nodes += 1
                    self.root = self.root if self.root is not None else steps
            else:
                key = max(tried, key=lambda k: bounds[k])
            action = self.rng.choice(groups[key])
            if key in steps:
                path.append((steps[key], player))
                steps[key].action = action
            self._see(state, action, here, seen)
            state.apply_action(action)
        payoffs = derive_payoffs(checked_returns(self._rollout(state)), self.payoff)
        for step, player in path:
            if redealing and (player != self.observer) != redealt:
                continue
            step.visits += 1
            step.total += payoffs[player]
            step.squares += payoffs[player] ** 2
        self.iterations += 1
        delta = payoffs[self.observer] - self.mean
        self.mean += delta / self.iterations
        self.squares += delta * (payoffs[self.observer] - self.mean)

    def _rollout(self, state: Any) -> list[float]:
        """Play from the edge of the tree on; returns, or their estimate where the horizon cuts."""
        planned = self.style.rollout == "policy"
        until = state.horizon_clock() + self.style.horizon if planned and self.style.horizon >= 0 else None
        length = 0
        while not state.is_terminal():
            length += 1
            if length > LONGEST:
                raise endless(type(state))
            self._chance(state)
            if state.is_terminal():
                break
            if until is not None and state.horizon_clock() >= until:
                return list(state.estimated_returns())
            if planned:
                state.apply_action(by_policy(state, self.style.epsilon, self.rng, self._learnt(state)))
            else:
                state.apply_action(self.rng.choice(state.legal_actions()))
        return list(state.returns())

    def children(self, action_path: Sequence[int] = ()) -> NDArray[Any]:
        """Statistics of the observer's options at the root (or, one step on, of a two-step move)."""
        state = self.sample(self.rng)
        for action in action_path:
            state.apply_action(action)
        steps = self.steps.get(state.information_state_string(self.observer), {})
        if not state.is_terminal() and state.current_player() != self.observer:
            steps = {}
        rows = [(s.action, s.visits, s.total, s.squares) for s in steps.values() if s.visits]
        return np.array(sorted(rows), _ismcts.CHILD_DTYPE)

    def line(self, best: int) -> tuple[tuple[Any, ...], ...]:
        """The most visited moves after the best action, up to where chance decides or the tree ends.

        Returns
        -------
        tuple of (seat, words, share of the visits or None for the observer's own, "", None)
        """
        state = self.sample(self.rng)
        state.apply_action(best)
        moves: list[tuple[Any, ...]] = []
        while len(moves) < _LINE and not state.is_terminal() and state.current_player() != CHANCE_PLAYER:
            player = state.current_player()
            steps = self.steps.get(state.information_state_string(self.observer), {})
            groups = {key: group for key, group in self._options(state).items() if key in steps}
            visits = sum(steps[key].visits for key in groups)
            if not visits or visits < self.iterations / OUTLINE:
                break
            key = max(groups, key=lambda key: steps[key].visits)
            share = None if player == self.observer else steps[key].visits / visits
            words = str(state.action_to_string(player, groups[key][0]))
            moves.append((player, words, share, "", None))
            state.apply_action(groups[key][0])
        return tuple(moves)


def by_policy(state: Any, epsilon: float, rng: Rng, learnt: bool = False) -> int:
    """What the rollout policy plays, or the rule that is learnt; with the chance `epsilon` any legal action."""
    if epsilon and rng.random() < epsilon:
        return int(rng.choice(state.legal_actions()))
    return int(state.learnt_action(rng) if learnt else state.policy_action(rng))


def derive_payoffs(returns: Sequence[float], payoff: str | None) -> list[float]:
    """Pay-off by seat from a game's returns.

    Parameters
    ----------
    returns : sequence of float
    payoff : {"score", "margin", "win"} or None
        As they are; own minus the mean of the others'; 1 for the greatest, shared on ties; None is
        "score".
    """
    values = [float(value) for value in returns]
    if payoff == "margin":
        total = math.fsum(values)
        return [value - (total - value) / (len(values) - 1) for value in values]
    if payoff == "win":
        best = max(values)
        return [(value == best) / values.count(best) for value in values]
    return values
