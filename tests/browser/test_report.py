# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from selenium.webdriver.common.keys import Keys

from ansible_collections.capability.openshift.tests.unit.builders import fleet_plans as plans

pytestmark = pytest.mark.deep

HOSTILE = "<script>alert(1)</script>&amp;\"'"
LONG = "x" * 100
REPORTS = {
    "one_cluster": plans.one_cluster(),
    "fleet": plans.fleet(clusters=40),
    "long_path": plans.long_path(),
    "downgrade": plans.downgrade(),
    "hostile": plans.with_text(plans.one_cluster(), HOSTILE),
    "long_names": plans.with_text(plans.fleet(plans=2), LONG),
}
EVERY = pytest.mark.parametrize("name", REPORTS)
SIZES = pytest.mark.parametrize("size", ["desktop", "phone"])
SCHEMES = pytest.mark.parametrize("scheme", ["light", "dark"])

# The contrast (WCAG 2) of every element with text, if it is too low.
CONTRAST = """
const canvas = document.createElement("canvas").getContext("2d");
const parse = colour => {
  canvas.fillStyle = "#000"; canvas.fillStyle = colour; canvas.clearRect(0, 0, 1, 1); canvas.fillRect(0, 0, 1, 1);
  return [...canvas.getImageData(0, 0, 1, 1).data];
};
const luminance = ([r, g, b]) => [r, g, b].map(v => v / 255)
  .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
  .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
const behind = element => {
  for (let at = element; at; at = at.parentElement) {
    const colour = parse(getComputedStyle(at).backgroundColor);
    if (colour[3] === 255) return colour;
  }
  return [255, 255, 255, 255];
};
const weak = [];
let seen = 0;
for (const element of document.querySelectorAll("body *")) {
  if (![...element.childNodes].some(node => node.nodeType === 3 && node.data.trim())) continue;
  seen += 1;
  const [a, b] = [parse(getComputedStyle(element).color), behind(element)].map(luminance);
  const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (ratio < 4.5) weak.push(`${element.className || element.tagName}: ${ratio.toFixed(2)}`);
}
return [seen, [...new Set(weak)]];
"""

CUT_OFF = """
const width = document.documentElement.clientWidth;
return [...document.querySelectorAll(".causes *, .fold > div *")].filter(element => {
  const box = element.getBoundingClientRect();
  return box.width && (box.left < 0 || box.right > width + 1);
}).length;
"""


@EVERY
@SIZES
def test_the_page_logs_nothing_and_requests_only_itself(name, size, page):
    shown = page(REPORTS[name], size)
    shown.open_all()

    assert shown.complaints() == []
    assert shown.requests() - {"data:,"} == {shown.file.as_uri()}


@EVERY
@SIZES
@SCHEMES
def test_the_page_is_as_wide_as_the_screen_and_every_text_has_enough_contrast(name, size, scheme, page):
    shown = page(REPORTS[name], size, scheme)
    widths = "return [document.documentElement.scrollWidth, innerWidth]"
    closed = shown.run(widths)
    assert shown.open_all()
    opened = shown.run(widths)
    seen, weak = shown.run(CONTRAST)

    assert closed[0] <= closed[1]
    assert opened[0] <= opened[1]
    assert shown.run(CUT_OFF) == 0
    assert seen > 10
    assert weak == []


@EVERY
@SIZES
def test_a_cell_that_enables_opens_to_its_causes(name, size, page):
    if name == "downgrade":
        name = "one_cluster"
    shown = page(REPORTS[name], size)
    causes = shown.find("td.newly_enabled .causes")
    hidden = causes.is_displayed()
    # Below the head of the table, which stays in view.
    shown.run("document.querySelector('td.newly_enabled summary').scrollIntoView({block: 'center'})")
    shown.find("td.newly_enabled summary").click()

    assert not hidden
    assert causes.is_displayed()
    assert causes.text


