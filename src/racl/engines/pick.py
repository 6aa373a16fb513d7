"""`pick(number, first, second, ...)` for generated text: one of up to eight numbers that are the same for all rows.

Plainly it is a chain of comparisons. Where eight numbers fit a vector it is one instruction for eight rows: a permutation
that the compiler's vectoriser is told to put in place of eight calls.
"""

from __future__ import annotations

from functools import cache
from typing import Any

WIDTH = 8  # float64 in a vector, and numbers to pick from
TRIED = (22,)  # versions of LLVM that are known to put the vector form in place
CALLED = f"call <{WIDTH} x double> @racl_pick_wide("
WIDE = f'"vector-function-abi-variant"="_ZGV_LLVM_N{WIDTH}v{"u" * WIDTH}_racl_pick(racl_pick_wide)"'


@cache
def permutes() -> bool:
    """Whether this processor and this compiler can pick for eight rows at once."""
    import llvmlite.binding as llvm

    return llvm.llvm_version_info[0] in TRIED and bool(llvm.get_host_cpu_features().get("avx512f"))


def picking(*, wide: bool) -> Any:
    """The function for generated text, in one form or the other."""
    import numba
    from numba.core import cgutils
    from numba.extending import intrinsic

    @intrinsic  # type: ignore[misc, unused-ignore]
    def pick(typingctx: Any, number: Any, *choices: Any) -> Any:  # noqa: ARG001 - numba hands it over
        def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            whole = context.cast(builder, arguments[0], signature.args[0], numba.types.int64)
            values = list(cgutils.unpack_tuple(builder, arguments[1]))
            return call(builder, whole, values) if wide else chain(builder, whole, values)

        return numba.types.float64(number, numba.types.StarArgTuple(choices)), codegen

    return pick


def chain(builder: Any, number: Any, values: list[Any]) -> Any:
    """The value of that number by comparisons; the last for any other."""
    found = values[-1]
    for place, value in reversed(list(enumerate(values[:-1]))):
        found = builder.select(builder.icmp_signed("==", number, number.type(place)), value, found)
    return found


def call(builder: Any, number: Any, values: list[Any]) -> Any:
    """A call that has a vector form; the values go in as whole numbers, the only ones that the vectoriser sees through."""
    from llvmlite import ir

    whole = ir.IntType(64)
    padded = [*values, *values[-1:] * (WIDTH - len(values))]
    one = builder.call(
        function(builder.module), [number, *(builder.bitcast(value, whole) for value in padded)]
    )
    set.add(one.attributes, WIDE)  # llvmlite knows no attribute of that name
    return one


def function(module: Any) -> Any:
    """`racl_pick` in a module, and its vector form `racl_pick_wide` beside it."""
    from llvmlite import ir

    if "racl_pick" in module.globals:
        return module.globals["racl_pick"]
    whole, real = ir.IntType(64), ir.DoubleType()
    wholes, reals = ir.VectorType(whole, WIDTH), ir.VectorType(real, WIDTH)

    plain = ir.Function(module, ir.FunctionType(real, [whole] * (WIDTH + 1)), "racl_pick")
    plain.linkage = "internal"
    builder = ir.IRBuilder(plain.append_basic_block())
    builder.ret(builder.bitcast(chain(builder, plain.args[0], list(plain.args[1:])), real))

    wide = ir.Function(module, ir.FunctionType(reals, [wholes, *[whole] * WIDTH]), "racl_pick_wide")
    builder = ir.IRBuilder(wide.append_basic_block())
    table = wholes(ir.Undefined)
    for place, value in enumerate(wide.args[1:]):
        table = builder.insert_element(table, value, ir.IntType(32)(place))
    kind = ir.FunctionType(reals, [reals, wholes])
    permute = ir.Function(module, kind, "llvm.x86.avx512.permvar.df.512")
    builder.ret(builder.call(permute, [builder.bitcast(table, reals), wide.args[0]]))

    for one, inline in ((plain, "noinline"), (wide, "alwaysinline")):
        for attribute in (inline, "nounwind", "readnone"):
            one.attributes.add(attribute)
    used = ir.GlobalVariable(module, ir.ArrayType(wide.type, 1), "llvm.compiler.used")  # before it is called
    used.linkage, used.section = "appending", "llvm.metadata"
    used.initializer = used.value_type([wide])
    return plain


def settled(module: Any, machine: Any) -> None:
    """Put the vector form in place of its calls, and what is the same for all rows before the loop."""
    import llvmlite.binding as llvm

    tuning = llvm.create_pipeline_tuning_options()
    tuning.loop_vectorization = False  # that is done
    builder = llvm.create_pass_builder(machine, tuning)
    inlining = llvm.create_new_module_pass_manager()
    inlining.add_always_inliner_pass()
    inlining.run(module, builder)
    builder.getModulePassManager().run(module, builder)
