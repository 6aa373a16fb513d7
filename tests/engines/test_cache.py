"""Compiled kernels are kept: another process does not compile, and no state of the folder changes an answer."""

from __future__ import annotations

import inspect
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from nasty.air import AIR, ROW, document
from racl import KernelWarning, Model
from racl.domain.files import parse_domain
from racl.engines import compiled, kernel
from racl.model import parse_model
from strategies.agreement import by_definition, by_engine, disagreements, outputs_of
from strategies.chance import Seeded
from strategies.rows import any_rows

pytestmark = pytest.mark.kernel

PROGRAM = """if True:
    import json, sys, time
    import racl
    from racl.model import parse_model
    text, rows = json.load(sys.stdin)
    decisions = parse_model(text).decide(rows, engine="kernel")
    print(json.dumps([decisions.columns()["value"].to_pylist(), list(decisions.plan), "numba" in sys.modules]))
"""


def fresh() -> Model:
    """A model that holds no kernel yet."""
    return parse_model(json.dumps(document()))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty cache, and no kernel remembered from before."""
    path = tmp_path / "cache"
    monkeypatch.setenv("RACL_CACHE_DIR", str(path))
    kernel._compiled.cache_clear()
    yield path
    kernel._compiled.cache_clear()


@pytest.fixture
def compilations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that are compiled from here on."""
    texts: list[str] = []
    compile_ = compiled.object_code

    def counted(text: str, arguments: Any) -> bytes:
        texts.append(text)
        return compile_(text, arguments)

    monkeypatch.setattr(compiled, "object_code", counted)
    return texts


def decides_as_defined() -> None:
    """A model that has no kernel yet decides as the definition does."""
    kernel._compiled.cache_clear()
    model = fresh()
    rows = any_rows(Seeded.of(1), model, 60)
    wanted = outputs_of(model, by_definition(model, rows))
    assert disagreements(model, rows, wanted, by_engine(model, rows, "kernel")) == []


def started(cache: Path, given: dict[str, Any] | None = None) -> subprocess.Popen[str]:
    """A process that decides with the kernel."""
    process = subprocess.Popen(
        [sys.executable, "-W", "error", "-c", PROGRAM],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=os.environ | {"RACL_CACHE_DIR": str(cache)},
    )  # fmt: skip
    assert process.stdin
    json.dump([json.dumps(given or document()), [ROW] * 3], process.stdin)
    process.stdin.close()
    return process


def ended(process: subprocess.Popen[str]) -> list[Any]:
    assert process.stdout
    with process:
        found: list[Any] = json.loads(process.stdout.read())
    assert process.returncode == 0
    return found


def test_a_second_process_loads_what_the_first_compiled_without_the_compiler(tmp_path: Path) -> None:
    first, second = (ended(started(tmp_path / "a" / "b")) for _ in range(2))
    assert first[:2] == second[:2] == [[0.68] * 3, ["add_bag"] * 3]
    assert (first[2], second[2]) == (True, False)


def test_logarithms_and_exponentials_are_there_without_the_compiler(tmp_path: Path) -> None:
    given = document()
    given["domain"]["features"]["price"] = "exp(-fare / 500) * log(fare + 1)"
    del given["sha256"]
    first, second = (ended(started(tmp_path, given)) for _ in range(2))
    assert (first[2], second[2]) == (True, False)
    assert first[0] == second[0] == [parse_model(json.dumps(given)).decide_one(ROW).value] * 3


def test_several_processes_that_compile_at_once_agree_and_leave_one_file(tmp_path: Path) -> None:
    found = [ended(process) for process in [started(tmp_path) for _ in range(4)]]
    assert all(one[:2] == found[0][:2] for one in found)
    assert len(list(tmp_path.iterdir())) == 1


