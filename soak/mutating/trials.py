"""What a mutant has to get past: the tests of its module, the quickest first. Run in a process that has the mutant."""

from __future__ import annotations

import importlib.abc
import importlib.util
import json
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "build" / "soak" / "mutation"
KERNELS, ROWS = 250, 200
COUNTED, FEW = 60, 20  # kernels whose work is counted, and the rows it is counted on
ALWAYS = 2  # kernels that are tried though their text is the same
COMPILED = 3  # kernels that are compiled
SEEDS = range(60)
PRUNING = "tests/engines/test_pruning.py"
READABLE = ["tests/semantics", "tests/nasty/test_rows.py", "tests/domain_check/test_decisions.py"]


class Mutated(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Gives one module another text."""

    def __init__(self, name: str, source: str) -> None:
        self.name, self.source = name, source

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module, if it is this one."""
        return importlib.util.spec_from_loader(fullname, self) if fullname == self.name else None

    def exec_module(self, module: ModuleType) -> None:
        """Run the other text."""
        exec(compile(self.source, f"<mutant of {self.name}>", "exec"), module.__dict__)  # noqa: S102 - our own text, changed


def survives(name: str, source: str) -> bool:
    """Whether every trial of the module passes with this text in its place."""
    sys.meta_path.insert(0, Mutated(name, source))
    warnings.filterwarnings("error", category=UserWarning)
    try:
        return all(trial() for trial in TRIALS[name])
    except BaseException:  # noqa: BLE001 - a mutant that raises is found out
        return False


# the definition -----------------------------------------------------------------------------------


def conforms() -> bool:
    """The definition gives the answers of the conformance cases."""
    from conformance.cases import FOLDERS, Case, by_definition

    cases = map(Case.of, [*FOLDERS[::4], *FOLDERS[1::4], *FOLDERS[2::4], *FOLDERS[3::4]])
    return all(by_definition(case.model, case.rows) == case.expected for case in cases)


def reads_well(tests: Sequence[str] = READABLE) -> bool:
    """The small readable cases pass."""
    import pytest

    os.environ["RACL_HYPOTHESIS"] = "edit"
    files = [file for file in tests if (ROOT / file).exists()]
    options = [
        "-x",
        "-q",
        "-m",
        "not kernel",
        "-p",
        "no:randomly",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
    ]
    return pytest.main([*options, *files]) == 0


def agrees() -> bool:
    """The definition agrees with the arrays, which were not changed."""
    from strategies.agreement import by_definition, by_engine, differing, outputs_of
    from strategies.chance import Seeded
    from strategies.domains import any_model
    from strategies.rows import any_rows

    for seed in SEEDS:
        chance = Seeded.of(seed)
        model = any_model(chance)
        rows = any_rows(chance, model, 40)
        if differing(outputs_of(model, by_definition(model, rows)), by_engine(model, rows, "arrays")):
            return False
    return True


# the kernel ---------------------------------------------------------------------------------------


def same_kernels(steps: tuple[int, ...]) -> Callable[[], bool]:
    """Kernels whose text changed give the answers of the definition still, run by Python and compiled, at no more work."""

    def trial() -> bool:
        known = json.loads((FOLDER / f"texts-{steps[0]}.json").read_text())
        changed = []
        for seed in range(KERNELS):
            if seed < ALWAYS or known[str(seed)] != text_of(seed, steps):
                if not decides_alike(seed, steps):
                    return False
                changed.append(seed)
        return all(works_as_little(seed, steps) for seed in changed[:COUNTED]) and all(
            decides_alike(seed, steps, compiled=True) for seed in changed[:COMPILED]
        )

    return trial


def remember(steps: tuple[int, ...]) -> None:
    """Write down the texts of the kernels as they are."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    texts = {seed: text_of(seed, steps) for seed in range(KERNELS)}
    (FOLDER / f"texts-{steps[0]}.json").write_text(json.dumps(texts))
    work = {seed: work_of(seed, steps) for seed in range(KERNELS)}
    (FOLDER / f"work-{steps[0]}.json").write_text(json.dumps(work))


def text_of(seed: int, steps: tuple[int, ...]) -> str:
    """The text of the kernel of a seed's model."""
    from racl.engines.kernel import kernel_text

    _, model = drawn(seed, steps)
    return kernel_text(model.program, other=model.taste.default is not None, tame=model.tame)


def drawn(seed: int, steps: tuple[int, ...]):  # type: ignore[no-untyped-def]  # noqa: ANN201 - what it returns is imported here
    """The model of a seed, and the choices that go on."""
    from strategies.chance import Seeded
    from strategies.domains import Shape, any_model

    chance = Seeded.of(seed)
    return chance, any_model(chance, Shape(steps=steps, extremes=10))


def work_of(seed: int, steps: tuple[int, ...]) -> int:
    """The lines of the kernel of a seed's model that run for a few rows."""
    from strategies.interpreted import lines_run
    from strategies.rows import any_rows

    chance, model = drawn(seed, steps)
    return lines_run(model, any_rows(chance, model, FEW))


def works_as_little(seed: int, steps: tuple[int, ...]) -> bool:
    """The kernel of a seed's model runs no more lines than it did."""
    known = json.loads((FOLDER / f"work-{steps[0]}.json").read_text())
    return work_of(seed, steps) <= known[str(seed)]


def decides_alike(seed: int, steps: tuple[int, ...], *, compiled: bool = False) -> bool:
    """The kernel of a seed's model decides its rows as the definition does."""
    from strategies.agreement import by_definition, by_engine, differing, outputs_of
    from strategies.interpreted import by_text
    from strategies.rows import any_rows

    chance, model = drawn(seed, steps)
    rows = any_rows(chance, model, ROWS)
    found = by_engine(model, rows, "kernel", threads=1) if compiled else by_text(model, rows)
    return not differing(outputs_of(model, by_definition(model, rows)), found)


def is_pruned() -> bool:
    """The small cases of kernels' texts pass."""
    return reads_well([PRUNING])


SEVERAL = (2, 3, 3)
TRIALS: dict[str, tuple[Callable[[], bool], ...]] = {
    "racl.semantics": (conforms, reads_well, agrees),
    "racl.engines.kernel_source": (is_pruned, same_kernels((1,)), same_kernels(SEVERAL)),
    "racl.engines.search_source": (is_pruned, same_kernels(SEVERAL)),
}
