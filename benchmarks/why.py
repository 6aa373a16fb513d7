"""Why our run differs from the paper where it does, one thing changed at a time; `python benchmarks/why.py [--tickets FILE]`.

Each experiment is a table on the page on reproduction. Nothing is chosen by any of them. Results go to
benchmarks/results/why.json after each experiment.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from racl.bench import altered
from racl.bench.models import MODELS, certified, racl, recipe_of
from racl.bench.stress import limited
from racl.bench.study import machine
from racl.bench.sweeps import break_even, brief, on_test
from racl.bench.tables import number
from racl.bench.tickets import Tickets, read_tickets
from racl.bench.tier import Noise, Rows, Tier, domain_file
from racl.bench.tiers import tier
from racl.domain.files import parse_domain
from racl.learn.baselines.boosting import Examples
from racl.learn.baselines.judge import as_they_came, repaired
from racl.learn.guards import NONE, Guard
from racl.learn.recipe import Learned, learn
from racl.learn.select import scored
from racl.metrics.compare import paired
from racl.metrics.judged import Judged, judged, judged_states
from racl.metrics.ranking import auroc
from racl.metrics.trial import trial
from racl.options import Floats, expand
from racl.report.page import Table

WHERE = Path(__file__).parent / "results" / "why.json"
MAIN, SEED = "db1b-dist", 1
CUT = 1000.0  # where the fares of the real file were cut off
SPANS = (2.0, 3.0, 4.0, 5.0, 10.0)
DRAWS = range(501, 508)  # seeds of tiers drawn anew
FULL, GUARDED, SEARCH = "anchors-fixed", "anchors-validated", "black-box-repair"


# tiers with one thing changed ------------------------------------------------------------------------


def labelled(rows: Rows, noise: float, seed: int) -> Rows:
    """The rows with labels of so much noise."""
    labels = Noise(noise, np.random.default_rng(seed)).labels(rows.truth)
    return replace(rows, labels=labels, truth=replace(rows.truth, labels=labels))


def noisy(made: Tier, noise: float) -> Tier:
    """A tier whose labels have so much noise."""
    return replace(made, train=labelled(made.train, noise, 1), test=labelled(made.test, noise, 2))


def without_repair(made: Tier, name: str) -> Tier:
    """A tier where nobody, the truth included, has one of the repairs."""
    number = [one.name for one in made.domain.repairs].index(name) + 1

    def left(rows: Rows) -> Rows:
        options, known = (altered.of_states(one, one.plan != number) for one in (rows.options, rows.known))
        return limited(
            replace(rows, options=options, known=known), made.truth.weights, number + len(made.domain.repairs)
        )

    return replace(made, train=left(made.train), test=left(made.test))


def crooked(made: Tier) -> Tier:
    """A tier whose learners see fare and distance, and not how dear a trip is for its length, which the truth is linear in."""
    text = domain_file(made.name)
    line = next(one for one in text.splitlines() if one.startswith("price "))
    domain = parse_domain(text.replace(line, 'price    = "fare / 500"\nmiles    = "distance / 1000"'))
    train, test = (replace(one, options=expand(domain, one.frame)) for one in (made.train, made.test))
    return replace(made, domain=domain, train=train, test=test)


def cut(tickets: Tickets) -> Tickets:
    """The tickets whose fares are below the cut."""
    return tickets.take(np.flatnonzero(tickets.fare < CUT))


def of_fares_cut() -> Tier:
    """DB1B-dist from drawn tickets without those that the real file lacks."""
    from racl.bench.profile import draw_tickets, shipped

    return tier(MAIN, tickets=cut(draw_tickets(shipped(), 80_000, np.random.default_rng(7))))


# who is compared -------------------------------------------------------------------------------------


def decided(made: Tier, *names: str) -> dict[str, Judged]:
    """What models of the benchmark decide on the test rows of a tier."""
    return {name: MODELS[name].learner(made, made.train, SEED).judge(made.test) for name in names}


def searched(made: Tier, classifier: Any) -> Judged:
    """RepairSearch with a classifier that is fitted as it comes."""
    sample = made.train.sample
    examples = Examples(
        as_they_came(sample.options).columns(), sample.accepted, sample.weight, sample.choice_set
    )
    classifier.fit(examples.columns, examples.answer)
    options = made.test.options
    odds = classifier.decision_function(repaired(options).columns())
    return judged_states(replace(options, threshold=np.zeros(len(options))), odds)


# the experiments -------------------------------------------------------------------------------------


def regret() -> Table:
    """Whose regret is less, RepairSearch's or RACL-Full's: as it is, and with one thing changed."""
    rows = [regret_row(*one) for one in regret_cases()]
    head = (
        "Changed",
        "RACL-Full FVR",
        "EDR",
        "RepairSearch FVR",
        "EDR",
        "EDR of RepairSearch less RACL-Full's",
        "ValidatedGuard FVR",
        "EDR",
        "Preferred above",
    )
    caption = (
        "DB1B-dist, seed 1; paired 95 % intervals. The last column is the ratio of costs above which"
        " ValidatedGuard is preferred to RepairSearch (the paper: 0.102)."
    )
    return Table(head, rows, tuple(range(1, 9)), caption)


def regret_cases() -> Iterator[tuple[str, Tier, dict[str, Judged]]]:
    """What is changed, the tier, and who decides."""
    from sklearn.ensemble import GradientBoostingClassifier, HistGradientBoostingClassifier

    made, names = tier(MAIN), (FULL, GUARDED, SEARCH)
    said = decided(made, *names)
    yield "nothing", made, said
    one = HistGradientBoostingClassifier(random_state=SEED, early_stopping=False)
    yield "RepairSearch: one setting, 100 rounds", made, {**said, SEARCH: searched(made, one)}
    plain = GradientBoostingClassifier(random_state=SEED)
    yield (
        "RepairSearch: textbook boosting, 100 trees of depth 3",
        made,
        {**said, SEARCH: searched(made, plain)},
    )
    alone = replace(made, test=replace(made.test, choice_set=np.arange(len(made.test))))
    yield "regret by row, not by choice set", alone, said
    for noise in (0.02, 0.05):
        changed = noisy(made, noise)
        yield f"labels with noise {noise:g}", changed, decided(changed, *names)
    changed = without_repair(made, "more_legroom")
    yield "nobody has `more_legroom`", changed, decided(changed, *names)
    curved = noisy(tier("db1b-curved"), 0.0)
    yield "the truth of DB1B-curved, labels exact", curved, decided(curved, *names)
    changed = crooked(made)
    yield "learners see fare and distance, not their ratio", changed, decided(changed, *names)
    changed = of_fares_cut()
    yield "fares below 1,000 only", changed, decided(changed, *names)


def regret_row(what: str, made: Tier, said: Mapping[str, Judged]) -> tuple[str, ...]:
    """One line of it."""
    found = {name: brief(on_test(made, one)) for name, one in said.items()}
    test = made.test
    pair = paired(said[SEARCH], said[FULL], test.truth, choice_set=test.choice_set)["EDR"]
    even = break_even(found[GUARDED], found[SEARCH])
    cells = [number(found[name][kind]) for name in (FULL, SEARCH) for kind in ("fvr", "edr")]
    print("regret:", what, cells, flush=True)
    return (
        what,
        *cells,
        f"{pair.value:+.4f} ({pair.low:+.4f} to {pair.high:+.4f})",
        *(number(found[GUARDED][kind]) for kind in ("fvr", "edr")),
        "never" if even is None else number(even, 3),
    )


def guards(real: Tickets | None) -> Iterator[tuple[str, Table]]:
    """What the span guard does to anchors, where it acts, and what it would do elsewhere."""
    cases = {"drawn": tier(MAIN), "drawn, fares below 1,000": of_fares_cut()}
    if real is not None:
        cases["real, cut off at 1,000"] = tier(MAIN, tickets=real)
    spans, acts = [], []
    for what, made in cases.items():
        recipe = recipe_of(made, SEED, {"learner": "anchors", "guard": "none", "held_out": 0})
        found = learn(made.domain, made.train.sample, recipe)
        spans += span_rows(what, made, found)
        acts += act_rows(what, made, found)
    head = (
        "Tickets",
        "Persona",
        "Span of scores / of thresholds",
        "Scores: least",
        "mean",
        "greatest",
        "Thresholds",
    )
    caption = "Scores of feasible training rows without a guard. A guard acts where the ratio exceeds its S."
    yield "spans", Table(head, spans, (2, 3, 4, 5, 6), caption)
    head = ("Tickets", "Guard", "Personas it acts on", "FVR", "FAR", "EDR", "AUROC")
    caption = (
        "Anchors under one guard each, on the test rows. `about the mean`: the scores' mean, not the middle between"
        " least and greatest, is set upon the middle of the thresholds."
    )
    yield "guards", Table(head, acts, (3, 4, 5, 6), caption)


def span_rows(what: str, made: Tier, found: Learned) -> Iterator[tuple[str, ...]]:
    """Where the scores and the thresholds of each persona lie."""
    levels = found.sources.whole.levels(found.logits, own=True)
    for place, persona in enumerate(made.domain.personas):
        odds, threshold = levels.of(place)
        beta = float(found.logits.beta[place])
        yield (
            what,
            persona,
            number(odds.span / beta / threshold.span, 2),
            *(number(one / beta, 2) for one in (odds.low, odds.mean, odds.high)),
            f"{threshold.low:.2f} to {threshold.high:.2f}",
        )


def act_rows(what: str, made: Tier, found: Learned) -> Iterator[tuple[str, ...]]:
    """What each guard makes of the same fit."""
    recipe = recipe_of(made, SEED, {"learner": "anchors", "guard": "none", "held_out": 0})
    whole = found.sources.whole
    for guard in (*(Guard(50.0, span) for span in SPANS), NONE):
        scaling, weights = scored(found.logits, whole, guard, recipe)
        personas = scaling[: len(made.domain.personas)]
        count = sum(one.scaling == "guarded" for one in personas)
        yield act_row(what, "none" if guard == NONE else f"S = {guard.span:g}", count, made, weights)
        if guard.span == 5.0 and count:
            levels, centred = whole.levels(found.logits, own=True), weights.copy()
            for place, one in enumerate(personas):
                if one.scaling == "guarded":
                    odds, _ = levels.of(place)
                    centred[place, 0] += one.factor * (odds.middle - odds.mean)
            yield act_row(what, "S = 5, about the mean", count, made, centred)


def act_row(what: str, guard: str, count: int, made: Tier, weights: Floats) -> tuple[str, ...]:
    """One line of it."""
    test = brief(on_test(made, judged(made.test.options, weights)))
    print("guards:", what, guard, test["fvr"], flush=True)
    return (what, guard, str(count), *(number(test[kind]) for kind in ("fvr", "far", "edr", "auroc")))


def bias() -> Table:
    """What biases anchors: their error beside the truth, as it is and with the suspect gone."""
    made = tier(MAIN)
    keep = own_labels(made)
    cases = {
        "nothing": made,
        "nobody has `more_legroom`": without_repair(made, "more_legroom"),
        "labels of feasible rows tell of the candidate as it came": replace(made, train=keep),
    }
    rows = [bias_row(what, one) for what, one in cases.items()]
    head = ("Changed", "Value less the truth's: mean", "spread", "FVR", "FAR", "EDR")
    return Table(head, rows, (1, 2, 3, 4, 5), "RACL-Full on DB1B-dist, test rows with an admissible state.")


def own_labels(made: Tier) -> Rows:
    """Training rows where the label of a feasible candidate tells of the candidate, not of its best state."""
    rows = made.train
    bare = judged(altered.of_states(rows.options, rows.options.plan == 0), made.truth.weights)
    return replace(rows, labels=np.where(rows.truth.feasible, bare.accepted, rows.labels))


def bias_row(what: str, made: Tier) -> tuple[str, ...]:
    """One line of it."""
    said, truth = decided(made, FULL)[FULL], made.test.truth
    if truth.value is None:
        raise AssertionError("a tier has a truth")
    error = (said.value - truth.value)[truth.admissible]
    test = brief(on_test(made, said))
    cells = (f"{error.mean():+.4f}", f"{error.std():.4f}")
    print("bias:", what, cells, test, flush=True)
    return (what, *cells, *(number(test[kind]) for kind in ("fvr", "far", "edr")))


def ranking() -> Table:
    """How the oracle ranks: by what, and against labels of how much noise."""
    made = tier(MAIN)
    rows = []
    for noise in (0.0, 0.002, 0.005, 0.01, 0.02):
        test = labelled(made.test, noise, 3)
        said = judged(test.known, made.truth.weights)
        cells = [
            number(auroc(trial(replace(said, margin=score), test.truth)).value)
            for score in (said.margin, said.value)
        ]
        rows.append((f"{noise:g}", f"{(test.labels != test.truth.accepted).mean():.2%}", *cells))
    head = ("Noise of labels", "Labels that differ", "AUROC by margin", "AUROC by value")
    caption = "The oracle on the test rows of DB1B-dist (the paper: 0.9978). Values rank wrongly where thresholds differ."
    return Table(head, rows, (1, 2, 3), caption)


def pooling(*, guarded: bool = True) -> Table:
    """Pooling against its ablations on tiers drawn anew: the mean difference and its interval over draws."""
    found = [pooling_of(seed, guarded=guarded) for seed in DRAWS]
    rows = []
    for other in list(found[0])[1:]:
        for kind in ("fvr", "edr"):
            first, second = (
                np.array([one[name][kind] for one in found]) for name in (next(iter(found[0])), other)
            )
            low, high = t_interval(first - second)
            better = int((first < second).sum())
            rows.append(
                (
                    other,
                    kind.upper(),
                    number(float(first.mean())),
                    number(float(second.mean())),
                    f"{(first - second).mean():+.4f} ({low:+.4f} to {high:+.4f})",
                    f"{better} of {len(found)}",
                )
            )
    head = ("Against", "Figure", "Pooling", "The other", "Difference, 95 % interval", "Draws it is better in")
    return Table(
        head,
        rows,
        (2, 3, 4, 5),
        f"DB1B-sparse, latent, {'certified' if guarded else 'no guard'}; each draw with training and test rows of its own;"
        " means over draws.",
    )


PULLS = {"pooling": None, "no pooling": 0.0, "one pooled model": float("inf")}


def pooling_of(seed: int, *, guarded: bool) -> dict[str, dict[str, Any]]:
    """The figures with and without pooling on one draw."""
    made = tier("db1b-sparse", seed=seed)
    found = {}
    for name, pull in PULLS.items():
        fit = certified(pull=pull) if guarded else racl(guard="none", held_out=0, pull=pull)
        found[name] = brief(on_test(made, fit(made, made.train, SEED).judge(made.test)))
    print("pooling:", seed, {name: (one["fvr"], one["edr"]) for name, one in found.items()}, flush=True)
    return found


def t_interval(values: Floats) -> tuple[float, float]:
    """The 95 % interval of a mean."""
    from scipy.stats import t

    half = float(t.ppf(0.975, len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values)))
    return float(values.mean()) - half, float(values.mean()) + half


EXPERIMENTS = ("ranking", "bias", "guards", "regret", "pooling", "unguarded")


def tables_of(name: str, real: Tickets | None) -> Iterator[tuple[str, Table]]:
    """The tables of one experiment by name."""
    if name == "guards":
        yield from guards(real)
    else:
        made = {"ranking": ranking, "bias": bias, "regret": regret, "pooling": pooling}
        yield name, pooling(guarded=False) if name == "unguarded" else made[name]()


def main() -> None:
    """Run, and write after every experiment."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "names", nargs="*", default=EXPERIMENTS, help="some of them only; what is there of others is kept"
    )
    parser.add_argument("--tickets", type=Path, help="real ones, for the guards")
    parser.add_argument("--out", type=Path, default=WHERE)
    asked = parser.parse_args()
    real = None if asked.tickets is None else read_tickets(asked.tickets)
    with threadpool_limits(1):
        for name in asked.names:
            for place, one in tables_of(name, real):
                data = json.loads(asked.out.read_text("utf-8")) if asked.out.exists() else {"tables": {}}
                data["tables"][place] = asdict(one)
                data |= {"date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"), "machine": machine()}
                asked.out.write_text(json.dumps(data, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
