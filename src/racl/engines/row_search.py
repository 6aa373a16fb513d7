"""Plans of several steps for one row: a depth-first search over generated pieces, with exact pruning."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from racl import elementary
from racl.domain.model import Choose
from racl.engines.bounds import MOST
from racl.engines.emit import SCALAR, Emitter
from racl.engines.outputs import plan_name, plan_number
from racl.program import Effect, Program
from racl.semantics import Credit, Decision, credit_of

State = tuple[Any, ...]
Step = Callable[[State, State], tuple[float, State] | bool | None]
Search = Callable[[State, State, tuple[float, ...], float, float], Decision | None]


@dataclass(frozen=True, slots=True)
class Pieces:
    """Generated functions over (fixed, changed) columns: every repair, the requirements, the features."""

    steps: list[Step]  # None: does not apply; False: cannot be priced or carried out
    feasible: Callable[[State, State], bool]
    features: Callable[[State, State], tuple[float, ...]]


def pieces(program: Program) -> Pieces:
    """The generated functions of a program."""
    effects = [effect_text(program, number, effect) for number, effect in enumerate(program.effects)]
    keep = program.keep
    holds = piece_text(program, "feasible", lambda emitter: " and ".join(emitter.need(keep.requirements)))
    features = piece_text(program, "features", lambda emitter: f"({', '.join(emitter.need(keep.features))},)")
    namespace: dict[str, Any] = {
        name: getattr(elementary, name) for name in ("divide", "floor", "ceil", "sqrt", "log", "exp")
    }
    source = "\n".join([*effects, holds, features])
    exec(compile(source, "<racl steps>", "exec"), namespace)  # noqa: S102 - generated from checked trees, mangled names only
    steps = [namespace[f"step{number}"] for number in range(len(program.effects))]
    return Pieces(steps, namespace["feasible"], namespace["features"])


def opening(program: Program, name: str) -> Emitter:
    """A function of the two groups of columns, unpacked."""
    emitter = Emitter(program.terms, SCALAR)
    emitter.lines.append(f"def {name}(fixed, changed):")
    groups = {
        "changed": [program.columns[column] for column in program.changed],
        "fixed": [term for column, term in program.columns.items() if column not in program.changed],
    }
    for group, terms in groups.items():
        emitter.known.update({term: f"t{term}" for term in terms})
        if terms:
            emitter.line(f"({''.join(f't{term}, ' for term in terms)}) = {group}")
    return emitter


def piece_text(program: Program, name: str, result: Callable[[Emitter], str]) -> str:
    """The text of a function that returns one thing."""
    emitter = opening(program, name)
    emitter.line(f"return {result(emitter)}")
    return "\n".join(emitter.lines)


def effect_text(program: Program, number: int, effect: Effect) -> str:
    """The text of one repair on a state."""
    emitter = opening(program, f"step{number}")
    emitter.line(f"if not {emitter.name(effect.applies)}: return None")
    cost = emitter.name(effect.cost)
    finite = [f"{-MOST!r} <= {name} <= {MOST!r}" for name in emitter.need(effect.finite)]
    emitter.line(f"if not ({' and '.join([f'0.0 <= {cost} <= {MOST!r}', *finite])}): return False")
    after = [effect.sets.get(column, program.columns[column]) for column in program.changed]
    emitter.line(f"return {cost}, ({''.join(f'{name}, ' for name in emitter.need(after))})")
    return "\n".join(emitter.lines)


@dataclass
class _Chosen:
    value: float = -math.inf
    cost: float = math.inf
    steps: tuple[int, ...] = ()


@dataclass
class _Run:
    """One search; `broken` where the row is refused and the definition has to say why."""

    program: Program
    pieces: Pieces
    fixed: State
    weights: tuple[float, ...]
    budget: float
    threshold: float
    best: _Chosen = field(default_factory=_Chosen)
    cheapest: _Chosen = field(default_factory=_Chosen)
    keep_value: float | None = None
    feasible: bool = False
    broken: bool = False

    def visit(self, changed: State, cost: float, steps: tuple[int, ...]) -> None:
        """Judge this end, then go on while a further step may matter."""
        self.judge(changed, cost, steps)
        if self.broken or len(steps) == self.program.domain.rule.steps:
            return
        for number, step in enumerate(self.pieces.steps, start=1):
            if number in steps:
                continue
            after = step(self.fixed, changed)
            if after is False:
                self.broken = not steps
            elif isinstance(after, tuple):
                total = cost + after[0]
                if total <= self.budget or not self.feasible:  # costs only grow: it would change nothing
                    self.visit(after[1], total, (*steps, number))
            if self.broken:
                return

    def judge(self, changed: State, cost: float, steps: tuple[int, ...]) -> None:
        if not self.pieces.feasible(self.fixed, changed):
            return
        if cost > self.budget:
            self.feasible = True
            return
        value = self.value(changed, cost)
        if not math.isfinite(value):
            self.broken = len(steps) <= 1
            return
        self.feasible = True
        if not steps:
            self.keep_value = value
        self.take(value, cost, steps)

    def value(self, changed: State, cost: float) -> float:
        total = self.weights[0]
        for weight, feature in zip(self.weights[1:], self.pieces.features(self.fixed, changed), strict=True):
            total = total + weight * feature
        tradeoff = self.program.domain.rule.tradeoff
        return total - tradeoff * cost if tradeoff else total

    def take(self, value: float, cost: float, steps: tuple[int, ...]) -> None:
        """Remember the option where it beats what is known; visits come in the order that breaks ties of equal length."""
        best, cheapest = self.best, self.cheapest
        if value > best.value or (value == best.value and len(steps) < len(best.steps)):
            self.best = _Chosen(value, cost, steps)
        if value >= self.threshold:
            rank = (cost, -value, len(steps))
            if rank < (cheapest.cost, -cheapest.value, len(cheapest.steps)):
                self.cheapest = _Chosen(value, cost, steps)


def searcher(program: Program) -> Search:
    """A function from columns, weights, budget and threshold to the decision; None where the row is refused."""
    generated = pieces(program)
    cheapest = program.domain.rule.choose is Choose.CHEAPEST

    def search(
        fixed: State, changed: State, weights: tuple[float, ...], budget: float, threshold: float
    ) -> Decision | None:
        run = _Run(program, generated, fixed, weights, budget, threshold)
        run.visit(changed, 0.0, ())
        if run.broken:
            return None
        if run.best.value == -math.inf:
            credit = Credit.OVER_BUDGET if run.feasible else Credit.NON_REPAIRABLE
            return Decision(accepted=False, credit=credit, plan=None, value=None, margin=None, cost=None)
        accepted = run.best.value >= threshold
        chosen = run.cheapest if accepted and cheapest else run.best
        margin = chosen.value - threshold
        if not math.isfinite(margin):
            return None
        already = run.keep_value is not None and run.keep_value >= threshold
        credit = credit_of(accepted, already, run.keep_value is not None)
        name = plan_name(program, plan_number(program, chosen.steps)) if accepted else None
        return Decision(accepted, credit, name, chosen.value, margin, chosen.cost)

    return search
