# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import docsite
import pytest
from environment import ROOT


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[a](../README.md#x)", "[a](../index.md#x)"),
        ("[a](../roles/release_apply)", "[a](../roles/release_apply/README.md)"),
        ("[a](../plugins)", "a"),
        ("[a](https://example.com/x) and [b](#c)", "[a](https://example.com/x) and [b](#c)"),
        (
            "the module `capability.openshift.update_plan`",
            "the module [`capability.openshift.update_plan`](../reference/update_plan_module.rst)",
        ),
        (
            "the role `capability.openshift.release_apply`",
            "the role [`capability.openshift.release_apply`](../reference/release_apply_role.rst)",
        ),
        (
            "the playbook `capability.openshift.release_apply`",
            "the playbook [`capability.openshift.release_apply`](../playbooks.md#release_apply)",
        ),
        (
            "`capability.openshift.release_compare`",
            "[`capability.openshift.release_compare`](../playbooks.md#release_compare)",
        ),
        ("[`capability.openshift.update_plan`](bugs.md)", "[`capability.openshift.update_plan`](bugs.md)"),
        ("`capability.openshift.unknown`", "`capability.openshift.unknown`"),
    ],
)
def test_links_and_names_lead_to_pages_of_the_site(text, expected):
    assert docsite.prose(text, ROOT / "docs" / "architecture.md", "..") == expected


@pytest.mark.parametrize(
    ("page", "source"),
    [
        ("index", "README.md"),
        ("docs/how_to/plan_an_update", "docs/how_to/plan_an_update.md"),
        ("reference/update_plan_module", "plugins/modules/update_plan.py"),
        ("reference/included_test", "plugins/test/included.py"),
        ("reference/release_apply_role", "roles/release_apply/meta/argument_specs.yml"),
        ("reference/index", None),
        ("playbooks", None),
        ("CHANGELOG", None),
    ],
)
def test_a_page_can_be_edited_in_the_file_that_it_is_written_in(page, source):
    assert docsite.source(page) == source


def test_a_link_to_nothing_fails():
    with pytest.raises(docsite.SiteError, match=r"docs/architecture\.md: gone\.md does not exist"):
        docsite.prose("[a](gone.md)", ROOT / "docs" / "architecture.md", "..")


def test_a_page_with_several_sections_begins_with_their_list():
    page = "# A\n\nText.\n\n```text\n## no section\n```\n\n## One\n\n## Two\n\n(label)=\n## Three\n"
    parts = docsite.with_contents(page).split(docsite.CONTENTS)

    assert parts == [page[: page.index("## One")], page[page.index("## One") :]]
    assert docsite.with_contents(page.replace("## Three", "### Three")) == page.replace("## Three", "### Three")


def test_private_plugins_are_not_in_the_index():
    text = """\
.. _filter_plugins_in_capability.openshift:

Filter Plugins
~~~~~~~~~~~~~~

* :ansplugin:`_lines filter <capability.openshift._lines#filter>` -- Private
* :ansplugin:`names filter <capability.openshift.names#filter>` -- Public

.. toctree::
    :maxdepth: 1
    :hidden:

    _lines_filter
    names_filter

.. _test_plugins_in_capability.openshift:
"""
    found = docsite.index(text)

    assert "    names (filter) <names_filter>\n" in found
    assert "Private" not in found
    assert ".. _test_plugins_in_capability.openshift:" in found