def test_the_cause_names_the_resources_and_lies_below_its_row(page):
    shown = page(plans.one_cluster())
    row = "//tr[th='MachineAPI']"
    summary = shown.driver.find_element("xpath", f"{row}//summary")
    summary.click()
    causes = shown.driver.find_element("xpath", f"{row}//div[@class='causes']")

    assert "42 resources of the cluster need it" in causes.text
    assert "openshift-machine-api/machine-api-operator-00" in causes.text
    assert causes.rect["y"] >= summary.rect["y"] + summary.rect["height"]
    assert causes.rect["width"] > 1000


def test_the_keyboard_opens_and_closes_a_cell(page):
    shown = page(plans.one_cluster())
    details = shown.find("td.newly_enabled details")
    states = []
    for _time in range(2):
        shown.find("td.newly_enabled summary").send_keys(Keys.ENTER)
        states.append(details.get_property("open"))

    assert states == [True, False]


def test_everything_that_opens_can_be_reached_with_the_tabulator(page):
    shown = page(plans.one_cluster())
    shown.open_all()  # what is inside of something closed cannot be reached
    wanted = shown.run("return document.querySelectorAll('summary, a').length")
    reached = set()
    for _time in range(wanted):
        shown.driver.switch_to.active_element.send_keys(Keys.TAB)
        reached.add(shown.driver.switch_to.active_element.id)

    assert len(reached) == wanted


def test_a_link_to_a_list_opens_what_contains_it(page):
    shown = page(plans.fleet())
    listing = shown.find("#list-2")
    assert not listing.is_displayed()
    shown.open_all()
    shown.run("document.querySelectorAll('#plan-1 ~ * details').forEach(d => d.open = false)")
    shown.find("a[href='#list-2']").click()

    assert listing.is_displayed()


def test_a_row_of_the_overview_leads_to_its_plan(page):
    shown = page(plans.fleet())
    shown.find("a[href='#plan-3']").click()

    assert 0 <= shown.run("return document.getElementById('plan-3').getBoundingClientRect().top") < 900


@SIZES
def test_the_overview_shows_the_selection_of_each_plan_inside_the_screen(size, page):
    shown = page(plans.fleet(), size)
    cells = shown.driver.find_elements("css selector", "table.plans td[data-label='Selection']")

    assert [cell.text.removeprefix("Selection").strip() for cell in cells] == ["capability set None, with Console"] * 3
    assert all(cell.is_displayed() and cell.rect["width"] > 100 for cell in cells)
    assert all(cell.rect["x"] + cell.rect["width"] <= shown.run("return innerWidth") for cell in cells)


@SIZES
def test_names_that_are_no_longer_optional_are_shown(size, page):
    text = page(plans.downgrade(), size).find("main").text

    for part in (
        "No longer optional",
        "baremetal, Insights, marketplace",
        "LowDesiredVersion",
    ):
        assert part in text


@EVERY
def test_every_link_has_its_target(name, page):
    missing = """
    return [...document.querySelectorAll("a")].map(a => a.getAttribute("href"))
      .filter(link => !link.startsWith("#") || !document.getElementById(link.slice(1)));
    """

    assert page(REPORTS[name]).run(missing) == []


def test_special_characters_are_shown_unchanged(page):
    shown = page(REPORTS["hostile"])
    shown.open_all()

    assert f"Console{HOSTILE}" in shown.find("main").text
    assert shown.run("return document.scripts.length") == 0


def test_on_paper_everything_is_open(page):
    shown = page(plans.one_cluster())
    shown.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        height = shown.run("return document.querySelector('td.newly_enabled .causes').getBoundingClientRect().height")
    finally:
        shown.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})

    assert height > 0


def test_a_browser_reads_the_matrix_as_a_table(page):
    shown = page(plans.one_cluster())
    tree = shown.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    roles = [node["role"]["value"] for node in tree if not node["ignored"]]

    assert roles.count("table") == 1
    assert roles.count("columnheader") == 4
    assert roles.count("rowheader") == roles.count("row") - 1
    assert roles.count("cell") == 3 * roles.count("rowheader")
