"""Machine code from generated text, by numba, kept on disk so that a second process starts at once.

One file a kernel, named by the fingerprint of the text and of everything that turns it into machine code: a line with the
checksum, then the object code. What is damaged, or cannot be read, is compiled anew; what cannot be kept is used all the
same. Loading needs neither numba nor a compiler's time, only the linker of llvmlite.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib.metadata
import os
import platform
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

from racl import elementary
from racl.engines import pick

MAGIC = b"racl kernel 1 "
SYMBOL = "racl_kernel"
EXTENSION = ".kernel"
LEVELS = 100_000  # of calls: numba follows the branches of a kernel by recursion

Argument = tuple[str, bool]  # the type, and whether it is an array of it


def compiled(text: str, arguments: Sequence[Argument]) -> Callable[..., None]:
    """The function `kernel` of the text as machine code, from the cache if it can be.

    It takes an address for each array and a number for everything else, and lets other threads run meanwhile.
    """
    folder = cache_folder()
    file = folder / f"{fingerprint(text, arguments)}{EXTENSION}" if folder else None
    code = kept(file) if file else None
    if code is None:
        code = object_code(text, arguments)
        if file:
            keep(file, code)
    return linked(code, arguments)


# the cache -------------------------------------------------------------------------------------------


def cache_folder() -> Path | None:
    """Where compiled kernels are kept: $RACL_CACHE_DIR, else the user's cache folder; none for who has no home."""
    given = os.environ.get("RACL_CACHE_DIR")
    if given:
        return Path(given)
    home = os.environ.get("XDG_CACHE_HOME")
    with suppress(RuntimeError):
        return (Path(home) if home else Path("~/.cache").expanduser()) / "racl"
    return None


def fingerprint(text: str, arguments: Sequence[Argument]) -> str:
    """A name for the machine code that will come of the text, here."""
    versions = [importlib.metadata.version(name) for name in ("numba", "llvmlite", "numpy")]
    shared = [Path(str(module.__file__)).read_text(encoding="utf-8") for module in (elementary, pick)]
    parts = [text, repr(arguments), *shared, *versions, sys.version, processor()]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


@cache
def processor() -> str:
    """The processor that the compiler sees."""
    import llvmlite.binding as llvm

    features = llvm.get_host_cpu_features().flatten()
    return f"{platform.machine()} {llvm.get_host_cpu_name()} {features}"


def kept(file: Path) -> bytes | None:
    """The object code in a file of the cache; none where it is missing, unreadable or damaged."""
    try:
        content = file.read_bytes()
    except (OSError, ValueError):
        return None
    head, _, code = content.partition(b"\n")
    return code if head == MAGIC + checksum(code) else None


def keep(file: Path, code: bytes) -> None:
    """Put object code into the cache, whole or not at all, whoever else does so at the same time."""
    with suppress(OSError, ValueError):
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=file.parent) as beside:  # gone again, however this ends
            whole = Path(beside) / file.name
            whole.write_bytes(MAGIC + checksum(code) + b"\n" + code)
            whole.replace(file)


def checksum(code: bytes) -> bytes:
    """The checksum that stands before object code."""
    return hashlib.sha256(code).hexdigest().encode()


# the compiler ----------------------------------------------------------------------------------------


def object_code(text: str, arguments: Sequence[Argument]) -> bytes:
    """Compile the text, which this library generated, to object code for this processor."""
    with deep_calls():
        return bytes(target_machine().emit_object(optimised(text, arguments)))


def optimised(text: str, arguments: Sequence[Argument]) -> Any:
    """The text as a module of LLVM's, ready to be made object code."""
    import llvmlite.binding as llvm

    wide = "pick(" in text and pick.permutes()
    lines = assembly(text, arguments, wide=wide)
    if wide and pick.CALLED not in lines:  # the loop became no vectors of that width
        wide, lines = False, assembly(text, arguments, wide=False)
    module = llvm.parse_assembly(lines)
    module.verify()
    if wide:
        pick.settled(module, target_machine())
    return module


@contextmanager
def deep_calls() -> Iterator[None]:
    """Calls may nest deeper than Python lets them by itself."""
    with ONE_AT_A_TIME:
        before = sys.getrecursionlimit()
        sys.setrecursionlimit(max(before, LEVELS))
        try:
            yield
        finally:
            sys.setrecursionlimit(before)


ONE_AT_A_TIME = Lock()


def assembly(text: str, arguments: Sequence[Argument], *, wide: bool) -> str:
    """The text as numba compiles it: optimised, as LLVM's own assembly, the entry named `racl_kernel`.

    `wide` where numbers are to be picked for eight rows at once.
    """
    import numba

    namespace = surroundings() | {"pick": pick.picking(wide=wide)}
    exec(compile(text, "<racl kernel>", "exec"), namespace)  # noqa: S102 - from checked trees, mangled names only
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", numba.NumbaWarning)
        compile_ = numba.cfunc(signature(arguments), pipeline_class=unaliased(), error_model="numpy")
        function = compile_(namespace["kernel"])
    lines: str = function.inspect_llvm()
    return lines.replace(function.native_name, SYMBOL)


