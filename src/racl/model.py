"""A model: a domain and what people prefer; one JSON file."""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NoReturn, overload

import numpy as np
from numpy.typing import NDArray

from racl.documents import MODEL_LIMIT, Document, read_json, read_text, write_text
from racl.domain.check import check
from racl.domain.model import Domain
from racl.errors import DataError, ModelError, Problem, Refusal, RowError, nearest, quoted
from racl.program import Program, lower
from racl.semantics import Decision, Preference, Refused, Taste

if TYPE_CHECKING:
    from racl.decide import Decisions
    from racl.engines.kernel import Kernel
    from racl.explain import Explanation

Engine = Literal["auto", "definition", "rows", "arrays", "kernel"]

FORMAT = 1
KEYS = ("racl_model", "domain", "preference", "preference_default", "fit", "sha256")
HASHED = ("domain", "preference", "preference_default")
Path = tuple[str, ...]


@dataclass(frozen=True, repr=False)
class Model:
    """What a model is made of: the domain, the preferences, and how they were learned."""

    domain: Domain
    taste: Taste
    fit: Mapping[str, object] = field(default_factory=dict)

    @cached_property
    def program(self) -> Program:
        """The domain in terms, for the engines."""
        return lower(self.domain)

    @property
    def kernel(self) -> Kernel:
        """The compiled kernel; raises whatever the compiler raised where there can be none."""
        if isinstance(self._kernel, Exception):
            raise self._kernel
        return self._kernel

    @cached_property
    def _kernel(self) -> Kernel | Exception:
        """The compiled kernel, or why there is none: what could not be compiled is not tried again."""
        try:
            from racl.engines.kernel import kernel

            return kernel(self.program, other=self.taste.default is not None, tame=self.tame)
        except Exception as fault:  # noqa: BLE001 - whatever the compiler raises
            return fault

    @cached_property
    def tame(self) -> bool:
        """No value can overflow: engines need not look for it."""
        from racl.engines.bounds import tame

        return tame(self.program, self.weights)

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """(personas + 1, features + 1): bias and weights of each persona, last those of personas not declared."""
        none = Preference(0.0, (0.0,) * len(self.domain.features))
        tastes = [self.taste.personas[persona] for persona in self.domain.personas]
        rows = [(0.0 + one.bias, *one.weights) for one in (*tastes, self.taste.default or none)]
        array = np.array(rows, np.float64)
        array.setflags(write=False)
        return array

    @classmethod
    def of(
        cls,
        domain: Domain,
        preference: Mapping[str, object],
        preference_default: Mapping[str, object] | None = None,
    ) -> Model:
        """A model of a domain and weights as they stand in a model file; raises ModelError where they do not fit."""
        default = {} if preference_default is None else {"preference_default": preference_default}
        document = {"racl_model": FORMAT, "domain": domain.document, "preference": preference, **default}
        return parse_model(json.dumps(document, default=dict))

    def __getstate__(self) -> dict[str, object]:
        """What goes to another process: not the engines that were made for this one."""
        return {"domain": self.domain, "taste": self.taste, "fit": self.fit}

    def __repr__(self) -> str:
        return f"<Model of {self.domain!r}>"

    @overload
    def decide(
        self,
        frame: object,
        *,
        refused: Literal["raise"] = ...,
        engine: Engine = ...,
        threads: int | None = ...,
        prefix: str = ...,
    ) -> Decisions: ...
    @overload
    def decide(
        self,
        frame: object,
        *,
        refused: Literal["collect"],
        engine: Engine = ...,
        threads: int | None = ...,
        prefix: str = ...,
    ) -> tuple[Decisions, tuple[Refusal, ...]]: ...
    def decide(
        self,
        frame: object,
        *,
        refused: Literal["raise", "collect"] = "raise",
        engine: Engine = "auto",
        threads: int | None = None,
        prefix: str = "",
    ) -> Decisions | tuple[Decisions, tuple[Refusal, ...]]:
        """The decisions on a frame: pandas, Polars, Arrow, a dict of arrays or a list of rows.

        With refused="collect", the decisions on the rows that could be decided and the refusals of the others.
        """
        from racl.decide import decide

        return decide(self, frame, refused=refused, engine=engine, threads=threads, prefix=prefix)

    def decide_one(self, row: Mapping[str, object]) -> Decision:
        """The decision on one row, in microseconds; raises RowError where the row is refused."""
        try:
            found = self._closure(row)
        except AttributeError as fault:
            if hasattr(row, "get"):
                raise
            what = f"{quoted(type(row).__name__)} is not a row"
            raise DataError([Problem("row", what, "give each row as a dict")]) from fault
        return found if isinstance(found, Decision) else self._refuse(row, found)

    @cached_property
    def _closure(self) -> Callable[[Mapping[str, object]], Decision | Refused]:
        from racl.engines.rows import closure

        return closure(self.program, self.taste, tame=self.tame)

    def _refuse(self, row: Mapping[str, object], found: Refused) -> NoReturn:
        missing = found.column not in row and found.column in self.domain.names_read
        hint = nearest(found.column, map(str, row)) if missing else ""
        raise RowError([Refusal(0, found.column, found.reason + (f", {hint}" if hint else ""))])

    def explain(self, row: Mapping[str, object]) -> Explanation:
        """Why the decision on a row is what it is: prints as words, and is data."""
        from racl.explain import explain

        return explain(self, row)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model's file, whole or not at all."""
        save_model(self, path)

    def document(self) -> dict[str, object]:
        """The model as it stands in its file, without the hash."""
        features = [feature.name for feature in self.domain.features]
        document: dict[str, object] = {"racl_model": FORMAT, "domain": dict(self.domain.document)}
        document["preference"] = {name: _written(one, features) for name, one in self.taste.personas.items()}
        if self.taste.default is not None:
            document["preference_default"] = _written(self.taste.default, features)
        if self.fit:
            document["fit"] = dict(self.fit)
        return document


