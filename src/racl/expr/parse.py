"""Text to tree, through Python's own grammar and an allow-list; limits are checked before the parser runs.

Nothing of the text is ever evaluated: it becomes a tree, or problems.
"""

from __future__ import annotations

import ast
import keyword
import math
import re
import warnings
from dataclasses import dataclass, field

from racl.errors import Problem, nearest, quoted
from racl.expr.nodes import (
    FUNCTIONS,
    KEYWORDS,
    Binary,
    Call,
    Choice,
    Expression,
    Logic,
    Member,
    Name,
    Node,
    Number,
    Span,
    Text,
    Truth,
    Unary,
)

MAX_CHARACTERS = 10_000
MAX_NODES = 2_000
MAX_LEVELS = 64
MAX_PROBLEMS = 10

TOKEN = re.compile(
    r"(?P<text>'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\")"
    r"|(?P<number>(?:\d[\w.]*|\.\d[\w.]*)(?:(?<=[eE])[+-]\d+)?)"
    r"|(?P<word>[A-Za-z_]\w*)"
    r"|(?P<open>[(\[{])|(?P<close>[)\]}])"
    r"|(?P<space>[ \t\r\n]+)"
    r"|(?P<operator>==|!=|<=|>=|:=|\*\*|//|<<|>>|->|.)",
    re.ASCII,
)
DECIMAL = re.compile(r"(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
TRUTHS = {"true", "false", "True", "False"}
PREFIXES = {"not", "-", "+", "~"}
FOREIGN = frozenset(keyword.kwlist) - KEYWORDS  # words of Python that may well be columns: `class`, `from`
DISGUISE = (
    "λ"  # not ASCII, so it stands in no name: a foreign word begins with it while Python's parser looks
)

BINARY: dict[type[ast.AST], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
REFUSED: dict[type[ast.AST], tuple[str, str]] = {
    ast.Attribute: ("an attribute (`.`) is not part of the language", ""),
    ast.Subscript: ("an index (`[...]`) is not part of the language", ""),
    ast.NamedExpr: ("`:=` is not part of the language", "use `==` to compare"),
    ast.JoinedStr: ("an f-string is not part of the language", ""),
    ast.Dict: ("a dictionary is not part of the language", ""),
    ast.Set: ("a set is not part of the language", "write a tuple: `('AA', 'UA')`"),
    ast.Tuple: ("a tuple stands only after `in`", ""),
    ast.List: ("a list stands only after `in`", ""),
    ast.Starred: ("`*` before a name is not part of the language", ""),
}
OPERATORS: dict[type[ast.AST], tuple[str, str]] = {
    ast.Pow: ("`**` is not part of the language", "multiply instead"),
    ast.FloorDiv: ("`//` is not part of the language", "write `floor(a / b)`"),
    ast.Mod: ("`%` is not part of the language", "write `a - b * floor(a / b)`"),
    ast.MatMult: ("`@` is not part of the language", ""),
    ast.BitAnd: ("`&` is not part of the language", "write `and`"),
    ast.BitOr: ("`|` is not part of the language", "write `or`"),
    ast.BitXor: ("`^` is not part of the language", "write `!=`"),
    ast.LShift: ("`<<` is not part of the language", ""),
    ast.RShift: ("`>>` is not part of the language", ""),
    ast.Invert: ("`~` is not part of the language", "write `not`"),
    ast.UAdd: ("a sign `+` is not part of the language", "leave it out"),
}


def parse(text: str) -> Expression | tuple[Problem, ...]:
    """The expression that the text says, or every problem found in it.

    >>> parse("has_bag or not needs_bag").text
    'has_bag or not needs_bag'
    >>> print(parse("100 < fare <= 500")[0].what)
    a chained comparison
    """
    problems = before_parsing(text)
    if problems:
        return problems
    flat = re.sub(r"[\t\r\n]", " ", text)
    start = len(flat) - len(flat.lstrip(" "))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", SyntaxWarning)
            warnings.simplefilter("error", DeprecationWarning)
            tree = ast.parse(disguised(flat[start:]), mode="eval")
    except SyntaxError as error:
        return (_syntax(error, text, start),)
    except (RecursionError, MemoryError, ValueError):
        return (_problem(text, (0, len(text)), "the expression is too deeply nested", ""),)
    reader = _Reader(text, start, _byte_starts(disguised(flat[start:])))
    node = reader.node(tree.body)
    return tuple(reader.problems) or Expression(node, text)


def disguised(text: str) -> str:
    """The text with Python's own words made names of the same length, so that a column may be called `class`."""

    def word(match: re.Match[str]) -> str:
        token = match.group()
        return DISGUISE + token[1:] if match.lastgroup == "word" and token in FOREIGN else token

    return TOKEN.sub(word, text)


def _problem(text: str, span: Span, what: str, hint: str) -> Problem:
    return Problem("", what, hint, text=text, span=span)


def _syntax(error: SyntaxError, text: str, start: int) -> Problem:
    place = min(len(text), start + max(0, (error.offset or 1) - 1))
    foreign = next(
        (match for match in TOKEN.finditer(text) if match.group() in FOREIGN and match.end() >= place - 1),
        None,
    )
    if foreign is not None:
        word = foreign.group()
        hint = {"is": "write `==`", "lambda": "", "None": "give the column a `default`"}.get(word, "")
        return _problem(text, foreign.span(), f"`{word}` of Python is not part of the language", hint)
    what = (error.msg or "invalid syntax").split(". Perhaps")[0].split(". Maybe")[0]
    hint = ""
    if re.search(r"(?<![=!<>])=(?!=)", text):
        hint = "`==` compares"
    elif "&&" in text or "||" in text or re.search(r"!(?!=)", text):
        hint = "write `and`, `or`, `not`"
    end = ends_early(text)
    if end:
        return _problem(text, (end, end + 1), "the expression ends too early", hint)
    return _problem(text, (place, place + 1), what[:1].lower() + what[1:], hint)


def ends_early(text: str) -> int:
    """Where a text ends that something must follow; 0 where nothing must."""
    last = [match for match in TOKEN.finditer(text) if match.lastgroup != "space"][-1]
    waits = last.lastgroup in ("open", "operator") or last.group() in KEYWORDS - TRUTHS
    return last.end() if waits else 0


# limits before parsing -------------------------------------------------------------------------------


def before_parsing(text: str) -> tuple[Problem, ...]:
    """The problems that can be seen without a parser: sizes, nesting, characters, forms of literals."""
    if len(text) > MAX_CHARACTERS:
        what = f"the expression has {len(text):,} characters, more than {MAX_CHARACTERS:,}"
        return (_problem(text[:100], (0, 1), what, "split it"),)
    if not text.strip(" \t\r\n"):
        return (_problem(text, (0, 1), "the expression is empty", ""),)
    scan = _Scan(text)
    for match in TOKEN.finditer(text):
        scan.token(match.lastgroup or "operator", match.group(), match.span())
    return scan.finish()


@dataclass
class _Scan:
    """One pass over the tokens, counting depth and prefixes."""

    text: str
    depth: int = 0
    prefixes: int = 0
    tokens: int = 0
    last: str = ""
    last_stop: int = 0
    problems: list[Problem] = field(default_factory=list)

    def say(self, span: Span, what: str, hint: str = "") -> None:
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(_problem(self.text, span, what, hint))

    def token(self, kind: str, token: str, span: Span) -> None:
        if kind == "space":
            return
        self.tokens += 1
        self.prefixes = self.prefixes + 1 if token in PREFIXES else 0
        if self.prefixes == MAX_LEVELS + 1:
            self.say(span, f"more than {MAX_LEVELS} levels of `{token}`", "split it")
        match kind:
            case "text":
                self.literal(span)
            case "number":
                self.number(token, span)
            case "open":
                self.depth += 1
                if self.depth == MAX_LEVELS + 1:
                    self.say(span, f"more than {MAX_LEVELS} levels of brackets", "split it")
            case "close":
                self.depth -= 1
            case "operator":
                self.character(token, span)
            case _:
                pass
        self.last, self.last_stop = kind, span[1]

    def literal(self, span: Span) -> None:
        if self.last == "word" and self.last_stop == span[0]:
            self.say(span, "a text literal takes no prefix", "write it in plain quotes")
        elif self.last == "text":
            self.say(span, "two text literals side by side", "write one")

    def number(self, token: str, span: Span) -> None:
        if not DECIMAL.fullmatch(token):
            self.say(span, f"{quoted(token)} is not a decimal number", "write it like `1500` or `1.5e3`")
        elif not math.isfinite(float(token)):
            self.say(span, "the number is too large for float64", "")

    def character(self, token: str, span: Span) -> None:
        if not token.isascii() or not token.isprintable():
            code = f"U+{ord(token[0]):04X}"
            self.say(span, f"the character {code} outside of a text literal", "the language is ASCII")
        elif token in "'\"":
            self.say(span, "a text literal that does not end", f"close it with `{token}`")
        elif token in ("#", "\\", ";", "`", "$", "?"):
            self.say(span, f"`{token}` is not part of the language", "")

    def finish(self) -> tuple[Problem, ...]:
        if self.tokens > 4 * MAX_NODES:
            self.say((0, 1), f"more than {MAX_NODES:,} nodes", "split it")
        return tuple(self.problems)


# the tree ---------------------------------------------------------------------------------------------


def _byte_starts(text: str) -> list[int] | None:
    """The character of each byte of the UTF-8 text, where they differ."""
    if text.isascii():
        return None
    starts: list[int] = []
    for index, character in enumerate(text):
        starts.extend([index] * len(character.encode()))
    return [*starts, len(text)]


@dataclass
class _Reader:
    """Python's tree to ours; what is not on the list becomes a problem with its place."""

    text: str
    start: int
    characters: list[int] | None
    problems: list[Problem] = field(default_factory=list)
    count: int = 0
    level: int = 0

    def span(self, tree: ast.AST) -> Span:
        first, last = getattr(tree, "col_offset", 0), getattr(tree, "end_col_offset", None) or len(self.text)
        if self.characters is not None:
            first, last = self.characters[first], self.characters[last]
        return self.start + first, self.start + last

    def refuse(self, tree: ast.AST, what: str, hint: str = "") -> Node:
        span = self.span(tree)
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(_problem(self.text, span, what, hint))
        return Number(0.0, span)

    def node(self, tree: ast.expr) -> Node:
        self.count += 1
        if self.count == MAX_NODES + 1:
            return self.refuse(tree, f"more than {MAX_NODES:,} nodes", "split it")
        if self.level == MAX_LEVELS:
            return self.refuse(tree, f"more than {MAX_LEVELS} levels", "split it")
        if self.count > MAX_NODES:
            return Number(0.0)
        self.level += 1
        node = self.read(tree)
        self.level -= 1
        return node

    def read(self, tree: ast.expr) -> Node:
        span = self.span(tree)
        match tree:
            case ast.Constant():
                return self.constant(tree)
            case ast.Name():
                name = self.text[slice(*span)]  # Python's own words are disguised in the tree
                return Truth(name == "true", span) if name in ("true", "false") else Name(name, span)
            case ast.UnaryOp():
                return self.unary(tree)
            case ast.BinOp():
                return self.binary(tree, tree.left, tree.op, tree.right)
            case ast.BoolOp():
                op = "and" if isinstance(tree.op, ast.And) else "or"
                return Logic(op, tuple(self.node(value) for value in tree.values), span)
            case ast.Compare():
                return self.comparison(tree)
            case ast.IfExp():
                return Choice(self.node(tree.test), self.node(tree.body), self.node(tree.orelse), span)
            case ast.Call():
                return self.call(tree)
            case _:
                return self.refuse(tree, *REFUSED.get(type(tree), ("not part of the language", "")))

    def constant(self, tree: ast.Constant) -> Node:
        span = self.span(tree)
        match tree.value:
            case bool():
                return Truth(tree.value, span)
            case int() | float():
                return Number(float(tree.value), span)
            case str():
                return self.literal(tree, tree.value)
            case _:
                return self.refuse(tree, "this literal is not part of the language")

    def literal(self, tree: ast.Constant, value: str) -> Node:
        if any("\ud800" <= character <= "\udfff" for character in value):
            return self.refuse(tree, "a lone surrogate in a text literal")
        return Text(value, self.span(tree))

    def unary(self, tree: ast.UnaryOp) -> Node:
        if isinstance(tree.op, ast.Not | ast.USub):
            return Unary(
                "not" if isinstance(tree.op, ast.Not) else "-", self.node(tree.operand), self.span(tree)
            )
        return self.refuse(tree, *OPERATORS[type(tree.op)])

    def binary(self, tree: ast.expr, left: ast.expr, op: ast.AST, right: ast.expr) -> Node:
        if type(op) not in BINARY:
            self.node(left)
            self.node(right)
            return self.refuse(tree, *OPERATORS[type(op)])
        return Binary(BINARY[type(op)], self.node(left), self.node(right), self.span(tree))

    def comparison(self, tree: ast.Compare) -> Node:
        if len(tree.ops) > 1:
            return self.refuse(tree, "a chained comparison", "write `a < b and b <= c`")
        op, right = tree.ops[0], tree.comparators[0]
        if isinstance(op, ast.In | ast.NotIn):
            return self.member(tree, right, negated=isinstance(op, ast.NotIn))
        return self.binary(tree, tree.left, op, right)

    def member(self, tree: ast.Compare, right: ast.expr, *, negated: bool) -> Node:
        item = self.node(tree.left)
        if not isinstance(right, ast.Tuple | ast.List):
            hint = "write `('AA',)`" if isinstance(right, ast.Constant) else "write literals: `('AA', 'UA')`"
            return self.refuse(right, "a tuple or a list of literals must follow `in`", hint)
        if not right.elts:
            return self.refuse(right, "nothing is in an empty list")
        literals = tuple(self.listed(element) for element in right.elts)
        return Member(item, literals, negated, self.span(tree))

    def listed(self, tree: ast.expr) -> Number | Truth | Text:
        node = self.node(tree)
        match node:
            case Number() | Truth() | Text():
                return node
            case Unary("-", Number(value)):
                return Number(-value, node.span)
            case _:
                self.refuse(tree, "only literals may stand in the list after `in`", "")
                return Number(0.0)

    def call(self, tree: ast.Call) -> Node:
        if not isinstance(tree.func, ast.Name):
            self.node(tree.func)
            return self.refuse(tree, "only the functions of the language can be called")
        name = self.text[slice(*self.span(tree.func))]
        if name not in FUNCTIONS:
            return self.refuse(tree.func, f"unknown function {quoted(name)}", nearest(name, FUNCTIONS))
        if tree.keywords:
            return self.refuse(tree, f"`{name}` takes no named arguments")
        fewest, most = FUNCTIONS[name]
        if not fewest <= len(tree.args) <= most:
            wanted = f"{fewest}" if fewest == most else f"at least {fewest}"
            return self.refuse(tree, f"`{name}` takes {wanted} arguments, not {len(tree.args)}")
        return Call(name, tuple(self.node(argument) for argument in tree.args), self.span(tree))