def test_several_threads_that_compile_at_once_agree(folder: Path) -> None:
    models = [fresh() for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        plans = list(pool.map(lambda model: model.decide([ROW], engine="kernel").plan[0], models))
    assert plans == ["add_bag"] * 4


def test_the_same_text_is_compiled_once(folder: Path, compilations: list[str]) -> None:
    for _ in range(2):
        kernel._compiled.cache_clear()
        for _ in range(2):
            fresh().decide([ROW], engine="kernel")
    assert len(compilations) == 1


def test_another_domain_has_a_kernel_of_its_own(folder: Path, compilations: list[str]) -> None:
    fresh().decide([ROW], engine="kernel")
    other = Model(parse_domain(AIR.replace("35 + 5 * stops", "34 + 5 * stops")), fresh().taste)
    assert other.decide([ROW], engine="kernel").cost[0] == 39.0
    assert len(compilations) == 2
    assert len(list(folder.iterdir())) == 2


def test_other_weights_need_no_other_kernel(folder: Path, compilations: list[str]) -> None:
    fresh().decide([ROW], engine="kernel")
    changed = document()
    changed["preference"]["business"]["bias"] = 2.0
    del changed["sha256"]
    assert parse_model(json.dumps(changed)).decide([ROW], engine="kernel").value[0] == pytest.approx(1.68)
    assert len(compilations) == 1


# damaged and unusable folders ---------------------------------------------------------------------


def flipped(place: float) -> Callable[[bytes], bytes]:
    """A bit turned, so far into the file."""

    def flip(content: bytes) -> bytes:
        data = bytearray(content)
        data[int(place * (len(data) - 1))] ^= 16
        return bytes(data)

    return flip


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    **{
        f"a bit at {place}": flipped(place)
        for place in (0.0, 0.002, 0.005, 0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
    },
    "empty": lambda _: b"",
    "cut in half": lambda content: content[: len(content) // 2],
    "a byte more": lambda content: content + b"\0",
    "text": lambda _: b"def kernel(): pass\n",
    "no end of line": lambda content: content.replace(b"\n", b" "),
    "another format": lambda content: content.replace(b"kernel 1", b"kernel 9", 1),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_compiled_anew_and_mended(
    damage: str, folder: Path, compilations: list[str]
) -> None:
    decides_as_defined()
    (file,) = folder.iterdir()
    sound = file.read_bytes()
    file.write_bytes(DAMAGES[damage](sound))
    assert file.read_bytes() != sound
    decides_as_defined()
    assert len(compilations) == 2
    assert re.match(rb"racl kernel \d+ [0-9a-f]{64}\n", file.read_bytes())
    decides_as_defined()
    assert len(compilations) == 2


def test_a_folder_in_place_of_the_file_is_no_obstacle(folder: Path) -> None:
    decides_as_defined()
    (file,) = folder.iterdir()
    file.unlink()
    file.mkdir()
    decides_as_defined()


def test_a_cache_that_goes_missing_is_made_anew(folder: Path) -> None:
    decides_as_defined()
    for file in folder.iterdir():
        file.unlink()
    folder.rmdir()
    decides_as_defined()
    assert len(list(folder.iterdir())) == 1


@pytest.mark.parametrize("place", ["/proc/racl", os.devnull, f"{os.devnull}/below", "x" * 5000])
def test_a_folder_that_cannot_be_written_only_costs_time(
    place: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiled, "cache_folder", lambda: Path(place))
    decides_as_defined()


def test_a_folder_that_may_only_be_read_serves_what_it_has_and_takes_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch, compilations: list[str]
) -> None:
    decides_as_defined()

    def forbidden(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "mkdir", forbidden)
    monkeypatch.setattr("racl.engines.compiled.tempfile.NamedTemporaryFile", forbidden)
    decides_as_defined()
    assert len(compilations) == 1
    for file in folder.iterdir():
        file.unlink()
    decides_as_defined()
    decides_as_defined()
    assert len(compilations) == 3
    assert list(folder.iterdir()) == []


def test_a_disk_that_is_full_leaves_nothing_behind(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    decides_as_defined()
    assert list(folder.iterdir()) == []


def test_where_kernels_are_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RACL_CACHE_DIR", str(tmp_path / "given"))
    assert compiled.cache_folder() == tmp_path / "given"
    monkeypatch.delenv("RACL_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert compiled.cache_folder() == tmp_path / "xdg" / "racl"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert compiled.cache_folder() == tmp_path / ".cache" / "racl"


def test_without_a_home_nothing_is_kept_and_nothing_fails(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RACL_CACHE_DIR")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "expanduser", lambda _: (_ for _ in ()).throw(RuntimeError("no home")))
    decides_as_defined()


# no compiler --------------------------------------------------------------------------------------


@pytest.mark.parametrize("module", ["numba", "llvmlite", "llvmlite.binding"])
def test_without_the_compiler_numpy_gives_the_same_answers_and_one_warning_says_what_was_lost(
    module: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    model = fresh()
    rows = any_rows(Seeded.of(2), model, 60)
    wanted = outputs_of(model, by_definition(model, rows))
    with pytest.warns(KernelWarning, match="NumPy decides instead: the same answers") as warned:
        found = by_engine(model, rows, "kernel")
    assert len(warned) == 1
    assert disagreements(model, rows, wanted, found) == []


def test_a_compiler_that_fails_is_no_reason_to_fail(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> bytes:
        raise ValueError("LLVM ERROR: Cannot select\nand more of it")

    monkeypatch.setattr(compiled, "object_code", broken)
    with pytest.warns(KernelWarning, match=r"LLVM ERROR: Cannot select\);"):
        assert fresh().decide([ROW], engine="kernel").plan[0] == "add_bag"


def test_what_cannot_be_compiled_is_not_tried_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[str] = []

    def broken(text: str, _: object) -> bytes:
        tries.append(text)
        raise ValueError("LLVM ERROR")

    monkeypatch.setattr(compiled, "object_code", broken)
    model = fresh()
    for _ in range(3):
        with pytest.warns(KernelWarning):
            model.decide([ROW], engine="kernel")
    assert len(tries) == 1


def test_a_kernel_is_compiled_however_deep_its_branches_nest(folder: Path) -> None:
    """numba recurses along branches: two steps over 64 repairs, the cheapest chosen, went beyond Python's limit."""
    program = fresh().program
    text, arguments = kernel.kernel_text(program, other=False, tame=False), kernel.arguments(program)
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + 60)
    try:
        assert compiled.object_code(text, arguments)
    finally:
        sys.setrecursionlimit(before)
    assert sys.getrecursionlimit() == before
