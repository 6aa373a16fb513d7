"""What is counted while the service runs, in the text form of Prometheus."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from racl.engines.outputs import CREDITS
from racl.semantics import Credit

BOUNDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)  # seconds
Labels = tuple[object, ...]


class Counts:
    """Requests, decisions, refusals, and how long answers took."""

    def __init__(self) -> None:
        self.requests: Counter[Labels] = Counter()  # route, status
        self.decisions: Counter[Labels] = Counter()  # model, credit
        self.refused_rows: Counter[Labels] = Counter()  # model
        self.shadowed: Counter[Labels] = Counter()  # model, same or different
        self.buckets = [0] * (len(BOUNDS) + 1)
        self.seconds = 0.0
        self.gauges: dict[str, tuple[str, Callable[[], float]]] = {}

    def answered(self, route: str, status: int, seconds: float) -> None:
        """One more request."""
        self.requests[route, status] += 1
        self.buckets[bisect_left(BOUNDS, seconds)] += 1
        self.seconds += seconds

    def decided(self, model: str, credits_: Sequence[Credit], refused: int) -> None:
        """More decisions of a model, and rows that it refused."""
        for credit in CREDITS:
            if found := credits_.count(credit):
                self.decisions[model, credit.value] += found
        if refused:
            self.refused_rows[(model,)] += refused

    def text(self) -> str:
        """Everything, as Prometheus reads it."""
        return "\n".join([*self._lines(), ""])

    def _lines(self) -> Iterator[str]:
        yield from counter("racl_requests_total", "Requests answered.", ("route", "status"), self.requests)
        yield from counter("racl_decisions_total", "Decisions made.", ("model", "credit"), self.decisions)
        yield from counter("racl_refused_rows_total", "Rows refused.", ("model",), self.refused_rows)
        yield from counter(
            "racl_shadow_total", "Decisions made in the shadow.", ("model", "outcome"), self.shadowed
        )
        yield "# HELP racl_request_seconds How long answers took."
        yield "# TYPE racl_request_seconds histogram"
        total = 0
        for bound, held in zip((*map(str, BOUNDS), "+Inf"), self.buckets, strict=True):
            total += held
            yield f'racl_request_seconds_bucket{{le="{bound}"}} {total}'
        yield f"racl_request_seconds_sum {self.seconds!r}"
        yield f"racl_request_seconds_count {total}"
        for name, (about, read) in self.gauges.items():
            yield f"# HELP {name} {about}"
            yield f"# TYPE {name} gauge"
            yield f"{name} {read()!r}"


def counter(name: str, about: str, labels: tuple[str, ...], counted: Counter[Labels]) -> Iterator[str]:
    """The lines of one counter."""
    yield f"# HELP {name} {about}"
    yield f"# TYPE {name} counter"
    for values, number in sorted(counted.items()):
        pairs = ",".join(
            f'{label}="{escaped(str(value))}"' for label, value in zip(labels, values, strict=True)
        )
        yield f"{name}{{{pairs}}} {number}"


def escaped(text: str) -> str:
    """Text between the quotes of a label."""
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
