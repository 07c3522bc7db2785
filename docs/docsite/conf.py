# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Sphinx settings of the documentation site. tools/docsite.py stages the pages and runs Sphinx."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))

import docsite
from antsibull_fileutils.yaml import load_yaml_file
from docutils import nodes

GALAXY: dict[str, Any] = load_yaml_file(Path(__file__).parents[2] / "galaxy.yml")
ANSIBLE = "https://docs.ansible.com/projects/ansible/latest"
# Labels of Ansible's own documentation. An inventory of intersphinx would need a download for each build.
ANSIBLE_LABELS = {
    "action_plugins": f"{ANSIBLE}/plugins/action.html",
    "common_return_values": f"{ANSIBLE}/reference_appendices/common_return_values.html",
}

project = f"{GALAXY['namespace']}.{GALAXY['name']}"
copyright = GALAXY["authors"][0]  # noqa: A001 - Sphinx reads this name
version = release = GALAXY["version"]
language = "en"

extensions = ["myst_parser", "sphinx_antsibull_ext"]
source_suffix = {".rst": "restructuredtext", ".md": "markdown"}
default_role = "any"
nitpicky = True
# Two hyphens begin an option of a command, also outside of code.
smartquotes = False
# The page of the collection repeats the guides, so that its table of contents is complete by itself.
suppress_warnings = ["toc.multiple_toc_parents"]

# Anchors as GitHub makes them, so that one link works in the checkout and on the site.
myst_heading_anchors = 4

html_theme = "sphinx_ansible_theme"
html_title = f"{project} {release}"
html_short_title = project
html_theme_options = {
    "collapse_navigation": False,
    "display_version": True,
    "navigation_depth": 3,
    "style_external_links": True,
    "titles_only": True,
    "topbar_links": {},
}
html_show_sphinx = False
html_copy_source = False
html_use_index = False
html_static_path = ["static"]
html_css_files = ["site.css"]
html_search_scorer = str(Path(__file__).parent / "static" / "scorer.js")
pygments_style = "ansible"
highlight_language = "yaml+jinja"


def ansible_page(_app: Any, _env: Any, node: Any, content: Any) -> Any:
    """Link a label of another collection, or of Ansible itself, to docs.ansible.com."""
    label = node["reftarget"]
    if plugin := re.fullmatch(r"ansible_collections\.(\w+)\.(\w+)\.(\w+?)(?:__((?:parameter|return)-.+))?", label):
        *names, anchor = plugin.groups()
        page = f"{ANSIBLE}/collections/{'/'.join(names)}.html" + (f"#{anchor}" if anchor else "")
    elif label in ANSIBLE_LABELS:
        page = ANSIBLE_LABELS[label]
    else:
        return None
    return nodes.reference("", "", content, internal=False, refuri=page)


def home_link(_app: Any, _page: str, _template: str, context: dict[str, Any], _doctree: Any) -> None:
    """Lead the title bar to the start page, which the theme expects at a fixed address."""
    context["theme_documentation_home_url"] = context["pathto"]("index")


def edit_link(_app: Any, page: str, _template: str, context: dict[str, Any], _doctree: Any) -> None:
    """Link a page to its source in the public repository, if the address is known."""
    address, source = GALAXY.get("repository"), docsite.source(page)
    if address and source:
        forge, part = ("github", "edit") if "//github.com/" in address else ("gitlab", "-/edit")
        context["meta"] = {**(context.get("meta") or {}), f"{forge}_url": f"{address}/{part}/main/{source}"}


def setup(app: Any) -> None:
    """Register what this site adds to Sphinx."""
    app.connect("html-page-context", home_link)
    app.connect("html-page-context", edit_link)
    app.connect("missing-reference", ansible_page)
