#!/usr/bin/env python
# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Build the documentation site in .cache/site/html and check its links. Needs no network.

Usage: .venv/bin/python tools/docsite.py

The pages are Markdown files of the checkout, at the same relative paths, and the reference that antsibull-docs writes
from the documentation of plugins and roles. The settings of Sphinx and the table of contents are in docs/docsite.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from functools import cache, partial
from pathlib import Path
from urllib.parse import unquote, urlsplit

import yaml
from environment import CACHE, NAME, NAMESPACE, ROOT, VENV, tool_environment

from ansible_collections.capability.openshift.plugins.plugin_utils._playbook_help import command_lines
from ansible_collections.capability.openshift.plugins.plugin_utils._playbook_variables import read_playbook

FQCN = f"{NAMESPACE}.{NAME}"
BIN = VENV / "bin"
DOCSITE = ROOT / "docs" / "docsite"
SITE = CACHE / "site"
STAGED = SITE / "source"
HTML = SITE / "html"
REFERENCE = "reference"
KINDS = {"module": "modules", "filter": "filter", "test": "test"}
"""Kinds of plugins, and their folders under plugins/."""

FENCE = re.compile(r"(?ms)^ *(?P<fence>`{3,}|~{3,})[^\n]*\n.*?^ *(?P=fence)[ \t]*$")
SECTION = re.compile(r"(?m)^(?:\(\w+\)=\n)?## ")
SEVERAL = 3
CONTENTS = "```{contents} On this page\n:local:\n:depth: 1\n```\n\n"
LINK = re.compile(r"(?P<image>!?)\[(?P<text>[^\]\n]*)\]\((?P<target>[^)\s]+)\)")
NAMED = re.compile(rf"(?P<kind>\b(?:role|playbook) )?(?<!\[)`{re.escape(FQCN)}\.(?P<name>\w+)`(?!\])")


class SiteError(Exception):
    """A page, a link or the changelog is not as the site needs it; the message says where."""


def run(*command: str | Path, cwd: Path = ROOT) -> None:
    """Run a program, and show what it prints."""
    subprocess.run(command, cwd=cwd, env=tool_environment(), check=True)


def build() -> int:
    """Build the site and return the number of its pages. Sphinx checks links and the table of contents."""
    shutil.rmtree(SITE, ignore_errors=True)
    STAGED.mkdir(mode=0o700, parents=True)
    reference()
    stage()
    sphinx = ("-b", "html", "-q", "-E", "-W", "--keep-going", "-j", "2", "-c", DOCSITE, "-d", SITE / "doctrees")
    run(BIN / "python", "-m", "sphinx", *sphinx, STAGED, HTML)
    return len(list(HTML.rglob("*.html")))


@cache
def documented() -> tuple[tuple[str, str], ...]:
    """Return kind and name of each module, filter, test and role."""
    plugins = [
        (kind, path.stem) for kind, folder in KINDS.items() for path in (ROOT / "plugins" / folder).glob("[!_]*.py")
    ]
    roles = [("role", path.parents[1].name) for path in (ROOT / "roles").glob("*/meta/main.yml")]
    return (*sorted(plugins), *roles)


def source(page: str) -> str | None:
    """Return the file of the checkout that a page is written in, ``None`` if there is no single one."""
    folder, _slash, name = page.rpartition("/")
    plugin, _underscore, kind = name.rpartition("_")
    if page == "index":
        path = "README.md"
    elif folder != REFERENCE:
        path = f"{page}.md"
    elif kind == "role":
        path = f"roles/{plugin}/meta/argument_specs.yml"
    else:
        path = f"plugins/{KINDS.get(kind)}/{plugin}.py"
    return path if page != "CHANGELOG" and (ROOT / path).is_file() else None


# The pages


def reference() -> None:
    """Write the pages of plugins and roles."""
    target = STAGED / REFERENCE
    target.mkdir(mode=0o700)
    options = ("--use-current", "--squash-hierarchy", "--fail-on-error", "--dest-dir", target)
    run(BIN / "antsibull-docs", "--config-file", DOCSITE / "antsibull-docs.cfg", "collection", *options, FQCN)
    # No plugin declares an environment variable.
    (target / "environment_variables.rst").unlink()
    for path in target.glob("_*.rst"):
        path.unlink()
    for path in target.glob("*.rst"):
        text = path.read_text(encoding="utf-8")
        # Two hyphens are a dash in titles.
        text = re.sub(rf"(?m)^((?:{re.escape(FQCN)}\.|Entry point |\* :ansplugin:).*?) -- ", "\\1 \N{EN DASH} ", text)
        text = re.sub(rf"(?mi)^{re.escape(FQCN)}$", FQCN, text)
        path.write_text(index(text) if path.stem == "index" else text, encoding="utf-8")


def index(text: str) -> str:
    """Return the page of the collection without private plugins, and with short names for the sidebar."""
    text = re.sub(r"(?m)^(?:\* :ansplugin:`|    )_\w.*\n", "", text)
    return re.sub(rf"(?m)^( +)(\w+)_({'|'.join((*KINDS, 'role'))})$", r"\1\2 (\3) <\2_\3>", text)


