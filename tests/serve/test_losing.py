"""What is being lost, and two versions compared: both told from the log."""

from __future__ import annotations

from typing import Any

import pytest

from cli.air import PREFERENCE
from racl.model import Model
from racl.serve import vetoes
from racl.serve.registry import HERE, version_from, warmed, with_version
from racl.serve.vetoes import curve
from serve.asking import GOOD, Asker, air_model, served

DAY = 86400.0


def decide(ask: Asker, *rows: dict[str, Any]) -> None:
    found = ask("POST", "/v1/decide", {"rows": [{**GOOD, **row} for row in rows]}).json["decisions"]
    assert all("error" not in one for one in found)


def lost(ask: Asker, query: str = "") -> dict[str, Any]:
    answer = ask("GET", f"/v1/models/air/vetoes{query}")
    assert answer.status == 200
    found: dict[str, Any] = answer.json
    return found


def test_nothing_is_lost_where_nothing_was_decided(kept: Asker) -> None:
    found = lost(kept)
    assert (found["counted"], found["studied"], found["credits"], found["spans"], found["curve"]) == (
        0,
        0,
        {},
        [],
        [],
    )
    assert found["requirements"] == [{"requirement": "bag", "fails": 0, "alone": 0, "beyond_repair": 0}]
    assert found["repairs"] == [{"repair": "add_bag", "label": "Add a bag", "chosen": 0, "would_turn": 0}]


def test_what_is_lost_is_told(kept: Asker) -> None:
    decide(kept, *({"budget": budget} for budget in (0, 10, 39, 40)), {"threshold": 1e6}, {"has_bag": True})
    found = lost(kept)
    assert (found["counted"], found["studied"], found["masked"]) == (6, 4, 0)
    assert found["credits"] == {
        "accepted-already-good": 1, "accepted-repairable-good": 1, "rejected-repairable-over-budget": 3,
        "rejected-repairable-suboptimal": 1,
    }  # fmt: skip
    assert [span["credits"] for span in found["spans"]] == [found["credits"]]
    assert found["requirements"] == [{"requirement": "bag", "fails": 4, "alone": 4, "beyond_repair": 0}]
    assert found["curve"] == [{"more": more, "turned": n} for n, more in enumerate((1.0, 30.0, 40.0), 1)]
    assert found["repairs"] == [{"repair": "add_bag", "label": "Add a bag", "chosen": 1, "would_turn": 3}]


def test_the_curve_says_what_the_larger_budgets_do(kept: Asker) -> None:
    budgets = (0, 5, 20, 20, 39.5)
    decide(kept, *({"budget": budget} for budget in budgets))
    model = air_model()
    for point in lost(kept)["curve"]:
        after = [model.decide_one({**GOOD, "budget": budget + point["more"]}) for budget in budgets]
        assert sum(one.accepted for one in after) == point["turned"]


def test_a_requirement_that_no_repair_can_change_is_told(kept: Asker) -> None:
    """A candidate without a bag whose repair does not apply."""
    document = air_model().document()
    domain: Any = document["domain"]
    domain["repairs"]["add_bag"]["applies"] = "not has_bag and stops == 0"
    assert kept("POST", "/v1/models", document).status == 201
    version = kept("GET", "/v1/models/air").json["versions"][-1]["version"]
    kept("POST", "/v1/models/air/activate", {"version": version})
    decide(kept, {"stops": 1}, {"stops": 0, "budget": 1}, {"stops": 2})
    (found,) = lost(kept)["requirements"]
    assert (found["fails"], found["beyond_repair"]) == (3, 2)


def test_spans_of_time_are_as_wide_as_needed_and_without_gaps(kept: Asker) -> None:
    for at, budget in ((0.0, 40), (3 * DAY, 0), (10 * DAY, 0)):
        kept.service.clock = lambda at=at: 1_700_000_000 + at  # type: ignore[misc]
        decide(kept, {"budget": budget})
    found = lost(kept)
    assert found["width"] == 6 * 3600
    assert len(found["spans"]) == 41
    assert sum(sum(span["credits"].values()) for span in found["spans"]) == 3
    later = lost(kept, "?after=2023-11-20T00:00:00Z")
    assert (later["counted"], later["studied"]) == (1, 1)


