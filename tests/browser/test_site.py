# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The documentation site: what a search finds first, and the list of sections of a page."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
from selenium.webdriver.support.wait import WebDriverWait

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))

import docsite

if TYPE_CHECKING:
    from selenium import webdriver

SECONDS = 30.0
RESULTS = "return [...document.querySelectorAll('ul.search li a')].map(link => link.getAttribute('href').split('?')[0])"
SUMMARY = "return document.querySelector('.search-summary')?.textContent"
CAPTIONS = "return [...document.querySelectorAll('.wy-menu .caption')].map(caption => caption.textContent)"
SECTIONS = "return [...document.querySelectorAll('nav.contents a')].map(link => link.textContent)"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return the site, built again, because that of another step can be incomplete."""
    folder = tmp_path_factory.mktemp("site") / "site"
    with pytest.MonkeyPatch.context() as patch:
        for name, path in (("SITE", folder), ("STAGED", folder / "source"), ("HTML", folder / "html")):
            patch.setattr(docsite, name, path)
        docsite.build()
        yield folder / "html"


def results(driver: webdriver.Chrome, site: Path, query: str) -> list[str]:
    """Return the pages that a search finds, in their order."""
    driver.get("about:blank")
    driver.get(f"{(site / 'search.html').as_uri()}?q={quote(query)}")
    WebDriverWait(driver, SECONDS).until(lambda _driver: driver.execute_script(SUMMARY))
    return list(driver.execute_script(RESULTS))


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("fail_on", "docs/how_to/plan_an_update.html"),
        ("adopt_implicit", "docs/how_to/enable_capabilities.html"),
        ("allowed_capabilities", "docs/how_to/guard_capabilities.html"),
        ("prune", "docs/how_to/roll_out_a_release.html"),
        ("solution", "docs/how_to/select_capabilities.html"),
        ("documentation_url", "docs/how_to/check_sites.html"),
        ("running-cvo", "docs/reference/problems.html#running-cvo"),
        ("inst-ingress", "docs/reference/rules.html"),
        ("journal", "docs/reference/rollout_journal.html"),
        ("architecture", "docs/architecture.html"),
    ],
)
def test_a_search_finds_the_page_for_users_first(driver: webdriver.Chrome, site: Path, query: str, first: str) -> None:
    assert results(driver, site, query)[:1] == [first]


def test_an_option_is_not_first_where_developers_read(driver: webdriver.Chrome, site: Path) -> None:
    found = results(driver, site, "fail_on")

    for_developers = {"CONTRIBUTING.html", "docs/architecture.html", "CHANGELOG.html"}
    assert found[-1] in for_developers
    assert for_developers.isdisjoint(found[:5])


def test_a_guide_lists_its_sections(driver: webdriver.Chrome, site: Path) -> None:
    driver.get((site / "docs" / "how_to" / "plan_an_update.html").as_uri())

    assert driver.execute_script(SECTIONS) == [
        "1. Name the releases",
        "2. Describe the cluster",
        "3. Run the plan",
        "4. Read the plan",
        "5. Decide",
    ]


def test_the_last_section_of_the_side_bar_is_for_clusters_without_openshift(
    driver: webdriver.Chrome, site: Path
) -> None:
    driver.get((site / "index.html").as_uri())
    captions = driver.execute_script(CAPTIONS)

    assert captions[0] == "Tutorial"
    assert captions[-1] == "Without OpenShift"
