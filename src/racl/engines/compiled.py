"""Machine code from generated text, by numba, kept on disk so that a second process starts at once.

A folder of the cache is named by the fingerprint of the text and of everything that turns it into machine code. It holds
the text (numba's own cache wants a real file), numba's files, and a manifest of their checksums: what is damaged is not
loaded but compiled anew.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
import platform
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from racl import elementary

FILE = "kernel.py"
MANIFEST = "manifest.json"


def cache_folder() -> Path:
    """Where compiled kernels are kept: $RACL_CACHE_DIR, else the user's cache folder."""
    given = os.environ.get("RACL_CACHE_DIR")
    if given:
        return Path(given)
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "racl"


def compiled(text: str, types: Any) -> Callable[..., None]:
    """The function `kernel` of the text, compiled for this signature of numba's, from the cache if it can be."""
    folder = cache_folder() / fingerprint(text, types)
    if not prepare(folder, text):
        return build(text, types, file=None)
    verify(folder)
    try:
        kernel = build(text, types, file=folder / FILE)
    except Exception:  # noqa: BLE001 - whatever a damaged or unwritable cache makes numba raise, compiling anew is the cure
        shutil.rmtree(folder, ignore_errors=True)
        return build(text, types, file=None)
    write_manifest(folder)
    return kernel


def fingerprint(text: str, types: Any) -> str:
    """A name for the machine code that will come of the text, here."""
    versions = [importlib.metadata.version(name) for name in ("numba", "llvmlite", "numpy")]
    shared = Path(elementary.__file__).read_text(encoding="utf-8")
    parts = [text, str(types), shared, *versions, sys.version, processor()]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def processor() -> str:
    """The processor that the compiler sees."""
    import llvmlite.binding as llvm

    features = llvm.get_host_cpu_features().flatten()
    return f"{platform.machine()} {llvm.get_host_cpu_name()} {features}"


# the cache -------------------------------------------------------------------------------------------


def prepare(folder: Path, text: str) -> bool:
    """Make sure that the folder holds the text; false where that cannot be."""
    file = folder / FILE
    try:
        if file.is_file() and file.read_text(encoding="utf-8") == text:
            return True
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        replace(file, text)
    except (OSError, UnicodeDecodeError):
        return False
    return True


def replace(file: Path, text: str) -> None:
    """Write a file whole or not at all, whoever else writes it at the same time."""
    with tempfile.NamedTemporaryFile("w", dir=file.parent, delete=False, encoding="utf-8") as temporary:
        temporary.write(text)
    Path(temporary.name).replace(file)


def products(folder: Path) -> Iterator[Path]:
    """The files that numba keeps."""
    yield from sorted((folder / "__pycache__").glob("*.nb[ic]"))


def checksums(folder: Path) -> dict[str, str]:
    """The checksum of each of them."""
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in products(folder)}


def verify(folder: Path) -> None:
    """Throw away what is not as the manifest has it."""
    try:
        if json.loads((folder / MANIFEST).read_text(encoding="utf-8")) == checksums(folder):
            return
    except (OSError, ValueError):
        pass
    shutil.rmtree(folder / "__pycache__", ignore_errors=True)


def write_manifest(folder: Path) -> None:
    """Remember the checksums of what was just compiled or loaded."""
    try:
        text = json.dumps(checksums(folder))
        if not (folder / MANIFEST).is_file() or (folder / MANIFEST).read_text(encoding="utf-8") != text:
            replace(folder / MANIFEST, text)
    except OSError:
        pass


# the compiler ----------------------------------------------------------------------------------------


def build(text: str, types: Any, *, file: Path | None) -> Callable[..., None]:
    """Compile the text, which this library generated; with a file, numba keeps the machine code beside it."""
    import numba

    namespace = surroundings()
    name = str(file) if file else "<racl kernel>"
    exec(compile(text, name, "exec"), namespace)  # noqa: S102 - generated from checked trees, mangled names only
    decorate = numba.njit(
        types,
        nogil=True,
        cache=file is not None,
        error_model="numpy",
        boundscheck=False,
        pipeline_class=unaliased(),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", numba.NumbaWarning)
        kernel: Callable[..., None] = decorate(namespace["kernel"])
    return kernel


@cache
def surroundings_once() -> dict[str, Any]:
    """The functions that generated text may call."""
    import numba
    import numpy as np
    from numba.core import types
    from numba.extending import intrinsic

    @intrinsic  # type: ignore[misc, unused-ignore]
    def select(typingctx: Any, test: Any, then: Any, other: Any) -> Any:  # noqa: ARG001
        """One machine instruction, never a branch."""
        unified = typingctx.unify_types(_plain(then), _plain(other))

        def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            values = [
                context.cast(builder, value, given, unified)
                for value, given in zip(arguments[1:], signature.args[1:], strict=True)
            ]
            return builder.select(arguments[0], *values)

        return unified(types.boolean, then, other), codegen

    def _plain(type_: Any) -> Any:
        return numba.types.unliteral(type_)

    def inlined(function: Callable[[float], float]) -> Any:
        return numba.njit(error_model="numpy", inline="never")(function)

    return {
        "np": np,
        "select": select,
        "floor": np.floor,
        "ceil": np.ceil,
        "sqrt": np.sqrt,
        "log": inlined(elementary.log),
        "exp": inlined(elementary.exp),
    }


def surroundings() -> dict[str, Any]:
    """The names that generated text may use."""
    return dict(surroundings_once(), __name__="racl_kernel")


@cache
def unaliased() -> type:
    """numba's compiler, told that no argument overlaps another: without it the loop would not become vector code."""
    from numba.core.compiler import Compiler

    class Unaliased(Compiler):  # type: ignore[misc, unused-ignore]
        def define_pipelines(self) -> Any:
            self.state.flags.noalias = True
            return super().define_pipelines()  # type: ignore[no-untyped-call, unused-ignore]

    return Unaliased
