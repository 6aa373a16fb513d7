"""A study: all cells of some tiers, worked off by several processes, and gathered into one result."""

from __future__ import annotations

import os
import platform
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from importlib.resources import files
from multiprocessing import active_children, get_context
from pathlib import Path
from typing import Any

from racl.bench import guarding, stress, sweeps, theory
from racl.bench.models import MODELS
from racl.bench.protocol import GUARD_SEEDS, Asked, Run, Tell, silent
from racl.bench.tier import Rows
from racl.bench.tiers import TIERS
from racl.learn.record import versions

Task = tuple[str, ...]  # what is to be done, and with what
Work = Callable[..., Any]  # of a run and the rest of the task

MAIN = "db1b-dist"
FAMILY = ("black-box", "black-box-repair", "black-box-credit")  # which share what they learn
GUARDED = ("anchors", "latent")
SWEPT = ("anchors-fixed", "anchors-validated", "latent-certified", "black-box-repair")
CHAMPION, CURVED = "latent-certified", "latent-curves-certified"
POOLING = tuple(name for name in stress.ABLATIONS if name.startswith("latent, certified"))


@dataclass(frozen=True)
class Study:
    """What is to be run, and where it is kept."""

    tiers: tuple[str, ...]
    asked: Asked
    folder: Path
    jobs: int = 0  # processes; 0 for as many as there are processors

    def run(self, name: str, tell: Tell = silent) -> Run:
        """The run of a tier."""
        return Run(name, self.asked, self.folder, tell)


def composition(run: Run) -> dict[str, Any]:
    """How many rows of each outcome there are, in training and in test."""
    return {part: outcomes(rows) for part, rows in (("train", run.tier.train), ("test", run.tier.test))}


def outcomes(rows: Rows) -> dict[str, int]:
    """The five outcomes of the paper, and what else tells what rows are like."""
    truth = rows.truth
    suboptimal = truth.admissible & ~truth.accepted
    counted = {
        "rows": truth.accepted | ~truth.accepted,
        "repairable_good": truth.repairable_good,
        "accepted_otherwise": truth.accepted & ~truth.repairable_good,
        "structure_or_cost": ~truth.admissible,
        "feasible_suboptimal": suboptimal & truth.feasible,
        "repairable_suboptimal": suboptimal & ~truth.feasible,
        "labels_that_differ": rows.labels != truth.accepted,
    }
    return {name: int(which.sum()) for name, which in counted.items()} | {
        "sets": int(rows.choice_set[-1]) + 1
    }


KINDS: Mapping[str, Work] = {
    "composition": composition,
    "figures": lambda run, model, seed: run.figures(model, int(seed)),
    "difference": lambda run, first, second, seed: run.difference(first, second, int(seed)),
    "stability": lambda run, learner, seed: guarding.stability(run, learner, int(seed)),
    "grid": lambda run, learner, seed: guarding.grid(run, learner, int(seed)),
    "operating": lambda run, model, seed: sweeps.operating(run, model, int(seed)),
    "costs": lambda run, seed: sweeps.costs(run, int(seed)),
    "calibration": lambda run, model, seed: sweeps.calibration_noise(run, model, int(seed)),
    "lemma": lambda run, seed: sweeps.lemma(run, int(seed)),
    "cost-noise": lambda run, model, seed: stress.cost_noise(run, model, int(seed)),
    "missing": lambda run, model, seed: stress.missing(run, model, int(seed)),
    "ablation": lambda run, name, seed: stress.ablation(run, stress.ABLATIONS[name], int(seed)),
    "anchors": lambda run, name, seed: stress.ablation(run, stress.ANCHORS[name], int(seed)),
    "pooling": lambda run, other, seed: stress.against(run, POOLING[0], other, int(seed)),
    "levels": lambda run, name, seed: stress.ablation(run, stress.CURVED[name], int(seed)),
    "menus": lambda run, seed: stress.menus(run, int(seed)),
    "gap": theory.gap,
    "curve": theory.curve_of,
}
RESAMPLED = ("figures", "difference", "pooling")  # which have intervals of a bootstrap


# what is to be done ----------------------------------------------------------------------------------


def decisions(study: Study, name: str) -> Iterator[Task]:
    """The models of a tier, each seed one task; those that share what they learn together."""
    run = study.run(name)
    for seed in study.asked.seeds:
        family = [model for model in FAMILY if model in study.asked.models]
        if family:
            yield ("decide", name, str(seed), *family)
    for model in study.asked.models:
        if model not in FAMILY:
            for seed in run.seeds(model):
                yield ("decide", name, str(seed), model)


def measurements(study: Study, name: str) -> Iterator[Task]:
    """What is measured of the models of a tier."""
    run, models = study.run(name), study.asked.models
    first = str(study.asked.seeds[0])
    yield ("composition", name)
    for model in models:
        for seed in run.seeds(model):
            yield ("figures", name, model, str(seed))
    for champion in (CHAMPION, CURVED):
        if champion in models:
            for model in models:
                if model not in (champion, CHAMPION):
                    yield ("difference", name, champion, model, first)
    yield ("gap", name)
    if name == MAIN:
        yield from experiments(study, first)
    elif TIERS[name].anchors == "zero-budget":
        yield from (("anchors", name, one, first) for one in stress.ANCHORS)
    elif name == "db1b-curved" and CURVED in models:
        yield from (("levels", name, one, first) for one in stress.CURVED)
    elif name == "db1b-sparse":
        yield from (("ablation", name, one, first) for one in POOLING)
        yield from (("pooling", name, one, first) for one in POOLING[1:])


