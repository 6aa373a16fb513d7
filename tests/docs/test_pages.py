"""The pages are current, lead where they say, and quote what is there."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)


def named(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def links(page: Path) -> Iterator[tuple[str, str]]:
    """The links of a page to other files or parts of them, each as file and part."""
    for target in LINK.findall(CODE.sub("", page.read_text("utf-8"))):
        if "://" not in target:
            file, _, part = target.partition("#")
            yield file, part


def anchors(page: Path) -> set[str]:
    """What the headings of a page are linked by."""
    headings = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_what_the_code_tells_in_the_pages_is_current() -> None:
    command = [sys.executable, "-m", "tools.reference", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.stdout + done.stderr, done.returncode) == ("", 0)


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    for file, part in links(page):
        target = (page.parent / file).resolve() if file else page
        assert target.exists(), f"{file} is not there"
        assert not part or part in anchors(target), f"{file or 'the page'} has no #{part}"


def test_every_page_of_the_docs_is_listed() -> None:
    index, choices = ROOT / "docs" / "README.md", ROOT / "docs" / "decisions" / "README.md"
    listed = {(page.parent / file).resolve() for page in (index, choices) for file, _ in links(page)}
    assert [named(page) for page in PAGES if "docs" in page.parts and page not in {index, *listed}] == []


@pytest.mark.parametrize("page", ["README.md", "docs/examples/airline.md"])
def test_toml_that_a_page_shows_is_in_the_domain_file(page: str) -> None:
    domain = (ROOT / "examples" / "airline" / "domain.toml").read_text("utf-8")
    declared = {line.partition("  #")[0].strip() for line in domain.splitlines()}
    shown = "\n".join(re.findall(r"```toml\n(.*?)```", (ROOT / page).read_text("utf-8"), re.DOTALL))
    assert [line for line in shown.splitlines() if line.strip() not in declared] == []
