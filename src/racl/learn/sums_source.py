"""The text of the pass of sums, for a number of features: compiled, one row takes some tens of nanoseconds.

Rows of one group are put together by the batch before they are added to its Hessian, which then is read and written once
a batch; of the Hessian only the upper half is made, in lanes as wide as the machine's.
"""

from __future__ import annotations

LANES = 4  # numbers that the machine multiplies at once; partial sums of a dot product
BATCH = 8  # rows of one group that go into its Hessian together

HEAD = """\
def kernel(rows, states, groups, p_start, p_x, p_charge, p_threshold, p_group, p_accepted, p_weight,
           p_phi, p_center, p_scale, p_batch, p_bend, p_filled, p_loss, p_gradient, p_hessian):
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
    z = array(p_batch, (groups, {batch}, {wide}))
    bends = array(p_bend, (groups, {batch}))
    filled = array(p_filled, groups)
    loss = array(p_loss, groups)
    gradient = array(p_gradient, (groups, {wide}))
    hessian = array(p_hessian, (groups, {q}, {wide}))
    for i in range(rows + groups):
        last = i >= rows
        g = np.uint64(i - rows) if last else np.uint64(group[i])
        if not last:
            top = -np.inf
            best = -1
            for s in range(start[i], start[i + 1]):
"""

BODY = """\
                if odds > top:
                    top = odds
                    best = s
            if best >= 0:
                r = np.uint64(filled[g])
                for j in range({p}):
                    z[g, r, j] = (x[best, j] - center[j]) * scale[j]
                z[g, r, {p}] = 1.0
                z[g, r, {beta}] = (center[{p}] - (threshold[i] + charge[best])) * scale[{p}]
                small = exp(-abs(top))
                one = 1.0 + small
                agreed = top if accepted[i] else -top
                loss[g] += weight[i] * (log(one) + (0.0 if agreed > 0.0 else -agreed))
                slope = weight[i] * ((1.0 if top > 0.0 else small) / one - accepted[i])
                bends[g, r] = weight[i] * small / (one * one)
                for j in range({wide}):
                    gradient[g, j] += slope * z[g, r, j]
                filled[g] = r + np.uint64(1)
        if filled[g] == {batch} or last:
            for r in range(filled[g], {batch}):
                bends[g, r] = 0.0
            for j in range({q}):
"""


def source(p: int) -> str:
    """The text for p features."""
    sizes = {"p": p, "q": p + 2, "beta": p + 1, "columns": p + 1, "batch": BATCH, "wide": width(p)}
    odds = "".join(f"{' ' * 16}{line}\n" for line in dot(p))
    flushed = "".join(f"{' ' * 16}{line}\n" for line in flush(p))
    return HEAD.format(**sizes) + odds + BODY.format(**sizes) + flushed + " " * 12 + "filled[g] = 0\n"


def width(p: int) -> int:
    """p + 2 coefficients, filled up to whole lanes."""
    return -(-(p + 2) // LANES) * LANES


def dot(p: int) -> list[str]:
    """The log odds of a state."""
    threshold = f"(center[{p}] - (threshold[i] + charge[s])) * scale[{p}]"
    terms = [f"phi[g, {p}]", f"phi[g, {p + 1}] * ({threshold})"]
    terms += [f"phi[g, {j}] * ((x[s, {j}] - center[{j}]) * scale[{j}])" for j in range(p)]
    lanes = [f"lane{n} = {' + '.join(terms[n::LANES])}" for n in range(LANES) if terms[n::LANES]]
    return [*lanes, f"odds = {' + '.join(f'lane{n}' for n in range(len(lanes)))}"]


def flush(p: int) -> list[str]:
    """A row of the Hessian, from the batch; entries of rows that are not there have a bend of 0."""
    factors = [f"b{r} = bends[g, {r}] * z[g, {r}, j]" for r in range(BATCH)]
    terms = " + ".join(f"b{r} * z[g, {r}, k]" for r in range(BATCH))
    inner = [f"for k in range(j - j % {LANES}, {width(p)}):", f"    hessian[g, j, k] += {terms}"]
    return [*factors, *inner]
