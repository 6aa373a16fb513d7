"""A pass of sums is what it says, by whatever engine, in whatever parts, on however many threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from learn import worlds
from racl.learn.data import latent_data
from racl.learn.standard import Standard, moments, standard_of
from racl.learn.sums import Stretch, Sums, added, compiled_pass, fused, in_memory, plain
from racl.learn.sums_source import FEW, MANY, MOST, Layout
from racl.options import Floats


def world(seed: int, n: int = 900) -> tuple[Stretch, Standard, Floats]:
    data = latent_data(worlds.sample(n, seed))
    phi = np.random.default_rng(seed).normal(size=(4, 5))
    return data.rows, standard_of(data.moments()), phi


def close(first: Sums, second: Sums) -> None:
    for one, other in zip(vars(first).values(), vars(second).values(), strict=True):
        assert one == pytest.approx(other, rel=1e-9, abs=1e-9)


@pytest.mark.kernel
@pytest.mark.parametrize("layout", [FEW, MANY], ids=["few", "many"])
@pytest.mark.parametrize("seed", range(10))
def test_the_compiled_pass_finds_what_the_plain_one_finds(seed: int, layout: Layout) -> None:
    rows, standard, phi = world(seed)
    close(fused(3, layout)(rows, phi, standard), plain(rows, phi, standard))


def single(n: int, p: int, groups: int) -> tuple[Stretch, Standard, Floats]:
    """Rows of one state each, or of none, that count by a weight, or not at all."""
    chance = np.random.default_rng(n)
    states = (chance.random(n) < 0.9).astype(np.int64)
    start = np.concatenate([[0], np.cumsum(states)])
    features, threshold = chance.normal(3.0, 2.0, (start[-1], p)), chance.normal(size=n)
    weight: Any = 0.5 * chance.integers(0, 3, n)
    accepted = chance.integers(0, 2, n).astype(np.uint8)
    rows = Stretch(
        start, features, chance.random(start[-1]), threshold, chance.integers(0, groups, n), accepted, weight
    )
    standard = standard_of(moments(features, threshold, np.zeros(p + 1)))
    return rows, standard, chance.normal(size=(groups, p + 2))


@pytest.mark.kernel
@pytest.mark.parametrize("n", [1, 63, 64, 65, 2000])
@pytest.mark.parametrize("p", [1, 13])
@pytest.mark.parametrize("groups", [1, 7, MOST + 1])
def test_the_compiled_pass_takes_rows_of_any_number_width_and_group(n: int, p: int, groups: int) -> None:
    rows, standard, phi = single(n, p, groups)
    close(compiled_pass(p)(rows, phi, standard), plain(rows, phi, standard))


@pytest.mark.kernel
@pytest.mark.parametrize("steep", [1e-9, 0.1, 10.0, 300.0, 1e6])
def test_the_compiled_pass_knows_small_and_large_odds(steep: float) -> None:
    rows, standard, phi = single(3000, 2, 3)
    found, wanted = (run(rows, steep * phi, standard) for run in (fused(2), plain))
    for name in ("loss", "gradient", "hessian"):
        one, other = getattr(found, name), getattr(wanted, name)
        np.testing.assert_allclose(one, other, rtol=1e-13, atol=1e-13 * np.abs(other).max() + 1e-250)


@pytest.mark.parametrize("seed", range(10))
def test_the_gradient_is_the_slope_of_the_loss_and_the_hessian_that_of_the_gradient(seed: int) -> None:
    rows, standard, phi = world(seed)
    here, step = plain(rows, phi, standard), 1e-6
    for column in range(5):
        away = np.zeros(5)
        away[column] = step
        up, down = (plain(rows, phi + sign * away, standard) for sign in (1.0, -1.0))
        assert (up.loss - down.loss) / (2 * step) == pytest.approx(
            here.gradient[:, column], rel=1e-4, abs=1e-3
        )
        slope = (up.gradient - down.gradient) / (2 * step)
        assert slope == pytest.approx(here.hessian[:, column], rel=1e-3, abs=1e-1)


def test_sums_of_parts_are_the_sums_of_the_whole() -> None:
    rows, standard, phi = world(1)
    whole = plain(rows, phi, standard)
    close(added((plain(part, phi, standard) for part in rows.parts(128)), phi), whole)


@pytest.mark.kernel
def test_the_number_of_threads_does_not_change_a_bit() -> None:
    sample: Any = worlds.sample(70_000)
    data = latent_data(sample)
    standard = standard_of(data.moments())
    phi = np.random.default_rng(0).normal(size=(4, 5))
    one, two = (in_memory(data.rows, standard, threads=threads)(phi) for threads in (1, 2))
    assert all((a == b).all() for a, b in zip(vars(one).values(), vars(two).values(), strict=True))


def test_pooled_rows_are_judged_by_one_set_of_coefficients() -> None:
    rows, standard, phi = world(2)
    same = np.repeat(phi[:1], 4, axis=0)
    apart, pooled = plain(rows, same, standard), plain(rows.pooled(), phi[:1], standard)
    assert apart.loss.sum() == pytest.approx(pooled.loss[0])
    assert apart.gradient.sum(axis=0) == pytest.approx(pooled.gradient[0])
    assert apart.hessian.sum(axis=0) == pytest.approx(pooled.hessian[0])


def test_coefficients_go_to_the_standard_scale_and_back() -> None:
    rows, standard, phi = world(3)
    assert standard.standard(standard.plain(phi)) == pytest.approx(phi)
    columns = standard.columns(
        rows.features, rows.threshold[np.repeat(np.arange(len(rows)), np.diff(rows.start))]
    )
    u, d, beta = np.split(standard.plain(phi[0]), [3, 4])
    bar = np.repeat(rows.threshold, np.diff(rows.start))
    assert columns @ phi[0] == pytest.approx(rows.features @ u + d - beta * bar)


def test_moments_count_by_weight_as_repeated_rows_would() -> None:
    chance = np.random.default_rng(0)
    features, threshold = chance.normal(size=(50, 2)), chance.normal(size=50)
    times = chance.integers(1, 4, 50)
    shift = np.zeros(3)
    weight = times.astype(float)
    first = standard_of(moments(features, threshold, shift, (weight, weight)))
    second = standard_of(moments(np.repeat(features, times, axis=0), np.repeat(threshold, times), shift))
    assert first.center == pytest.approx(second.center)
    assert first.scale == pytest.approx(second.scale)
