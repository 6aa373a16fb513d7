"""Routes that decide: one row, many, the best of a choice set; and that explain a decision or ask what if."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import UNSET, UnsetType

from racl.errors import RowError
from racl.explain.case import case_of, judge
from racl.model import Model
from racl.semantics import Decision, Refused, read_row
from racl.serve.columns import MANY, decide_many, ready
from racl.serve.deciding import Found, decide_row, decide_rows, declared, sure
from racl.serve.faults import RequestError, invalid, pointer
from racl.serve.recording import keep, results, shadowed
from racl.serve.registry import Serving, Version
from racl.serve.remembering import recalled, unmasked, verdict, version_of
from racl.serve.routes import Call
from racl.serve.service import Service
from racl.serve.wire import (
    ChooseAnswer,
    ChooseRequest,
    DecideAnswer,
    DecideRequest,
    ExplainAnswer,
    ExplainRequest,
    WhatIfAnswer,
    WhatIfRequest,
)


def given(value: Any) -> Any:
    """What was said, or None."""
    return None if value is UNSET else value


def decide(service: Service, call: Call) -> Any:
    """Decide a row, which is refused as a whole, or rows, each of which may be refused by itself."""
    asked: DecideRequest = call.body
    if (asked.row is UNSET) == (asked.rows is UNSET):
        raise invalid("either `row` or `rows` is wanted", "", "missing_field")
    serving, version = version_for(service, call, asked.model, asked.idempotency_key)
    if isinstance(asked.rows, UnsetType):
        rows: Sequence[Any] = [asked.row]
        found: Sequence[Found] = [
            counted(service, version, decide_row(version.model, asked.row or {}, "row"))
        ]
    else:
        rows = asked.rows
        check_count(service, rows)
        found = decide_all(service, version, rows)
    answers, records = results(service, call, version, rows, found)
    differences = list(shadowed(service, serving, version, rows, found, answers, call))
    return keep(service, call, DecideAnswer(answers), records, differences)


def counted(service: Service, version: Version, one: Found) -> Decision:
    """The decision on a row that is refused with its request; raises the fault, counted, where there is none."""
    if isinstance(one, RequestError):
        service.counts.decided(version.reference, (), 1)
    return sure(one)


def decide_all(service: Service, version: Version, rows: Sequence[Any]) -> list[Found]:
    """The decisions on many rows: by the kernel once it is compiled, which is seen to where it would pay."""
    if len(rows) < MANY:
        return decide_rows(version.model, rows)
    if ready(version.model):
        return decide_many(version.model, rows)
    if version.digest not in service.compiling:
        service.compiling.add(version.digest)
        service.pool.submit(lambda: version.model.kernel)
    return decide_rows(version.model, rows)


def choose(service: Service, call: Call) -> Any:
    """Decide a choice set and take its best; one bad row spoils the set."""
    asked: ChooseRequest = call.body
    check_count(service, asked.rows)
    serving, version = version_for(service, call, asked.model, asked.idempotency_key)
    found = [counted(service, version, one) for one in decide_rows(version.model, asked.rows)]
    check_context(version.model, asked.rows)
    answers, records = results(service, call, version, asked.rows, found)
    differences = list(shadowed(service, serving, version, asked.rows, found, answers, call))
    return keep(service, call, ChooseAnswer(chosen(found), answers), records, differences)


def chosen(found: Sequence[Decision]) -> int | None:
    """The accepted candidate of the highest value, of equals the first."""
    accepted = [number for number, one in enumerate(found) if one.accepted]
    return max(accepted, key=lambda number: found[number].value or 0.0, default=None)


def check_context(model: Model, rows: Sequence[Mapping[str, Any]]) -> None:
    """Refuse a choice set whose candidates do not stand in one context."""
    for column in model.domain.context:
        held = [column.default if row.get(column.name) is None else row[column.name] for row in rows]
        for number, value in enumerate(held):
            if value != held[0]:
                words = (
                    "the candidates of a choice set stand in one context; this differs from the first row's"
                )
                raise invalid(words, pointer("rows", number, column.name), "row_refused")


def version_for(
    service: Service, call: Call, name: str | UnsetType, key: str | UnsetType = UNSET
) -> tuple[Serving, Version]:
    """The model of a request, and the version that decides it."""
    serving = service.registry.asked(call.caller.tenant, given(name))
    return serving, serving.deciding(call.request_id if isinstance(key, UnsetType) else key)


def check_count(service: Service, rows: Sequence[Any]) -> None:
    """Refuse more rows than a request may hold."""
    most = service.settings.max_rows
    if len(rows) > most:
        raise RequestError(413, "too_large", f"{len(rows):,} rows; a request may hold {most:,}", "/rows")


# explaining ------------------------------------------------------------------------------------------


async def explain(service: Service, call: Call) -> ExplainAnswer:
    """Explain the decision on a row; nothing is logged."""
    asked: ExplainRequest = call.body
    _, version = version_for(service, call, asked.model)
    return await service.aside(lambda: explained(version, asked.row))


def explained(version: Version, row: Mapping[str, Any]) -> ExplainAnswer:
    """The decision on a row with everything that it came from."""
    sure(decide_row(version.model, row, "row"))
    try:
        found = version.model.explain(row)
    except RowError as fault:
        raise invalid(str(fault), "/row", "row_refused") from None
    return ExplainAnswer(version.reference, found.to_dict(), str(found))


async def what_if(service: Service, call: Call) -> WhatIfAnswer:
    """The decision on a row as it would be with other columns, another budget or another threshold."""
    asked: WhatIfRequest = call.body
    if (asked.row is UNSET) == (asked.id is UNSET):
        raise invalid("either `row` or `id` is wanted", "", "missing_field")
    if isinstance(asked.id, UnsetType):
        _, version = version_for(service, call, asked.model)
        row = asked.row or {}
    else:
        logged = await recalled(service, call, asked.id)
        version, row = version_of(service, call, logged), unmasked(logged)
    return await service.aside(lambda: turned(version, row, asked))


def turned(version: Version, row: Mapping[str, Any], asked: WhatIfRequest) -> WhatIfAnswer:
    """The decision before and after the change."""
    model = version.model
    before = sure(decide_row(model, row, "row"))
    changed = {**row, **asked.changes}
    unknown = [name for name in asked.changes if name not in declared(model.domain)]
    after = decide_row(model, changed, "changes" if unknown else "row")
    if isinstance(after, RequestError):
        name = after.field.rpartition("/")[2]
        raise RequestError(
            400, after.code, after.message, pointer("changes", name) if name in asked.changes else ""
        )
    if asked.budget is not UNSET or asked.threshold is not UNSET:
        after = judged(model, changed, after, asked)
    return WhatIfAnswer(version.reference, verdict(before), verdict(after), before.accepted != after.accepted)


def judged(model: Model, row: Mapping[str, Any], decision: Decision, asked: WhatIfRequest) -> Decision:
    """The decision with another value of the rule's budget or threshold."""
    state = read_row(model.domain, model.taste, row)
    if isinstance(state, Refused):
        raise invalid(state.reason, pointer("row", state.column), "row_refused")
    case = case_of(model, state, decision)
    budget = case.budget if isinstance(asked.budget, UnsetType) else asked.budget
    threshold = case.threshold if isinstance(asked.threshold, UnsetType) else asked.threshold
    if budget < 0:
        raise invalid("a budget is at least 0", "/budget", "row_refused")
    found = judge(case, budget=budget, threshold=threshold)
    if isinstance(found, Refused):
        raise invalid(f"{found.column}: {found.reason}", "", "row_refused")
    return found
