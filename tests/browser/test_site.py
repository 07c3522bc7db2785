# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The documentation site: what a search finds first, the list of sections of a page, and what readers need."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
from selenium.webdriver.support.wait import WebDriverWait

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))

import docsite

pytestmark = pytest.mark.deep

if TYPE_CHECKING:
    from selenium import webdriver

SECONDS = 30.0
RESULTS = "return [...document.querySelectorAll('ul.search li a')].map(link => link.getAttribute('href').split('?')[0])"
SUMMARY = "return document.querySelector('.search-summary')?.textContent"

HEADINGS = (
    "return [...document.querySelectorAll('[role=main] :is(h1, h2, h3, h4, h5, h6)')].map(one => +one.tagName[1])"
)
WIDER = """
const width = document.documentElement.clientWidth;
return [document.documentElement.scrollWidth - width, document.querySelector('.wy-nav-content').scrollWidth - width]
"""
CONTRAST = """
const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
function over(colour, below) {
    canvas.fillStyle = `rgb(${below})`;
    canvas.fillRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
}
function background(element) {
    if (!element) return [255, 255, 255];
    return over(getComputedStyle(element).backgroundColor, background(element.parentElement));
}
function luminance(colour) {
    const linear = part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    const [r, g, b] = colour.map(part => linear(part / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
const found = {};
for (const element of document.body.querySelectorAll('*')) {
    if (element.closest('.sr-only')) continue;
    const texts = [...element.childNodes].filter(node => node.nodeType === 3 && node.textContent.trim());
    const style = getComputedStyle(element);
    if (!texts.length || !element.checkVisibility({checkVisibilityCSS: true, checkOpacity: true})) continue;
    const below = background(element), above = over(style.color, below);
    const [low, high] = [luminance(below), luminance(above)].sort((a, b) => a - b);
    const ratio = (high + 0.05) / (low + 0.05), size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    if (ratio < (large ? 3 : 4.5)) {
        const text = texts[0].textContent.trim().slice(0, 40);
        found[`${element.tagName}.${element.className}: ${above} on ${below}`] = `${ratio.toFixed(2)} ${text}`;
    }
}
return found;
"""
"""Texts with less contrast than WCAG 2.1 AA requires: 4.5, or 3 for large texts. Text over pictures is not measured."""
READ = (
    "index",
    "playbooks",
    "CHANGELOG",
    "CONTRIBUTING",
    "docs/how_to/plan_an_update",
    "docs/how_to/roll_out_a_release",
    "docs/reference/problems",
    "reference/index",
    "reference/update_plan_module",
    "reference/release_apply_role",
    "roles/release_apply/README",
)


@pytest.fixture(scope="module")
def site() -> Path:
    """Build the site, as `make site` does, and return its folder."""
    docsite.build()
    return docsite.HTML


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
        ("keep_implicit", "docs/how_to/enable_capabilities.html"),
        ("allowed_capabilities", "docs/how_to/guard_capabilities.html"),
        ("report", "docs/how_to/plan_an_update.html"),
        ("state", "docs/how_to/check_sites.html"),
        ("kubeconfig", "docs/how_to/enable_capabilities.html"),
        ("help", "playbooks.html"),
        ("prune", "docs/how_to/roll_out_a_release.html"),
        ("solution", "docs/how_to/select_capabilities.html"),
        ("running-cvo", "docs/reference/problems.html#running-cvo"),
        ("inst-ingress", "docs/reference/rules.html"),
        ("architecture", "docs/architecture.html"),
    ],
)
def test_a_search_finds_the_page_for_users_first(driver: webdriver.Chrome, site: Path, query: str, first: str) -> None:
    assert results(driver, site, query)[:1] == [first]


@pytest.fixture
def phone(driver: webdriver.Chrome) -> Iterator[None]:
    metrics = {"width": 360, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    yield
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.mark.parametrize("page", READ)
def test_a_page_can_be_read(driver: webdriver.Chrome, site: Path, page: str) -> None:
    driver.get((site / f"{page}.html").as_uri())

    assert driver.execute_script(CONTRAST) == {}
    levels = driver.execute_script(HEADINGS)
    assert levels.count(1) == 1
    assert [pair for pair in pairwise(levels) if pair[1] > pair[0] + 1] == []


@pytest.mark.parametrize("page", READ)
def test_a_phone_does_not_scroll_sideways(driver: webdriver.Chrome, site: Path, phone: None, page: str) -> None:
    driver.get((site / f"{page}.html").as_uri())

    assert driver.execute_script(WIDER) == [0, 0]
