"""The text of the fused kernel of a one-step domain: one branch-free loop from columns to decisions.

INVARIANT: the body has no branch and calls nothing, so that the compiler turns it into vector instructions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from racl.domain.model import Choose, Column, Type
from racl.engines.bounds import MOST as LARGEST
from racl.engines.bounds import Bounds, column_interval
from racl.engines.emit import MACHINE, Emitter
from racl.engines.pick import WIDTH
from racl.program import Effect, Program, Term, code_type, score_terms

MOST = repr(LARGEST)  # NaN and infinities fail a comparison with it


def column_types(program: Program) -> dict[str, str]:
    """The array type of every column that is read."""
    code = code_type(program.terms.codes)
    types = {Type.BOOLEAN: "uint8", Type.CATEGORY: code}
    return {name: types.get(program.domain.column(name).type, "float64") for name in program.columns}


def read_columns(program: Program, emitter: Emitter) -> list[str]:
    """Loads of every column; returns the conditions under which the row is not refused."""
    conditions: list[str] = []
    truths: list[str] = []
    codes: list[str] = []
    for number, (name, term) in enumerate(program.columns.items()):
        column, var, raw = program.domain.column(name), f"t{term}", f"c{number}[i]"
        if column.type is Type.BOOLEAN:
            emitter.line(f"r{number} = {raw}")
            emitter.line(f"{var} = r{number} == 1")
            truths.append(f"r{number}")
        else:
            emitter.line(f"{var} = {raw}")
            if column.type is Type.CATEGORY:
                codes.append(var)
            else:
                conditions.extend(f"({condition})" for condition in number_conditions(column, var))
        emitter.known[term] = var
    if truths:
        conditions.append(f"(({' | '.join(truths)}) <= 1)")  # 2 stands for what is refused
    if codes:
        conditions.append(f"(({' | '.join(codes)}) >= 0)")  # -1 stands for what is refused
    return conditions


def number_conditions(column: Column, var: str) -> Iterator[str]:
    """What must hold of a number for its row to be decided."""
    within = column_interval(column)
    yield f"{var} >= {within.low!r}"
    yield f"{var} <= {within.high!r}"
    if column.type is Type.INTEGER:
        yield f"{var} == floor({var})"


def load_weights(program: Program, emitter: Emitter, *, other: bool) -> None:
    """The weights of the row's persona, picked where personas are few, else looked up."""
    rows = weight_rows(program, other=other)
    if rows > WIDTH:
        emitter.line("known_persona = select(persona < 0, 0, np.int64(persona))")
    for position in range(len(program.domain.features) + 1):
        term = program.terms.add("weight", payload=position)
        names = [f"w{index}_{position}" for index in range(rows)]
        if rows > WIDTH:
            text = f"weights[known_persona, {position}]"
        else:
            text = f"pick(persona, {', '.join(names)})" if rows > 1 else names[0]
        emitter.line(f"t{term} = {text}")
        emitter.known[term] = f"t{term}"


def weight_rows(program: Program, *, other: bool) -> int:
    """How many rows of the weights a persona may name."""
    return len(program.domain.personas) + (1 if other and program.domain.rule.persona else 0)


def weight_scalars(program: Program, *, other: bool) -> list[str]:
    """Loads of the weights before the loop, where they are picked."""
    rows = weight_rows(program, other=other)
    if rows > WIDTH:
        return []
    positions = range(len(program.domain.features) + 1)
    return [
        f"w{index}_{position} = weights[{index}, {position}]"
        for index in range(rows)
        for position in positions
    ]


@dataclass(frozen=True, slots=True)
class Candidate:
    """The names of what is known of one repaired state in the text."""

    number: int
    feasible: str
    admissible: str
    value: str
    cost: str


