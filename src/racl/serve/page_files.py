"""The page: a few files beside this module, read once, and nothing from elsewhere."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from racl.serve.faults import not_found
from racl.serve.replies import Reply
from racl.serve.routes import Call
from racl.serve.service import Service

MEDIA = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none';"
    " form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)


def page_reply(service: Service, call: Call) -> Reply:
    """A file of the page."""
    del service
    found = page_files().get(call.path["file"])
    if found is None:
        raise not_found("path")
    media, body = found
    return Reply(
        body, media=media, headers={"content-security-policy": POLICY, "referrer-policy": "no-referrer"}
    )


@cache
def page_files() -> dict[str, tuple[str, bytes]]:
    """Every file of the page: its kind and what is in it. Served as `/page/NAME`, `index.html` as `/` too."""
    folder = files("racl.serve").joinpath("page")
    held = {}
    for one in folder.iterdir():
        suffix = one.name[one.name.rfind(".") :]
        if suffix in MEDIA:
            held[one.name] = (MEDIA[suffix], one.read_bytes())
    return held
