"""The text of the kernel of a domain whose plans take several steps: a nest of loops over repairs, exactly pruned.

What is left out can change nothing:
- past the budget, once some plan is known to be feasible: costs only grow;
- a last step that leaves some unmet requirement as it is;
- a last step that changes no feature, on a state that is an end already: a shorter plan is worth as much;
- two neighbouring steps that do not touch each other, in descending order, if both orders cost the same to the bit:
  the ascending order leads to the same state and wins the tie.
"""

from __future__ import annotations

from racl.domain.model import Choose
from racl.engines.bounds import MOST
from racl.engines.emit import MACHINE, Emitter
from racl.engines.kernel_source import heading, read_columns
from racl.program import Effect, Program, Reach, Term, score_terms

INNER = "    "


def source(program: Program) -> str:
    """The text of the kernel's module."""
    commute = ", ".join(str([int(one) for one in row]) for row in commuting(program))
    table = f"commute = np.array([{commute}], np.bool_)"
    body = ManySteps(program).body()
    return "\n".join([table, *heading(program), "    for i in range(rows):", *body, ""])


def reads(program: Program, terms: tuple[Term, ...]) -> frozenset[str]:
    """The columns that terms depend on."""
    found: set[str] = set()
    pending, seen = list(terms), set[Term]()
    while pending:
        term = pending.pop()
        if term not in seen:
            seen.add(term)
            step = program.terms.steps[term]
            pending.extend(step.arguments)
            if step.op == "column":
                found.add(str(step.payload))
    return frozenset(found)


def effect_reads(program: Program, effect: Effect) -> frozenset[str]:
    """The columns that a repair depends on."""
    return reads(program, (effect.applies, effect.cost, *effect.sets.values(), *effect.finite))


def commuting(program: Program) -> list[list[bool]]:
    """For repairs numbered from 1 (row and column 0 are padding): neither reads nor sets what the other sets."""
    touched = [
        (effect_reads(program, effect) | effect.sets.keys(), effect.sets.keys()) for effect in program.effects
    ]
    rows = [[not (a & sets_b or b & sets_a) for b, sets_b in touched] for a, sets_a in touched]
    size = len(touched) + 1
    return [[False] * size, *([False, *row] for row in rows)]


