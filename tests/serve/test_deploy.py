"""Unit, image and example of settings say what the program understands."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from argparse import Namespace
from pathlib import Path

import pytest

from racl.cli.arguments import parsed, parser_of
from racl.cli.run import COMMANDS
from racl.serve.running import server
from racl.serve.settings import PREFIX, Settings, settings_of
from serve.asking import served
from serve.live import ANY_PORT, listening

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
UNIT = (DEPLOY / "racl.service").read_text("utf-8")
IMAGE = (DEPLOY / "Dockerfile").read_text("utf-8")


def understood(words: list[str]) -> tuple[str, Namespace]:
    """The command that the words after `racl` are, and its arguments."""
    return words[0], parsed(parser_of(words[0], COMMANDS[words[0]]), words[1:])


def said(name: str, text: str = UNIT) -> list[str]:
    """What stands after a name in the unit, or after an instruction of the image."""
    found = re.findall(rf"^{name}[= ](.*)$", text.replace("\\\n", " "), re.MULTILINE)
    assert found, name
    return found


def commented(text: str, program: str) -> list[list[str]]:
    """The words after a program, of each of its calls in the comments."""
    lines = "\n".join(line[1:] for line in text.splitlines() if line.startswith("#")).replace("\\\n", " ")
    calls = [
        shlex.split(line) for line in lines.splitlines() if re.search(rf"{program} (serve|key|log) ", line)
    ]
    return [call[call.index(program, 3) + 1 :] for call in calls]


# the unit -----------------------------------------------------------------------------------------------


def test_the_unit_starts_what_the_command_line_understands() -> None:
    (start,) = said("ExecStart")
    program, *words = shlex.split(start)
    assert program.endswith("/bin/racl")
    name, asked = understood(words)
    assert (name, asked.config) == ("serve", "/etc/racl/racl.toml")


def test_the_unit_sets_what_is_a_setting(tmp_path: Path) -> None:
    environment = dict(one.split("=", 1) for one in said("Environment"))
    kept = settings_of(None, environment, {}).store
    assert (
        Path(kept).parent == Path(said("WorkingDirectory")[0]) == Path("/var/lib", said("StateDirectory")[0])
    )
    assert Path(environment["XDG_CACHE_HOME"]) == Path("/var/cache", said("CacheDirectory")[0])
    ((name, asked),) = map(understood, commented(UNIT, "/opt/racl/bin/racl"))
    assert (name, asked.store) == ("key", kept)


def test_the_unit_waits_longer_for_the_end_than_the_service_takes() -> None:
    grace = server(served(ANY_PORT)).config.timeout_graceful_shutdown
    assert grace is not None
    assert int(said("TimeoutStopSec")[0]) > grace


def test_systemd_understands_the_unit(tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("there is no systemd-analyze on this machine: `apt-get install systemd`")
    unit = tmp_path / "racl.service"
    unit.write_text(UNIT.replace("ExecStart=/opt/racl/bin/racl", f"ExecStart={sys.executable}"), "utf-8")
    done = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


# the image ----------------------------------------------------------------------------------------------


def test_the_image_runs_what_the_command_line_understands() -> None:
    (program,) = json.loads(said("ENTRYPOINT", IMAGE)[0])
    assert program == "racl"
    with pytest.raises(SystemExit) as end:
        understood(json.loads(said("CMD", IMAGE)[0]))
    assert end.value.code == 0
    names = [understood(words)[0] for words in commented(IMAGE, "racl")]
    assert names == ["key", "serve"]


def test_the_image_keeps_its_log_in_its_volume_and_shows_the_port() -> None:
    environment = dict(one.split("=", 1) for one in shlex.split(said("ENV", IMAGE)[0]))
    found = settings_of(None, {name: one for name, one in environment.items() if name.startswith(PREFIX)}, {})
    (volume,) = said("VOLUME", IMAGE)
    assert Path(found.store).parent == Path(volume) == Path(said("WORKDIR", IMAGE)[0])
    assert Path(volume) in Path(environment["XDG_CACHE_HOME"]).parents
    assert said("EXPOSE", IMAGE) == [str(found.port)]


def test_the_image_is_built_of_what_is_in_the_repository() -> None:
    copied = [one.split()[:-1] for one in said("COPY", IMAGE) if "--from" not in one]
    assert all((ROOT / name).exists() for names in copied for name in names)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    (extra,) = re.findall(r"/source\[(\w+)\]", IMAGE)
    assert extra in project["optional-dependencies"]
    assert {project["readme"], *project["license-files"]} <= {name for names in copied for name in names}


def test_the_image_is_healthy_while_the_service_answers_and_no_longer() -> None:
    python, *words = json.loads(said("HEALTHCHECK CMD", IMAGE)[0])
    assert python == "python"
    with listening(served(ANY_PORT)) as url:
        there = [word.replace("http://127.0.0.1:8000", url) for word in words]
        assert url in there[-1]
        assert subprocess.run([sys.executable, *there], check=False).returncode == 0
    gone = subprocess.run([sys.executable, *there], stderr=subprocess.DEVNULL, check=False)
    assert gone.returncode != 0


# the example of settings --------------------------------------------------------------------------------


def test_the_example_of_settings_names_each_one_and_what_holds_without_it(tmp_path: Path) -> None:
    text = (DEPLOY / "racl.toml").read_text("utf-8")
    lines = re.findall(r"^(?:# )?(\w+ = .*)$", text, re.MULTILINE)
    example = tmp_path / "racl.toml"
    example.write_text("\n".join(["[serve]", *lines]), "utf-8")
    found, known = settings_of(str(example), {}, {}), Settings()
    assert {line.split()[0] for line in lines} == set(Settings.__struct_fields__)
    own = {
        "models": (str(tmp_path / "air.json"),),
        "hosts": ("racl.example",),
        "store": str(tmp_path / known.store),
    }
    for name in Settings.__struct_fields__:
        assert getattr(found, name) == own.get(name, getattr(known, name)), name
    assert settings_of(str(DEPLOY / "racl.toml"), {}, {}).hosts == ()
