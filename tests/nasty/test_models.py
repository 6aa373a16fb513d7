"""Nasty model files: each is refused with its key path, and nothing of it runs."""

from __future__ import annotations

import io
import json
import pickle
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nasty.air import AIR, ROW, Document, document, model, model_refused
from racl import Model, ModelError, RaclError, load_model
from racl.model import fingerprint, parse_model

TEXT = json.dumps(document(), indent=1)


class Evil:
    """Leaves a file behind when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Callable[[str, str], object], tuple[str, str]]:
        return open, (str(self.path), "w")


def zipped(content: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("model.json", content)
    return buffer.getvalue()


def saved(array: Any) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=True)
    return buffer.getvalue()


NO_MODELS: dict[str, Callable[[Path], bytes]] = {
    **{f"pickle {n}": lambda path, n=n: pickle.dumps(Evil(path), protocol=n) for n in range(6)},  # type: ignore[misc]
    "zip": lambda path: zipped(pickle.dumps(Evil(path))),
    "npy": lambda path: saved(np.array([Evil(path)], dtype=object)),
    "toml": lambda _: AIR.encode(),
    "a list": lambda _: b"[1, 2]",
    "a number": lambda _: b"1",
    "null": lambda _: b"null",
    "nothing": lambda _: b"",
    "a mark": lambda _: b"\xef\xbb\xbf" + TEXT.encode(),
    "utf-16": lambda _: TEXT.encode("utf-16"),
    "100,000 lists": lambda _: b"[" * 100_000 + b"]" * 100_000,
    "100,000 tables": lambda _: b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "half a pair": lambda _: TEXT.replace('"air-ticket"', '"\\ud800"').encode(),
}


def test_the_sound_model_is_sound() -> None:
    assert model().decide_one(ROW).plan == "add_bag"


@pytest.mark.parametrize("kind", NO_MODELS)
def test_what_is_no_model_is_refused_and_nothing_runs(kind: str, tmp_path: Path) -> None:
    """A01."""
    path, ran = tmp_path / "model.json", tmp_path / "ran"
    path.write_bytes(NO_MODELS[kind](ran))
    with pytest.raises(ModelError):
        load_model(path)
    assert not ran.exists()


def test_loading_never_imports_what_can_run_a_file(tmp_path: Path) -> None:
    """A01."""
    (tmp_path / "bad.json").write_bytes(pickle.dumps(Evil(tmp_path / "ran")))
    (tmp_path / "good.json").write_text(TEXT)
    script = """if True:
        import sys, racl
        for name in ("pickle", "_pickle", "cPickle", "joblib", "dill", "cloudpickle", "marshal"):
            sys.modules.pop(name, None)
        racl.load_model("good.json")
        try:
            racl.load_model("bad.json")
        except racl.ModelError:
            pass
        print({"pickle", "_pickle", "joblib", "dill", "cloudpickle"} & set(sys.modules))
    """
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "set()\n"


def meaning(found: Model) -> tuple[object, ...]:
    """What a model decides by."""
    return found.domain, found.taste


def outcome(data: bytes, path: Path) -> str:
    """`same`, `refused`, or how the meaning changed."""
    path.write_bytes(data)
    try:
        found = load_model(path)
    except RaclError as fault:
        return "refused" if fault.problems else "refused without a reason"
    return "same" if meaning(found) == meaning(model()) else f"changed: {found.document()}"


COMPACT = json.dumps(document(), separators=(",", ":")).encode()


@pytest.mark.parametrize("part", range(8))
def test_a_model_with_one_bit_flipped_is_refused_or_means_the_same(part: int, tmp_path: Path) -> None:
    """A03."""
    path = tmp_path / "model.json"
    for place in range(part, len(COMPACT), 8):
        for bit in (place * 3 % 8, (place * 5 + 1) % 8):
            data = bytearray(COMPACT)
            data[place] ^= 1 << bit
            assert outcome(bytes(data), path) in ("refused", "same"), (place, bit)


def test_a_model_cut_at_any_byte_is_refused(tmp_path: Path) -> None:
    """A03."""
    text = TEXT.encode()
    assert {outcome(text[:place], tmp_path / "model.json") for place in range(len(text))} == {"refused"}
    assert outcome(text, tmp_path / "model.json") == "same"


def test_a_changed_weight_does_not_fit_the_hash() -> None:
    """A03."""
    changed = document()
    changed["preference"]["business"]["bias"] = 1.5
    lines = model_refused(json.dumps(changed))
    assert lines == [
        "air.json:1: sha256: the hash does not fit the content (the file was damaged, or edited: remove the key)"
    ]
    del changed["sha256"]
    assert parse_model(json.dumps(changed)).taste.personas["business"].bias == 1.5


@pytest.mark.parametrize(
    "number",
    ["NaN", "Infinity", "-Infinity", "1e400", "-1e400", "1" + "0" * 400, "true", '"1"', "null", "[]"],
)
@pytest.mark.parametrize(
    "place", ["preference.business.bias", "preference.leisure.weights.aa", "preference_default.bias"]
)
def test_weights_are_finite_numbers(place: str, number: str) -> None:
    """A04."""
    given = unhashed()
    given["preference_default"] = {"bias": 0, "weights": {"price": 0, "nonstop": 0, "aa": 0}}
    at(given, place.split(".")[:-1])[place.rsplit(".", maxsplit=1)[-1]] = "HERE"
    lines = model_refused(json.dumps(given, indent=1).replace('"HERE"', number))
    assert [line.split(": ")[1] for line in lines] == [place]


def test_keys_given_twice_are_refused() -> None:
    """A04."""
    text = json.dumps(unhashed(), indent=1)
    for key, place in (
        ('"bias": 1.0', "preference.business.bias"),
        ('"fare"', "domain.candidate.fare"),
        ('"preference"', "preference"),
    ):
        value = "" if ":" in key else ": 1"
        spoilt = text.replace(key, f"{key}{value}, {key}", 1)
        assert any(f": {place}: given twice" in line for line in model_refused(spoilt)), place


def unhashed() -> Document:
    found = document()
    del found["sha256"]
    return found


def at(found: Document, path: list[str]) -> Document:
    for key in path:
        found = found[key]
    return found


def leisure(given: Document) -> Document:
    return at(given, ["preference", "leisure"])


def business(given: Document) -> Document:
    return at(given, ["preference", "business"])


SPOILT: list[tuple[str, Callable[[Document], object], str]] = [
    ("a weight missing", lambda d: leisure(d)["weights"].pop("nonstop"), "leisure.weights: no feature `nonstop`"),
    ("a weight too many", lambda d: leisure(d)["weights"].update(wifi=1), "weights.wifi: the feature `wifi` is not declared"),
    ("a weight misspelt", lambda d: business(d)["weights"].update(nonstopp=1), "(did you mean `nonstop`?)"),
    ("no bias", lambda d: leisure(d).pop("bias"), "preference.leisure: no key `bias`"),
    ("no weights", lambda d: leisure(d).pop("weights"), "preference.leisure: no key `weights`"),
    ("a key too many", lambda d: leisure(d).update(prior=1), "preference.leisure.prior: the key `prior` is not declared"),
    ("a persona missing", lambda d: d["preference"].pop("leisure"), "preference: no persona `leisure`"),
    ("a persona too many", lambda d: d["preference"].update(crew=leisure(d)), "crew: the persona `crew` is not declared"),
    ("personas of another domain", lambda d: d.update(preference={"all": leisure(d)}), "no persona `business`, `leisure`"),
    ("no preference", lambda d: d.pop("preference"), "preference: the preferences are missing"),
    ("no domain", lambda d: d.pop("domain"), "domain: the domain is missing"),
    ("a domain of text", lambda d: d.update(domain="air.toml"), "domain: the domain is not a table"),
    ("a faulty domain", lambda d: d["domain"]["requirements"].update(bag="has_bga"), "domain.requirements.bag: unknown name"),
    ("no format", lambda d: d.pop("racl_model"), "racl_model: the format version is missing"),
    ("a later format", lambda d: d.update(racl_model=2), "racl_model: format version `2` is not known"),
    ("a true format", lambda d: d.update(racl_model=True), "racl_model: format version `True` is not known"),
    ("an unknown key", lambda d: d.update(preferences={}), "(did you mean `preference`?)"),
    ("a preference of text", lambda d: d["preference"].update(leisure="much"), "preference.leisure: `much` stands where"),
    ("weights in a list", lambda d: leisure(d).update(weights=[1, 2, 3]), "preference.leisure.weights: "),
    ("a default without weights", lambda d: d.update(preference_default={"bias": 1}), "preference_default: no key `weights`"),
    ("a fit of text", lambda d: d.update(fit="by hand"), "fit: `by hand` stands where a table is wanted"),
    ("a wrong hash", lambda d: d.update(sha256="0" * 64), "sha256: the hash does not fit the content"),
    ("a hash of another kind", lambda d: d.update(sha256=1), "sha256: "),
]  # fmt: skip


@pytest.mark.parametrize(
    ("spoil", "said"), [spoilt[1:] for spoilt in SPOILT], ids=[spoilt[0] for spoilt in SPOILT]
)
def test_a_model_has_exactly_what_its_domain_asks_for(spoil: Callable[[Document], object], said: str) -> None:
    """A05."""
    given = unhashed()
    spoil(given)
    lines = model_refused(json.dumps(given, indent=1))
    assert any(said in line for line in lines), lines


def test_all_faults_of_a_model_are_found_in_one_run() -> None:
    """A05."""
    given = unhashed()
    for _, spoil, _ in SPOILT[:4] + SPOILT[6:8]:
        spoil(given) if spoil is not SPOILT[6][1] else given["preference"]["business"].pop("bias")
    assert len(model_refused(json.dumps(given))) == 6


def test_the_hash_is_that_of_the_canonical_form_whoever_wrote_the_numbers() -> None:
    """A03."""
    given = unhashed()
    whole = json.loads(json.dumps(given).replace(".0,", ",").replace(".0}", "}"))
    assert json.dumps(whole) != json.dumps(given)
    for written in (fingerprint(whole), fingerprint(given)):
        assert parse_model(json.dumps(given | {"sha256": written})).domain == model().domain