def experiments(study: Study, seed: str) -> Iterator[Task]:
    """Everything else that the paper shows of its hardest tier."""
    models = study.asked.models
    for learner in GUARDED:
        yield from (("stability", MAIN, learner, str(one)) for one in GUARD_SEEDS)
        yield ("grid", MAIN, learner, seed)
    for model in SWEPT:
        if model in models:
            yield ("operating", MAIN, model, seed)
            yield ("calibration", MAIN, model, seed)
    for model in stress.STRESSED:
        if model in models:
            yield ("cost-noise", MAIN, model, seed)
            yield ("missing", MAIN, model, seed)
    yield from (("ablation", MAIN, one, seed) for one in stress.ABLATIONS)
    yield ("menus", MAIN, seed)
    yield ("costs", MAIN, seed)
    yield ("lemma", MAIN, seed)
    yield from (("curve", MAIN, one) for one in ("rows", "features", "repairs"))


# doing it --------------------------------------------------------------------------------------------


def perform(study: Study, task: Task) -> Any:
    """The result of a task; what is finished is read."""
    kind, name, *rest = task
    run = kept_run(study, name)
    if kind == "decide":
        for model in rest[1:]:
            run.decided(model, run.seed_of(model, int(rest[0])))
        return None
    cell = "/".join([kind, *(one.replace(" ", "-").replace(",", "") for one in rest)])
    if kind in RESAMPLED:
        cell += f"-{study.asked.resamples}"
    return run.store.result(cell, lambda: {"found": KINDS[kind](run, *rest)})["found"]


@lru_cache(maxsize=2)
def kept_run(study: Study, name: str) -> Run:
    """The run of a tier, its rows made once in each process."""
    return study.run(name)


def work(study: Study, tasks: Sequence[Task], tell: Tell) -> None:
    """All tasks, in processes of their own where there are several to be had."""
    jobs = min(study.jobs or os.cpu_count() or 1, len(tasks))
    if jobs <= 1:
        for number, task in enumerate(tasks, 1):
            tell(progress_line(number - 1, len(tasks), task))
            perform(study, task)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=single_threaded) as pool:
        pending = {pool.submit(perform, study, task): task for task in tasks}
        try:
            for number, done in enumerate(as_completed(pending), 1):
                done.result()
                tell(progress_line(number, len(tasks), pending[done]))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in active_children():  # what they were at is done anew
                process.terminate()
            raise


def single_threaded() -> None:
    """One thread for each process: there are as many processes as processors."""
    from threadpoolctl import threadpool_limits

    threadpool_limits(1)


def progress_line(done: int, of: int, task: Task) -> str:
    """How far a study has come."""
    return f"[{done}/{of}] {' '.join(task)}"


def all_tasks(study: Study) -> tuple[list[Task], list[Task]]:
    """What models decide, and all that builds on it."""
    first = [task for name in study.tiers for task in decisions(study, name)]
    return first, [task for name in study.tiers for task in measurements(study, name)]


def results(study: Study, tell: Tell = silent) -> dict[str, Any]:
    """The whole study: worked off, gathered, with where and when."""
    start = datetime.now(UTC)
    first, second = all_tasks(study)
    work(study, first, tell)
    work(study, second, tell)
    tiers: dict[str, Any] = {name: {} for name in study.tiers}
    for task in second:
        kind, name, *rest = task
        place = tiers[name].setdefault(kind, {})
        for one in rest[:-1]:
            place = place.setdefault(one, {})
        found = perform(study, task)
        if rest:
            place[rest[-1]] = found
        else:
            tiers[name][kind] = found
    return {**about(study, start), "tiers": tiers, "paper": paper()}


def about(study: Study, start: datetime) -> dict[str, Any]:
    """When, where and with what."""
    end = datetime.now(UTC)
    asked = replace(study.asked, tickets=Path(study.asked.tickets).name)
    return {
        "date": end.strftime("%Y-%m-%d %H:%M UTC"),
        "seconds": round((end - start).total_seconds(), 1),
        "machine": machine(),
        "versions": versions(),
        "seeds": list(asked.seeds),
        "guard_seeds": list(GUARD_SEEDS),
        "models": {name: MODELS[name].label for name in asked.models},
        "tickets": asked.tickets,
        "resamples": asked.resamples,
        "tier_versions": {name: TIERS[name].version for name in study.tiers},
    }


def machine() -> str:
    """What the study ran on."""
    table = Path("/proc/cpuinfo")
    lines = table.read_text("utf-8").splitlines() if table.exists() else []
    named = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    processor = named[0] if named else platform.processor() or platform.machine()
    return (
        f"{processor}, {os.cpu_count()} processors, {platform.system()}, Python {platform.python_version()}"
    )


def paper() -> dict[str, Any]:
    """The paper's numbers."""
    return tomllib.loads(files("racl.bench").joinpath("paper.toml").read_text("utf-8"))