def test_hidden_rows_are_passed_over_and_counted(kept: Asker) -> None:
    decide(kept, {"budget": 0}, {"budget": 1})

    def hide(connection: Any) -> None:
        with connection.writing():
            given = '{"fare": {"masked": "' + "00" * 32 + '"}}'
            connection.run("UPDATE decisions SET given = ? WHERE seq = 1", (given,))

    connection = kept.service.log().writer.connect()
    hide(connection)
    connection.close()
    found = lost(kept)
    assert (found["studied"], found["masked"], found["counted"]) == (1, 1, 2)


def test_only_so_many_rejections_are_looked_into(kept: Asker, monkeypatch: pytest.MonkeyPatch) -> None:
    decide(kept, *({"budget": number / 100} for number in range(300)))
    assert lost(kept)["studied"] == 300
    assert lost(kept, "?rows=250")["studied"] == 250
    monkeypatch.setattr(vetoes, "SECONDS", 0.0)
    assert lost(kept)["studied"] == 1


def test_a_curve_that_changes_often_is_thinned_out_between_its_ends() -> None:
    found = curve([float(number) for number in range(1000)])
    assert len(found) == vetoes.POINTS
    assert (found[0].more, found[0].turned) == (0.0, 1)
    assert (found[-1].more, found[-1].turned) == (999.0, 1000)
    assert curve([2.0, 2.0, 1.0])[-1].turned == 3
    assert [one.turned for one in curve([2.0, 2.0, 1.0])] == [1, 3]


@pytest.mark.parametrize("path", ["vetoes", "compare?first=000000000000&second=000000000000"])
def test_without_a_log_there_is_nothing_to_tell(path: str) -> None:
    assert Asker(served())("GET", f"/v1/models/air/{path}").status == 404
    assert Asker(served())("GET", f"/v1/models/else/{path}").status == 404


@pytest.mark.parametrize("query", ["rows=0", "rows=5001", "after=yesterday", "other=1"])
def test_a_query_that_cannot_be_is_400(kept: Asker, query: str) -> None:
    assert kept("GET", f"/v1/models/air/vetoes?{query}").status == 400


# comparing ----------------------------------------------------------------------------------------------


def other() -> Model:
    return air_model(leisure={**PREFERENCE["leisure"], "bias": 6})


def added(kept: Asker, model: Model) -> tuple[str, str]:
    serving = kept.service.registry.named(HERE, "air")
    version = warmed(version_from(model, 1.0))
    kept.service.registry.put(HERE, with_version(serving, version))
    return serving.active.digest, version.digest


def test_two_versions_are_compared_on_what_was_logged(kept: Asker) -> None:
    decide(kept, {}, {"persona": "business"}, {"budget": 0}, {"has_bag": True})
    first, second = added(kept, other())
    found = kept("GET", f"/v1/models/air/compare?first={first}&second={second[:12]}").json
    assert (found["compared"], found["same"], found["left_out"]) == (4, 2, 0)
    assert (found["accepted"], found["rejected"]) == (0, 2)
    assert found["credits"]["accepted-repairable-good"] == {
        "accepted-repairable-good": 1, "rejected-repairable-suboptimal": 1,
    }  # fmt: skip
    assert len(found["differences"]) == 2
    assert found["differences"][0]["first"]["accepted"]
    same = kept("GET", f"/v1/models/air/compare?first={first}&second={first}&rows=3").json
    assert (same["compared"], same["same"], same["differences"]) == (3, 3, [])
    assert kept("GET", "/v1/decisions").json["decisions"][0]["model"] == f"air@{first[:12]}"


def test_rows_that_a_version_refuses_are_left_out(kept: Asker) -> None:
    decide(kept, {}, {"fare": 300})
    document: Any = air_model().document()
    document["domain"]["candidate"]["fare"]["max"] = 100
    kept("POST", "/v1/models", document)
    first, second = [one["version"] for one in kept("GET", "/v1/models/air").json["versions"]]
    found = kept("GET", f"/v1/models/air/compare?first={first}&second={second}").json
    assert (found["compared"], found["left_out"]) == (1, 1)


def test_a_version_that_is_not_there_is_404(kept: Asker) -> None:
    first = kept.service.registry.named(HERE, "air").active.digest
    assert kept("GET", f"/v1/models/air/compare?first={first}&second={'0' * 12}").status == 404
    assert kept("GET", "/v1/models/air/compare?first=ABC").status == 400
    assert kept("GET", f"/v1/models/air/compare?first={first}").json["second"] == f"air@{first[:12]}"