class OneStep:
    """Writes the body of the loop of a one-step domain."""

    def __init__(self, program: Program, *, other: bool, tame: bool) -> None:
        self.program = program
        self.tame = tame
        self.other = other
        self.bounds = Bounds(program)
        self.emitter = Emitter(program.terms, MACHINE, indent=" " * 8)

    def body(self) -> list[str]:
        """The lines of the loop's body."""
        emitter, program = self.emitter, self.program
        conditions = read_columns(program, emitter)
        emitter.line(f"ok = {' & '.join(conditions) or 'True'}")
        persona = program.domain.rule.persona
        if persona is not None:
            emitter.line(f"persona = {emitter.name(program.columns[persona])}")
        load_weights(program, emitter, other=self.other)
        budget, threshold = emitter.need((program.budget, program.threshold))
        emitter.line(f"budget = {budget} + 0.0")
        emitter.line(f"threshold = {threshold}")
        emitter.line(f"ok = ok & (budget >= 0.0) & (budget <= {MOST}) & (abs(threshold) <= {MOST})")
        candidates = [self.keep(), *(self.repaired(n) for n in range(1, len(program.reaches)))]
        self.choose(candidates)
        if program.domain.rule.choose is Choose.CHEAPEST:
            self.choose_cheapest(candidates)
        self.outputs(candidates)
        return emitter.lines

    def all_of(self, terms: tuple[Term, ...]) -> str:
        """That all of these hold."""
        return " & ".join(self.emitter.need(terms)) or "True"

    def check(self, when: str, conditions: list[str]) -> None:
        """The row is refused if not all conditions hold when the repair comes into question."""
        if conditions:
            self.emitter.line(f"ok = ok & ((not {when}) | ({' & '.join(conditions)}))")

    def keep(self) -> Candidate:
        """The candidate as it came."""
        line, reach = self.emitter.line, self.program.reaches[0]
        line(f"f0 = {self.all_of(reach.requirements)}")
        line(f"v0 = {self.emitter.name(score_terms(self.program, reach))}")
        self.check("f0", self.valued("v0"))
        return Candidate(0, "f0", "f0", "v0", "0.0")

    def repaired(self, n: int) -> Candidate:
        """One repair: applies, price, requirements, value."""
        emitter, effect, reach = self.emitter, self.program.effects[n - 1], self.program.reaches[n]
        line = emitter.line
        line(f"a{n} = {emitter.name(effect.applies)}")
        line(f"k{n} = {emitter.name(effect.cost)} + 0.0")
        self.check(f"a{n}", self.priced(effect, n))
        line(f"f{n} = a{n} & {self.all_of(reach.requirements)}")
        line(f"g{n} = f{n} & (k{n} <= budget)")
        score = emitter.name(score_terms(self.program, reach))
        tradeoff = self.program.domain.rule.tradeoff
        line(f"v{n} = {score} - {tradeoff!r} * k{n}" if tradeoff else f"v{n} = {score}")
        self.check(f"g{n}", self.valued(f"v{n}"))
        return Candidate(n, f"f{n}", f"g{n}", f"v{n}", f"k{n}")

    def valued(self, value: str) -> list[str]:
        """What must hold of an admissible value."""
        return [] if self.tame else [f"(abs({value}) <= {MOST})"]

    def priced(self, effect: Effect, n: int) -> list[str]:
        """What must hold of a repair that applies; what can never fail is left out."""
        cost = self.bounds.of(effect.cost)
        conditions = [] if cost.low >= 0 else [f"(k{n} >= 0.0)"]
        conditions += [] if cost.finite else [f"(k{n} <= {MOST})"]
        unsure = [term for term in effect.finite if not self.bounds.of(term).finite]
        return conditions + [f"(abs({name}) <= {MOST})" for name in self.emitter.need(unsure)]

    def choose(self, candidates: list[Candidate]) -> None:
        """The admissible candidate of the highest value, the first of equals."""
        line = self.emitter.line
        for state in ("best = select(f0, v0, -np.inf)", "cost = 0.0", "plan = 0", "feasible = f0"):
            line(state)
        for candidate in candidates[1:]:
            line(f"feasible = feasible | {candidate.feasible}")
            line(f"better = {candidate.admissible} & ({candidate.value} > best)")
            self.take("best", candidate)
        line("some = best > -np.inf")
        line("accepted = best >= threshold")

    def take(self, value: str, candidate: Candidate) -> None:
        """Take the candidate where it is better."""
        for name, taken in (
            (value, candidate.value),
            ("cost", candidate.cost),
            ("plan", str(candidate.number)),
        ):
            self.emitter.line(f"{name} = select(better, {taken}, {name})")

    def choose_cheapest(self, candidates: list[Candidate]) -> None:
        """Of those that reach the threshold the cheapest, then the best, then the first."""
        line = self.emitter.line
        line("cost = select(accepted, np.inf, cost)")
        line("top = select(accepted, -np.inf, best)")
        for candidate in candidates:
            cheaper = f"({candidate.cost} < cost) | (({candidate.cost} == cost) & ({candidate.value} > top))"
            line(
                f"better = accepted & {candidate.admissible} & ({candidate.value} >= threshold) & ({cheaper})"
            )
            self.take("top", candidate)
        line("best = top")

    def outputs(self, candidates: list[Candidate]) -> None:
        """Credit, margin and everything that is written."""
        line, keep = self.emitter.line, candidates[0]
        line("margin = best - threshold")
        line(f"ok = ok & ((not some) | (abs(margin) <= {MOST}))")
        line(f"already = {keep.feasible} & ({keep.value} >= threshold)")
        line("rejected = select(some, select(f0, 4, 5), select(feasible, 3, 2))")
        line("credit = select(accepted, select(already, 0, 1), rejected)")
        line("good = ok & some")
        line("taken = ok & accepted")
        line("out_accepted[i] = taken")
        line("out_credit[i] = select(ok, credit, -1)")
        line("out_plan[i] = select(taken, plan, -1)")
        line("out_value[i] = select(good, best, np.nan)")
        line("out_margin[i] = select(good, margin, np.nan)")
        line("out_cost[i] = select(good, cost, np.nan)")
        line("out_refused[i] = not ok")


OUTPUTS = ("accepted", "credit", "plan", "value", "margin", "cost", "refused")


def source(program: Program, *, other: bool, tame: bool) -> str:
    """The text of the kernel's module.

    `other` where a default preference decides personas that are not declared; `tame` where no value can overflow.
    """
    lines = [*heading(program), *(f"    {line}" for line in weight_scalars(program, other=other))]
    return "\n".join(
        [*lines, "    for i in range(rows):", *OneStep(program, other=other, tame=tame).body(), ""]
    )


def heading(program: Program) -> list[str]:
    """The head of the function: addresses made arrays."""
    columns = [f"c{number}" for number in range(len(program.columns))]
    arrays = [*columns, *(f"out_{name}" for name in OUTPUTS)]
    arguments = ["rows", "personas", "p_weights", *(f"p_{name}" for name in arrays)]
    shape = f"(personas, {len(program.domain.features) + 1})"
    return [
        f"def kernel({', '.join(arguments)}):",
        f"    weights = array(p_weights, {shape})",
        *(f"    {name} = array(p_{name}, rows)" for name in arrays),
    ]