def signature(arguments: Sequence[Argument]) -> Any:
    """The arguments in numba's notation."""
    from numba import types

    plain = [(getattr(types, name), array) for name, array in arguments]
    return types.void(*(types.CPointer(type_) if array else type_ for type_, array in plain))


@cache
def surroundings() -> dict[str, Any]:
    """The names that generated text may use."""
    import numba
    import numpy as np

    def inlined(function: Callable[[float], float]) -> Any:
        return numba.njit(error_model="numpy")(function)

    carray: Any = numba.carray  # type: ignore[attr-defined, unused-ignore]
    routines = {"log": inlined(elementary.log), "exp": inlined(elementary.exp)}
    arithmetic = {"floor": np.floor, "ceil": np.ceil, "sqrt": np.sqrt}
    return {
        "np": np,
        "array": carray,
        "select": selection(),
        "power_of_two": power_of_two(),
        **arithmetic,
        **routines,
    }


def selection() -> Any:
    """`select(test, then, other)`: one machine instruction, never a branch."""
    import numba
    from numba.extending import intrinsic

    @intrinsic  # type: ignore[misc, unused-ignore]
    def select(typingctx: Any, test: Any, then: Any, other: Any) -> Any:  # noqa: ARG001 - numba hands it over
        unified = typingctx.unify_types(numba.types.unliteral(then), numba.types.unliteral(other))

        def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            pairs = zip(arguments[1:], signature.args[1:], strict=True)
            values = [context.cast(builder, value, given, unified) for value, given in pairs]
            return builder.select(arguments[0], *values)

        return unified(numba.types.boolean, then, other), codegen

    return select


def power_of_two() -> Any:
    """`power_of_two(n)`: 2 ** n of a whole float64 from -1022 up to 1023, by the bits of the result."""
    import numba
    from llvmlite import ir
    from numba.extending import intrinsic

    @intrinsic  # type: ignore[misc, unused-ignore]
    def exact(typingctx: Any, power: Any) -> Any:  # noqa: ARG001 - numba hands it over
        def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
            whole, real = ir.IntType(64), ir.DoubleType()
            # the lowest bits of a number shifted by 2 ** 52 are those of its whole part
            raised = builder.fadd(arguments[0], ir.Constant(real, 2.0**52 + 1023.0))
            shifted = builder.shl(builder.bitcast(raised, whole), ir.Constant(whole, 52))
            return builder.bitcast(shifted, real)

        return numba.types.float64(numba.types.float64), codegen

    return exact


@cache
def unaliased() -> type:
    """numba's compiler, told that no argument overlaps another: else the loop would not become vector code."""
    from numba.core.compiler import Compiler

    class Unaliased(Compiler):  # type: ignore[misc, unused-ignore]
        def define_pipelines(self) -> Any:
            self.state.flags.noalias = True
            return super().define_pipelines()  # type: ignore[no-untyped-call, unused-ignore]

    return Unaliased


# the linker ------------------------------------------------------------------------------------------


@cache
def target_machine() -> Any:
    """LLVM's generator of code for this processor."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_triple(llvm.get_process_triple())
    return target.create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=3,
        reloc="static" if target.name.startswith("x86") else "default",
        codemodel="jitdefault",
        jit=True,
    )


def linked(code: bytes, arguments: Sequence[Argument]) -> Callable[..., None]:
    """The entry of object code, callable; ctypes lets other threads run while it works."""
    import llvmlite.binding as llvm

    give_routines()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), target_machine())
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    types = [ctypes.c_void_p if array else ctypes.c_int64 for _, array in arguments]
    entry = ctypes.CFUNCTYPE(None, *types)(engine.get_function_address(SYMBOL))
    ENGINES.append(engine)  # INVARIANT: the code lives as long as the process
    return entry


ENGINES: list[Any] = []

ROUTINES = ("frexp", "ldexp")  # of the C library; `log` and `exp` take numbers apart by them
RAISING = (
    *("NRT_Free", "NRT_MemInfo_call_dtor", "numba_do_raise", "numba_gil_ensure", "numba_gil_release"),
    *("numba_runtime_build_excinfo_struct", "numba_unpickle"),
)  # what numba calls where a function raises, which no kernel does


@cache
def give_routines() -> None:
    """Tell the linker what numba would tell it, where numba is not there to do so.

    INVARIANT: the linker knows every name in an object; of one that it does not know, it would leave all others open.
    """
    import llvmlite.binding as llvm

    library = ctypes.CDLL("msvcrt" if os.name == "nt" else None)
    given = {f"numba_{name}": name for name in ROUTINES} | dict.fromkeys(RAISING, "abort")
    for name, routine in given.items():
        if not llvm.address_of_symbol(name):
            llvm.add_symbol(name, ctypes.cast(getattr(library, routine), ctypes.c_void_p).value)
