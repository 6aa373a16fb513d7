"""The text of the pass of sums, for a number of features: compiled, one row takes some tens of nanoseconds.

Rows of one group are put together by the batch, each column on its own, before anything is added up: what follows is then
the same for all rows of a batch, in lanes as wide as the machine's. Every lane has its own sums; they are put together last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import factorial


@dataclass(frozen=True)
class Layout:
    """How rows are put together."""

    batch: int  # rows of one group that are added to its sums together
    lanes: int  # partial sums of each entry of a Hessian


FEW = Layout(64, 16)
MANY = Layout(8, 1)  # little memory for each group
MOST = 256  # groups that are few
CHAINS = 4  # partial sums of the log odds of one of several states

HEAD = """\
def kernel(rows, states, groups, p_start, p_x, p_charge, p_threshold, p_group, p_accepted, p_weight,
           p_phi, p_center, p_scale, p_z, p_told, p_count, p_filled, p_odds, p_slope, p_bend,
           p_loss, p_gradient, p_hessian):
    start = array(p_start, rows + 1)
    x = array(p_x, (states, {p}))
    charge = array(p_charge, states)
    threshold = array(p_threshold, rows)
    group = array(p_group, rows)
    accepted = array(p_accepted, rows)
    weight = array(p_weight, rows)
    phi = array(p_phi, (groups, {q}))
    center = array(p_center, {columns})
    scale = array(p_scale, {columns})
    z = array(p_z, (groups, {q}, {batch}))
    told = array(p_told, (groups, {batch}))
    count = array(p_count, (groups, {batch}))
    filled = array(p_filled, groups)
    odds = array(p_odds, {batch})
    slope = array(p_slope, {batch})
    bend = array(p_bend, {batch})
    loss = array(p_loss, (groups, {batch}))
    gradient = array(p_gradient, (groups, {q}, {batch}))
    hessian = array(p_hessian, (groups, {q}, {q}, {lanes}))
    for i in range(rows + groups):
        last = i >= rows
        g = np.uint64(i - rows) if last else np.uint64(group[i])
        if not last:
            best = start[i]
            if best + 1 < start[i + 1]:
                top = -np.inf
                for s in range(start[i], start[i + 1]):
{value}
                    if value > top:
                        top = value
                        best = s
            if best < start[i + 1]:
                r = np.uint64(filled[g])
{put}
                told[g, r] = accepted[i]
                count[g, r] = weight[i]
                filled[g] = r + np.uint64(1)
        if filled[g] == {batch} or last:
"""

FLUSH = """\
            for r in range(filled[g], {batch}):
                count[g, r] = 0.0
            for r in range({batch}):
                odds[r] = {odds}
            for r in range({batch}):
                top = odds[r]
                below = max(-abs(top), {least})
                power = floor(below * {inverse_ln2} + 0.5)
                rest = (below - power * {ln2_high}) - power * {ln2_low}
                small = (1.0 + rest * ({exp})) * power_of_two(power)
                one = 1.0 + small
                halved = one > {sqrt2}
                over = select(halved, 0.5 * one - 1.0, small)
                ratio = over / (2.0 + over)
                square = ratio * ratio
                grown = 2.0 * ratio * ({log}) + select(halved, {ln2}, 0.0)
                missed = select(told[g, r] > 0.0, -top, top)
                loss[g, r] += count[g, r] * (grown + max(missed, 0.0))
                slope[r] = count[g, r] * (select(top > 0.0, 1.0, small) / one - told[g, r])
                bend[r] = count[g, r] * small / (one * one)
            for j in range({q}):
                for r in range({batch}):
                    gradient[g, j, r] += slope[r] * z[g, j, r]
                    odds[r] = bend[r] * z[g, j, r]
                for k in range(j + 1):
                    for lane in range({lanes}):
                        hessian[g, j, k, lane] += {products}
            filled[g] = 0
"""

NUMBERS = {
    "least": -708.0,  # what e to the power of it is, no sum can tell from 0
    "inverse_ln2": 1.4426950408889634,
    "ln2_high": 0.6931471803691238,  # ln 2 to 32 bits: its product with a power is exact
    "ln2_low": 1.9082149292705877e-10,
    "ln2": 0.6931471805599453,
    "sqrt2": 1.4142135623730951,
}


def source(p: int, layout: Layout) -> str:
    """The text for p features."""
    batch, lanes = layout.batch, layout.lanes
    sizes = {"p": p, "q": p + 2, "columns": p + 1, "batch": batch, "lanes": lanes}
    products = [f"odds[lane + {at}] * z[g, k, lane + {at}]" for at in range(0, batch, lanes)]
    flush = FLUSH.format(
        **sizes,
        **NUMBERS,
        odds=" + ".join(f"phi[g, {j}] * z[g, {j}, r]" for j in range(p + 2)),
        exp=series([1.0 / factorial(n) for n in range(1, 14)], "rest"),
        log=series([1.0 / (2 * n + 1) for n in range(11)], "square"),
        products=" + ".join(products),
    )
    return HEAD.format(**sizes, value=lines(20, value(p)), put=lines(16, put(p))) + flush


def lines(indent: int, texts: Sequence[str]) -> str:
    """Lines so far from the margin."""
    return "\n".join(f"{' ' * indent}{text}" for text in texts)


def columns(p: int, state: str) -> list[str]:
    """What coefficients are for, of a state: features, 1, and the threshold turned about."""
    features = [f"(x[{state}, {j}] - center[{j}]) * scale[{j}]" for j in range(p)]
    return [*features, "1.0", f"(center[{p}] - (threshold[i] + charge[{state}])) * scale[{p}]"]


def put(p: int) -> list[str]:
    """The best state's columns, into the batch."""
    return [f"z[g, {j}, r] = {column}" for j, column in enumerate(columns(p, "best"))]


def value(p: int) -> list[str]:
    """The log odds of a state."""
    terms = [f"phi[g, {j}] * ({column})" for j, column in enumerate(columns(p, "s"))]
    chains = [f"chain{n} = {' + '.join(terms[n::CHAINS])}" for n in range(CHAINS) if terms[n::CHAINS]]
    return [*chains, f"value = {' + '.join(f'chain{n}' for n in range(len(chains)))}"]


def series(terms: Sequence[float], of: str) -> str:
    """A power series, the highest power innermost."""
    found = repr(terms[-1])
    for term in reversed(terms[:-1]):
        found = f"{term!r} + {of} * ({found})"
    return found