class ManySteps:
    """Writes the body of the loop over rows."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.cheapest = program.domain.rule.choose is Choose.CHEAPEST
        self.row = Emitter(program.terms, MACHINE, indent=INNER * 2)
        self.changed = {program.columns[name] for name in program.changed}

    def body(self) -> list[str]:
        """The lines of the loop's body."""
        row, program = self.row, self.program
        conditions = read_columns(program, row)
        row.line(f"ok = {' & '.join(conditions) or 'True'}")
        persona = program.domain.rule.persona
        index = "0" if persona is None else f"np.int64({row.name(program.columns[persona])})"
        row.line(f"persona = max({index}, 0)")
        for position in range(len(program.domain.features) + 1):
            term = program.terms.add("weight", payload=position)
            row.line(f"t{term} = weights[persona, {position}]")
            row.known[term] = f"t{term}"
        budget, threshold = row.need((program.budget, program.threshold))
        row.line(f"budget = {budget} + 0.0")
        row.line(f"threshold = {threshold}")
        row.line(f"ok = ok & (budget >= 0.0) & (budget <= {MOST!r}) & (abs(threshold) <= {MOST!r})")
        self.start()
        row.line("if ok:")
        self.state(row.block(INNER), 0)
        self.finish()
        return row.lines

    def start(self) -> None:
        """What is known before the first state, and every term that no repair changes."""
        self.row.line("best = -np.inf; cost = 0.0; length = 0; plan = -1")
        self.row.line("cheap = np.inf; cheap_value = -np.inf; cheap_length = 0; cheap_plan = -1")
        self.row.line("feasible = False; keep = False; keep_value = 0.0; n0 = 0; k0 = 0.0")
        for term in self.fixed_terms():
            self.row.name(term)

    def fixed_terms(self) -> list[Term]:
        """The terms that are the same in every state of a row, found by what they depend on."""
        reach = [*self.program.keep.requirements, *self.program.keep.features]
        roots = [
            root
            for effect in self.program.effects
            for root in (effect.applies, effect.cost, *effect.sets.values())
        ]
        varying: set[Term] = set(self.changed)
        found: list[Term] = []
        for term in self.below([*reach, *roots]):
            if term in varying or not varying.isdisjoint(self.program.terms.steps[term].arguments):
                varying.add(term)
            else:
                found.append(term)
        return found

    def below(self, roots: list[Term]) -> list[Term]:
        """All terms that these depend on, earlier ones first."""
        seen: set[Term] = set()
        pending = list(roots)
        while pending:
            term = pending.pop()
            if term not in seen:
                seen.add(term)
                pending.extend(self.program.terms.steps[term].arguments)
        return sorted(seen)

    # states

    def state(self, at: Emitter, level: int) -> None:
        """A state that is reached: judge it, then try every further repair on it."""
        at.prefix = f"t{level}_"
        requirements = at.need(self.program.keep.requirements)
        at.line(f"e{level} = False")
        at.line(f"if {' & '.join(requirements)}:")
        self.end(at.block(INNER), level, self.program.keep, f"k{level}")
        if level + 1 == self.program.domain.rule.steps:
            for number, effect in enumerate(self.program.effects, start=1):
                self.last(at, level + 1, number, effect, requirements)
        else:
            self.further(at, level + 1)

    def end(self, at: Emitter, level: int, reach: Reach, cost: str, step: str = "") -> None:
        """A feasible state: over budget, or an option; either way the end counts, unless its value is not finite."""
        at.line(f"if {cost} > budget:")
        at.line(f"    feasible = True; e{level} = True")
        at.line("else:")
        option = at.block(INNER)
        tradeoff = self.program.domain.rule.tradeoff
        score = option.name(score_terms(self.program, reach))
        option.line(f"value = {score} - {tradeoff!r} * {cost}" if tradeoff else f"value = {score}")
        option.line(f"if abs(value) <= {MOST!r}:")
        option.line(f"    feasible = True; e{level} = True")
        if level == 0:
            option.line("    keep = True; keep_value = value")
        plan = self.plan(level, step or f"r{level}")
        option.line(f"    if value > best or (value == best and {level} < length):")
        option.line(f"        best = value; cost = {cost}; length = {level}; plan = {plan}")
        if self.cheapest:
            more = f"value > cheap_value or (value == cheap_value and {level} < cheap_length)"
            option.line(f"    if value >= threshold and ({cost} < cheap or ({cost} == cheap and ({more}))):")
            option.line(
                f"        cheap = {cost}; cheap_value = value; cheap_length = {level}; cheap_plan = {plan}"
            )
        if level <= 1:
            option.line("else:")
            option.line("    ok = False")

    def plan(self, level: int, last: str) -> str:
        """The number of the plan whose last step is this one."""
        base = len(self.program.effects) + 1
        steps = [f"r{place}" for place in range(1, level)] + ([last] if level else [])
        return " + ".join(f"{step} * {base**place}" for place, step in enumerate(steps)) or "0"

    def further(self, at: Emitter, level: int) -> None:
        """A loop over the repairs of one step that is not the last."""
        at.line(f"for r{level} in range(1, {len(self.program.effects) + 1}):")
        loop = at.block(INNER)
        for earlier in range(1, level):
            loop.line(f"if r{level} == r{earlier}: continue")
        loop.line("go = False; price = 0.0")
        for term in sorted(self.changed):
            loop.line(f"s{level}_{term} = {at.known[term]}")
        for number, effect in enumerate(self.program.effects, start=1):
            loop.line(f"{'if' if number == 1 else 'elif'} r{level} == {number}:")
            self.step(loop.block(INNER), level, effect)
        loop.line("if not go: continue")
        loop.line(f"k{level} = k{level - 1} + price")
        loop.line(f"if k{level} > budget and feasible: continue")
        if level > 1:
            swapped = f"k{level - 2} + price + n{level - 1} == k{level}"
            loop.line(
                f"if r{level} < r{level - 1} and commute[r{level - 1}, r{level}] and {swapped}: continue"
            )
        loop.line(f"n{level} = price")
        below = Emitter(self.program.terms, MACHINE, loop.lines, loop.indent, dict(self.row.known))
        below.known.update({term: f"s{level}_{term}" for term in self.changed})
        self.state(below, level)

    def step(self, at: Emitter, level: int, effect: Effect) -> None:
        """One repair on the state above, in its arm of the choice."""
        at.line(f"if {at.name(effect.applies)}:")
        applied = at.block(INNER)
        applied.line(f"price = {applied.name(effect.cost)}")
        applied.line(f"go = {self.sound('price', applied, effect)}")
        if level == 1:
            applied.line("ok = ok & go")
        for name, term in effect.sets.items():
            if self.program.columns[name] in self.changed:
                applied.line(f"s{level}_{self.program.columns[name]} = {applied.name(term)}")

    def sound(self, price: str, at: Emitter, effect: Effect) -> str:
        """That the repair can be priced and carried out."""
        finite = "".join(f" & (abs({name}) <= {MOST!r})" for name in at.need(effect.finite))
        return f"({price} >= 0.0) & ({price} <= {MOST!r}){finite}"

    def last(self, at: Emitter, level: int, number: int, effect: Effect, requirements: list[str]) -> None:
        """One repair as the last step, judged at once: only what it changes is computed again."""
        before, after = self.program.keep, self.program.reaches[number]
        pairs = list(zip(before.requirements, after.requirements, requirements, strict=True))
        untouched = [name for old, new, name in pairs if old == new]
        guards = [f"r{earlier} != {number}" for earlier in range(1, level)] + untouched
        if before.features == after.features:
            guards.append(f"(not e{level - 1})")
        at.line(f"if {' and '.join(guards) or 'True'}:")
        tried = at.block(INNER)
        tried.line(f"if {tried.name(effect.applies)}:")
        applied = tried.block(INNER)
        applied.line(f"price = {applied.name(effect.cost)}")
        applied.line(f"total = k{level - 1} + price")
        sound = self.sound("price", applied, effect)
        applied.line(
            f"if ({sound}) and (total <= budget or not feasible) and not ({self.swapped(level, number)}):"
        )
        priced = applied.block(INNER)
        priced.line(f"if {' & '.join(priced.need([new for old, new, _ in pairs if old != new])) or 'True'}:")
        self.end(priced.block(INNER), level, after, "total", str(number))

    def swapped(self, level: int, number: int) -> str:
        """That the last two steps in the other order lead to the same end at the same cost."""
        before = f"r{level - 1}"
        same = f"k{level - 2} + price + n{level - 1} == total"
        return f"{before} > {number} and commute[{before}, {number}] and {same}"

    def finish(self) -> None:
        """The verdict and the outputs of the row."""
        line = self.row.line
        line("some = plan >= 0")
        line("accepted = some and best >= threshold")
        if self.cheapest:
            line("if accepted:")
            line("    best = cheap_value; cost = cheap; plan = cheap_plan")
        line("margin = best - threshold")
        line(f"ok = ok and (not some or abs(margin) <= {MOST!r})")
        line("rejected = (4 if keep else 5) if some else (3 if feasible else 2)")
        line("credit = (0 if keep and keep_value >= threshold else 1) if accepted else rejected")
        line("out_accepted[i] = ok and accepted")
        line("out_credit[i] = credit if ok else -1")
        line("out_plan[i] = plan if ok and accepted else -1")
        for name, value in (("value", "best"), ("margin", "margin"), ("cost", "cost")):
            line(f"out_{name}[i] = {value} if ok and some else np.nan")
        line("out_refused[i] = not ok")
