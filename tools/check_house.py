"""House rules that no linter knows: what no file may name, no module may import, and the sizes of things.

Run in the repository's root; prints `FILE:LINE: what` for each fault and ends with 1 if there is any.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import quantiles

LINES_OF_FUNCTION, LINES_OF_FILE = 50, 400  # docstrings not counted
SIZED = ("src", "tests", "tools")
HOSTS = ["pypi org", "pythonhosted org", "npmjs org", "npmjs com", "deb debian org", "crates io"]
FOLDERS = ["work", "home", "root", "Users"]
UNSAFE = {"pickle", "cPickle", "_pickle", "dill", "cloudpickle", "joblib", "marshal", "shelve"}

HOST = re.compile("|".join(host.replace(" ", r"\.") for host in HOSTS))
MACHINE_PATH = re.compile(rf"(?<![\w.)\]}}~-])/(?:{'|'.join(FOLDERS)})/")

Fault = tuple[Path, int, str]
Function = ast.FunctionDef | ast.AsyncFunctionDef


def files() -> list[Path]:
    """Every file that is or could be committed."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True,
        text=True,
        check=True,
    )
    return [path for name in sorted(listed.stdout.split("\0")) if name and (path := Path(name)).is_file()]


def text_of(path: Path) -> str | None:
    """The text of a file, or nothing where it is not text."""
    data = path.read_bytes()
    return None if b"\0" in data else data.decode("utf-8", errors="replace")


def forbidden_names(path: Path, text: str) -> Iterator[Fault]:
    """Hosts that packages come from, and paths of one machine."""
    for number, line in enumerate(text.splitlines(), start=1):
        if HOST.search(line):
            yield path, number, "names the host of a package registry"
        if MACHINE_PATH.search(line):
            yield path, number, "names an absolute path of one machine"


def unsafe_imports(path: Path, tree: ast.AST) -> Iterator[Fault]:
    """Imports that could run what they read."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                modules = [alias.name for alias in names]
            case ast.ImportFrom(module=str(module)):
                modules = [module]
            case _:
                continue
        for name in modules:
            if name.split(".")[0] in UNSAFE:
                yield path, node.lineno, f"imports `{name}`"


def lines_of_docstring(node: ast.AST) -> int:
    """How many lines a docstring takes, if the node can have one and does."""
    match node:
        case ast.Module(body=body) | ast.ClassDef(body=body) | ast.FunctionDef(body=body):
            pass
        case ast.AsyncFunctionDef(body=body):
            pass
        case _:
            return 0
    match body[:1]:
        case [ast.Expr(value=ast.Constant(value=str())) as first]:
            return (first.end_lineno or first.lineno) - first.lineno + 1
        case _:
            return 0


def without_docstrings(node: ast.AST, lines: int) -> int:
    """The lines of a node less those of all docstrings in it."""
    return lines - sum(lines_of_docstring(inner) for inner in ast.walk(node))


def functions(tree: ast.AST) -> Iterator[tuple[Function, int]]:
    """Every function with its size."""
    for node in ast.walk(tree):
        if isinstance(node, Function):
            yield node, without_docstrings(node, (node.end_lineno or node.lineno) - node.lineno + 1)


def too_long(path: Path, text: str, tree: ast.AST) -> Iterator[Fault]:
    """Files and functions that are two ideas."""
    size = without_docstrings(tree, len(text.splitlines()))
    if size > LINES_OF_FILE:
        yield path, 1, f"has {size} lines; {LINES_OF_FILE} is the most"
    for function, lines in functions(tree):
        if lines > LINES_OF_FUNCTION:
            what = f"`{function.name}` has {lines} lines; {LINES_OF_FUNCTION} is the most"
            yield path, function.lineno, what


def faults(path: Path, text: str) -> Iterator[Fault]:
    """Everything wrong with one file."""
    yield from forbidden_names(path, text)
    if path.suffix == ".py" and path.parts[0] in SIZED:
        tree = ast.parse(text, str(path))
        yield from too_long(path, text, tree)
        if path.parts[0] == "src":
            yield from unsafe_imports(path, tree)


def sizes(texts: dict[Path, str]) -> str:
    """The sizes of the functions of `src` in a line."""
    sources = [text for path, text in texts.items() if path.suffix == ".py" and path.parts[0] == "src"]
    trees = [ast.parse(text) for text in sources]
    lines = [size for tree in trees for _, size in functions(tree)]
    if len(lines) < 2:
        return "no functions yet"
    half, most = (quantiles(lines, n=10, method="inclusive")[tenth] for tenth in (4, 8))
    return f"{len(lines)} functions, half of at most {half:.0f} lines, nine in ten of at most {most:.0f}"


def main() -> int:
    """Checks every file; 1 if any breaks a rule."""
    texts = {path: text for path in files() if (text := text_of(path)) is not None}
    found = [fault for path, text in texts.items() for fault in faults(path, text)]
    for path, line, what in found:
        print(f"{path}:{line}: {what}")
    print(f"{len(texts)} files, {len(found)} faults; src has {sizes(texts)}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