def stage() -> None:
    """Write the other pages."""
    toctree = (DOCSITE / "toctree.md").read_text(encoding="utf-8")
    start = ROOT / "README.md"
    put("index.md", page(start) + "\n" + toctree.partition("-->\n")[2])
    pages = [path for path in (ROOT / "docs").rglob("*.md") if not path.is_relative_to(DOCSITE)]
    for path in (ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", *pages):
        put(str(path.relative_to(ROOT)), with_contents(page(path)))
    for path in (ROOT / "roles").glob("*/README.md"):
        variables = f"../../{REFERENCE}/{path.parent.name}_role.rst"
        put(str(path.relative_to(ROOT)), f"{page(path)}\nAll variables of the role: [reference]({variables}).\n")
    put("playbooks.md", with_contents(playbooks()))
    put("CHANGELOG.md", changelog())


def put(name: str, text: str) -> None:
    """Write a page."""
    path = STAGED / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def page(path: Path) -> str:
    """Return a Markdown file of the checkout with the links that the site has. Code blocks stay as they are."""
    text = path.read_text(encoding="utf-8")
    up = os.path.relpath(ROOT, path.parent)
    parts, at = [], 0
    for fence in FENCE.finditer(text):
        parts += [prose(text[at : fence.start()], path, up), fence[0]]
        at = fence.end()
    return "".join((*parts, prose(text[at:], path, up)))


def with_contents(text: str) -> str:
    """Return a page with a list of its sections before the first one, if it has several."""
    masked = FENCE.sub(lambda fence: " " * len(fence[0]), text)
    sections = [heading.start() for heading in SECTION.finditer(masked)]
    if len(sections) < SEVERAL:
        return text
    return text[: sections[0]] + CONTENTS + text[sections[0] :]


def prose(text: str, path: Path, up: str) -> str:
    """Return Markdown without code blocks, with its links as the site needs them."""
    return NAMED.sub(partial(named, up=up), LINK.sub(partial(link, path=path), text))


def link(match: re.Match[str], path: Path) -> str:
    """Return a link of a page in the checkout as a link of the site."""
    target, _hash, anchor = match["target"].partition("#")
    if not target or urlsplit(target).scheme:
        return match[0]
    file = (path.parent / unquote(target)).resolve()
    name = file.relative_to(ROOT).as_posix() if file.is_relative_to(ROOT) else ""
    if not name or not file.exists():
        raise SiteError(f"{path.relative_to(ROOT)}: {match['target']} does not exist")
    if file == ROOT / "README.md":
        file = ROOT / "index.md"
    elif file.is_dir() and (file / "README.md").exists():
        file /= "README.md"
    elif file.is_dir():
        # A folder is no page. Its name is all that the site can show.
        return match["text"]
    elif file.suffix != ".md":
        (STAGED / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, STAGED / name)
    to = os.path.relpath(file, path.parent) + (f"#{anchor}" if anchor else "")
    return f"{match['image']}[{match['text']}]({to})"


def named(match: re.Match[str], up: str) -> str:
    """Return the name of a module, role or playbook as a link to its page. The word before it says which is meant."""
    name, kind = match["name"], (match["kind"] or "").strip()
    text = f"`{FQCN}.{name}`"
    is_playbook = (ROOT / "playbooks" / f"{name}.yml").exists()
    kinds = [one for one in ("module", "filter", "test", "role") if (one, name) in documented()]
    if is_playbook and (kind == "playbook" or not kinds):
        return f"{match['kind'] or ''}[{text}]({up}/playbooks.md#{name})"
    if not kinds:
        return match[0]
    page = kind if kind in kinds else kinds[0]
    return f"{match['kind'] or ''}[{text}]({up}/{REFERENCE}/{name}_{page}.rst)"


def playbooks() -> str:
    """Return a page with the examples of each playbook, its own variables, and the module whose options are others."""
    parts = [
        "# Playbooks",
        "",
        "Run a playbook by its full name. Its variables are the options of its module, and those",
    ]
    parts += ["that are listed here. Set them with `-e` or in an inventory. `-e help=true` shows them.", ""]
    for path in sorted((ROOT / "playbooks").glob("*.yml")):
        playbook = read_playbook(path.stem)
        parts += [f"({playbook.name})=", f"## {FQCN}.{playbook.name}", "", f"{playbook.summary()}.", ""]
        parts += ["```bash", *command_lines(playbook), "```", ""]
        parts += ["| variable | type | default | |", "| --- | --- | --- | --- |"]
        for name, about in playbook.own.items():
            kind, default = ", ".join(about.get("choices", ())) or about["type"], str(about.get("default", "")).lower()
            parts.append(f"| `{name}` | {kind} | {default} | {about['description']} |")
        parts += ["", f"All options of the module `{FQCN}.{playbook.module}` are variables.", ""]
    return prose("\n".join(parts), ROOT / "playbooks.md", ".")


def changelog() -> str:
    """Return the changelog, with the changes since the last release on top as they are in the fragments."""
    fragments = [path for path in (ROOT / "changelogs" / "fragments").iterdir() if path.suffix in (".yml", ".yaml")]
    if not fragments:
        return (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    version = yaml.safe_load((ROOT / "galaxy.yml").read_text(encoding="utf-8"))["version"]
    # A release that only this copy of the collection knows.
    copy = SITE / "changelog" / "ansible_collections" / NAMESPACE / NAME
    copy.mkdir(parents=True)
    shutil.copy2(ROOT / "galaxy.yml", copy)
    for folder in ("changelogs", "plugins", "roles", "playbooks", "meta"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    run(BIN / "antsibull-changelog", "release", "--version", version, cwd=copy)
    text = (copy / "CHANGELOG.md").read_text(encoding="utf-8")
    escaped = re.escape(version.replace(".", "\\."))
    text, marked = re.subn(rf"(?m)^## v{escaped}$", r"\g<0> (not released yet)", text)
    if not marked:
        raise SiteError(f"the changelog has no version {version}; raise the version in galaxy.yml after a release")
    return text


def main() -> int:
    """Build the site and say where it is."""
    try:
        print(f"docsite: {build()} pages: {HTML / 'index.html'}")
    except (SiteError, subprocess.CalledProcessError) as error:
        print(f"docsite: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
