"""`racl check`: faults, warnings, the table, JSON and the schema."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.air import AIR, Racl
from racl.domain.schema import schema

TABLE = """\
domain air: no faults
4 candidate columns, 4 context columns, 1 requirement, 3 features, 1 repair, 2 personas
2 plans to try on each row, of up to 1 step

repair   can change requirements  can change features
add_bag  bag                      price
"""


def test_a_sound_domain_gets_a_summary_and_a_table(racl: Racl, air: Path) -> None:
    done = racl("check", "air.toml")
    assert (done.code, done.out, done.err) == (0, TABLE, "")


def test_a_model_is_checked_and_its_domain_shown(racl: Racl, air: Path) -> None:
    done = racl("check", "air.json")
    assert (done.code, done.out, done.err) == (0, TABLE.replace("domain air", "model air", 1), "")


def test_every_fault_is_a_line_with_its_place_and_a_caret(racl: Racl, air: Path) -> None:
    text = AIR.replace("35 + 5 * stops", "35 + 5 * stpos").replace("[features]", "[featres]")
    (air / "bad.toml").write_text(text, "utf-8")
    done = racl("check", "bad.toml")
    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines() == [
        "bad.toml:19: featres: unknown key `featres` (did you mean `features`?)",
        "bad.toml:28: repairs.add_bag.cost: unknown name `stpos` (did you mean `stops`?)",
        "    35 + 5 * stpos",
        "             ^^^^^",
    ]


def test_faults_of_a_model_are_placed_in_it(racl: Racl, air: Path) -> None:
    model = json.loads((air / "air.json").read_text("utf-8"))
    del model["preference"]["leisure"]["weights"]["aa"]
    model["domain"]["repairs"]["add_bag"]["cost"] = "stop"
    (air / "bad.json").write_text(json.dumps(model, indent=1), "utf-8")
    done = racl("check", "bad.json")
    assert done.code == 2
    assert "domain.repairs.add_bag.cost: unknown name `stop` (did you mean `stops`?)" in done.err


WARNED = [
    ("[repairs.add_bag]", '[repairs.paint]\nsets = { carrier = "carrier" }\n\n[repairs.add_bag]',
     "air.toml:24: repairs.paint: warning: the repair `paint` can change no requirement and no feature (it sets"),
    ("[context]", 'colour = "boolean"\n\n[context]',
     "air.toml:10: candidate.colour: warning: nothing reads the column `colour` (rows need not have it)"),
    ("[features]", 'few = "budget >= 1"\n\n[features]',
     "air.toml:19: requirements.few: warning: no repair can change the requirement `few` (it reads [context] a"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "said"), WARNED)
def test_a_warning_has_a_place_and_does_not_change_the_end(
    old: str, new: str, said: str, racl: Racl, air: Path
) -> None:
    (air / "air.toml").write_text(AIR.replace(old, new), "utf-8")
    done = racl("check", "air.toml")
    assert (done.code, done.err.count("\n")) == (0, 1)
    assert done.err.startswith(said)
    assert done.out.startswith("domain air: no faults; 1 warning\n")


def test_json_holds_what_the_words_say(racl: Racl, air: Path) -> None:
    (air / "air.toml").write_text(AIR.replace("[context]", 'colour = "boolean"\n\n[context]'), "utf-8")
    done = racl("check", "air.toml", "--json")
    found = json.loads(done.out)
    assert done.code == 0
    assert (found["file"], found["kind"], found["problems"]) == ("air.toml", "domain", [])
    assert [(one["line"], one["where"]) for one in found["warnings"]] == [(10, "candidate.colour")]
    assert found["domain"]["name"] == "air"
    assert found["domain"]["plans"] == 2
    assert found["domain"]["repairs"][0]["requirements"] == ["bag"]
    assert found["domain"]["requirements"] == {"bag": {"repairs": ["add_bag"], "further_repairs": []}}


def test_json_of_a_faulty_file_holds_its_faults_and_so_does_standard_error(racl: Racl, air: Path) -> None:
    (air / "bad.toml").write_text(AIR.replace('cost    = "35', 'cost    = "34x'), "utf-8")
    done = racl("check", "bad.toml", "--json")
    found = json.loads(done.out)
    assert done.code == 2
    assert "domain" not in found
    assert [(one["where"], one["line"]) for one in found["problems"]] == [("repairs.add_bag.cost", 28)]
    assert found["problems"][0]["text"][slice(*found["problems"][0]["span"])] == "34x"
    assert done.err.startswith("bad.toml:28: repairs.add_bag.cost: ")


def test_the_table_keeps_to_the_width_of_the_terminal(
    racl: Racl, air: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    more = "".join(f'quality_number_{number} = "fare + {number}"\n' for number in range(9))
    (air / "air.toml").write_text(AIR.replace("\n[repairs", more + "\n[repairs"), "utf-8")
    monkeypatch.setenv("COLUMNS", "60")
    table = racl("check", "air.toml").out.split("\n\n")[1]
    assert max(map(len, table.splitlines())) <= 60
    assert table.count("quality_number_") == 9


def test_the_schema_is_printed_without_a_file(racl: Racl) -> None:
    done = racl("check", "--schema")
    assert (done.code, json.loads(done.out), done.err) == (0, schema(), "")