def _written(preference: Preference, features: list[str]) -> dict[str, object]:
    return {"bias": preference.bias, "weights": dict(zip(features, preference.weights, strict=True))}


# writing ---------------------------------------------------------------------------------------------


def save_model(model: Model, path: str | os.PathLike[str]) -> None:
    """Write the model's file, whole or not at all, with its hash."""
    document = model.document()
    document["sha256"] = fingerprint(document)
    write_text(path, json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n")


def fingerprint(document: Mapping[str, object], *, shortest: bool = True) -> str:
    """The hash of what decides: domain, preference and preference_default, in canonical form."""
    return hashlib.sha256(canonical(document, shortest=shortest).encode()).hexdigest()


def canonical(document: Mapping[str, object], *, shortest: bool = True) -> str:
    """Those parts as JSON without spaces, keys in declared order, numbers in shortest round-trip form: `1`, not `1.0`."""
    hashed = {key: document[key] for key in HASHED if key in document}
    if shortest:
        hashed = {key: _plain(value) for key, value in hashed.items()}
    return json.dumps(hashed, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def _plain(value: object) -> object:
    """Whole numbers without a fraction, as writers of other languages spell them."""
    match value:
        case float() if value.is_integer() and abs(value) < 2**53 and str(value) != "-0.0":
            return int(value)
        case dict():
            return {key: _plain(one) for key, one in value.items()}
        case list():
            return [_plain(one) for one in value]
        case _:
            return value


# reading ---------------------------------------------------------------------------------------------


def load_model(path: str | os.PathLike[str]) -> Model:
    """The model in a file; raises ModelError with every fault and its place."""
    text = read_text(path, limit=MODEL_LIMIT, error=ModelError)
    return parse_model(text, file=os.fspath(path))


def parse_model(text: str, file: str = "") -> Model:
    """The model in a text."""
    document = read_json(text, file)
    if document.problems:
        raise ModelError(document.problems)
    reader = _Reader(document)
    model = reader.model()
    if reader.problems or model is None:
        raise ModelError(reader.problems)
    return model


@dataclass(frozen=True)
class Below(Mapping[Path, int]):
    """The lines of the key paths below one key, looked up when asked for."""

    lines: Mapping[Path, int]
    key: str

    def __getitem__(self, path: Path) -> int:
        return self.lines[(self.key, *path)]

    def __iter__(self) -> Iterator[Path]:
        return (path[1:] for path in self.lines if path[:1] == (self.key,))

    def __len__(self) -> int:
        return sum(1 for _ in self)


@dataclass
class _Reader:
    """Checks a document part by part, collecting every fault."""

    document: Document
    problems: list[Problem] = field(default_factory=list)

    def say(self, path: Path, what: str, hint: str = "") -> None:
        self.problems.append(self.document.problem(path, what, hint))

    def model(self) -> Model | None:
        top = self.document.value
        self.header(top)
        domain = self.domain(top.get("domain"))
        fit = top.get("fit", {})
        if not isinstance(fit, Mapping):
            self.say(("fit",), f"{quoted(fit)} stands where a table is wanted")
        if domain is None:
            return None
        self.hash(top)
        taste = self.taste(domain, top)
        return Model(domain, taste, fit if isinstance(fit, Mapping) else {})

    def header(self, top: Mapping[str, object]) -> None:
        version = top.get("racl_model")
        if version is None:
            self.say(
                ("racl_model",),
                "the format version is missing",
                f'a model begins with `"racl_model": {FORMAT}`',
            )
        elif version is True or version != FORMAT:
            self.say(
                ("racl_model",),
                f"format version {quoted(version)} is not known",
                f"this release reads {FORMAT}",
            )
        for key in top:
            if key not in KEYS:
                self.say((key,), f"unknown key {quoted(key)}", nearest(key, KEYS))

    def domain(self, value: object) -> Domain | None:
        """The embedded domain, its faults placed in this file."""
        if not isinstance(value, dict):
            self.say(("domain",), "the domain is missing" if value is None else "the domain is not a table")
            return None
        found = check(Document(value, Below(self.document.lines, "domain"), (), self.document.file))
        if isinstance(found, Domain):
            return found
        for problem in found:
            where = f"domain.{problem.where}" if problem.where else "domain"
            self.problems.append(
                Problem(
                    where, problem.what, problem.hint, problem.file, problem.line, problem.text, problem.span
                )
            )
        return None

    def hash(self, top: Mapping[str, object]) -> None:
        given = top.get("sha256")
        if given is None:
            return
        if given not in (
            fingerprint(top),
            fingerprint(top, shortest=False),
        ):  # JSON writers differ over `1.0`
            self.say(
                ("sha256",),
                "the hash does not fit the content",
                "the file was damaged, or edited: remove the key",
            )

    # preferences

    def taste(self, domain: Domain, top: Mapping[str, object]) -> Taste:
        given = top.get("preference")
        if not isinstance(given, Mapping):
            self.say(
                ("preference",),
                "the preferences are missing" if given is None else "the preferences are not a table",
            )
            given = {}
        else:
            self.same(("preference",), given, domain.personas, "persona")
        features = tuple(feature.name for feature in domain.features)
        personas = {
            name: self.preference(("preference", name), given[name], features)
            for name in domain.personas
            if name in given
        }
        default = top.get("preference_default")
        if default is None:
            return Taste(personas)
        return Taste(personas, self.preference(("preference_default",), default, features))

    def same(self, path: Path, given: Mapping[str, object], wanted: tuple[str, ...], kind: str) -> None:
        """Exactly the names wanted, no more and no fewer."""
        for name in given:
            if name not in wanted:
                self.say((*path, name), f"the {kind} {quoted(name)} is not declared", nearest(name, wanted))
        missing = [name for name in wanted if name not in given]
        if missing:
            shown = ", ".join(map(quoted, missing[:10])) + (" and more" if len(missing) > 10 else "")  # noqa: PLR2004
            self.say(path, f"no {kind} {shown}", "each needs its own entry")

    def preference(self, path: Path, value: object, features: tuple[str, ...]) -> Preference:
        nothing = Preference(0.0, (0.0,) * len(features))
        if not isinstance(value, Mapping):
            self.say(path, f"{quoted(value)} stands where bias and weights are wanted")
            return nothing
        self.same(path, value, ("bias", "weights"), "key")
        weights = value.get("weights", {})
        if not isinstance(weights, Mapping):
            self.say((*path, "weights"), f"{quoted(weights)} stands where weights are wanted")
            return nothing
        self.same((*path, "weights"), weights, features, "feature")
        bias = self.number((*path, "bias"), value.get("bias", 0.0))
        return Preference(
            bias, tuple(self.number((*path, "weights", one), weights.get(one, 0.0)) for one in features)
        )

    def number(self, path: Path, value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.say(path, f"{quoted(value)} is not a number")
            return 0.0
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            self.say(path, f"{quoted(value)} is not a finite number")
            return 0.0
        return number
