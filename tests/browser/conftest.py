# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A headless Chromium that opens reports. It never downloads anything, and the tests fail if it is missing."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

from ansible_collections.capability.openshift.plugins.module_utils._report.write import render_html

FLAGS = ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars")
SIZES = {"desktop": (1280, 900), "phone": (360, 800)}


def _program(name: str, package: str) -> str:
    path = shutil.which(name)
    if path is None:
        pytest.fail(f"{name} is missing; install {package} (Debian: apt-get install chromium chromium-driver)")
    return path


@pytest.fixture(scope="session")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    """Return a browser that records its console and its network."""
    # Selenium would otherwise download a browser, and send statistics.
    os.environ.update(SE_OFFLINE="true", SE_AVOID_STATS="true")
    options = webdriver.ChromeOptions()
    options.binary_location = _program("chromium", "chromium")
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    browser = webdriver.Chrome(options=options, service=Service(_program("chromedriver", "chromium-driver")))
    try:
        yield browser
    finally:
        browser.quit()


class Page:
    """A report in the browser."""

    def __init__(self, driver: webdriver.Chrome, file: Path) -> None:
        self.driver, self.file = driver, file

    def show(self, size: str, scheme: str) -> None:
        """Reload the page for a ``size`` of screen in the colour ``scheme``."""
        width, height = SIZES[size]
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": size == "phone"}
        media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
        self.driver.get("about:blank")
        for log in ("browser", "performance"):
            self.driver.get_log(log)  # discard older entries
        self.driver.get(self.file.as_uri())
        # The browser lays out distant plans only when they come into view, but tests look at all of them.
        self.run("document.querySelectorAll('.fleet').forEach(plan => plan.style.contentVisibility = 'visible')")

    def run(self, script: str, *arguments: Any) -> Any:
        """Run ``script`` and return its result."""
        return self.driver.execute_script(script, *arguments)

    def find(self, selector: str) -> Any:
        """Return the first element that matches a CSS selector."""
        return self.driver.find_element("css selector", selector)

    def open_all(self) -> int:
        """Open everything that can be opened, and return the number of elements."""
        script = "const all = [...document.querySelectorAll('details')]; all.forEach(one => one.open = true);"
        return int(self.run(f"{script} return all.length"))

    def complaints(self) -> list[str]:
        """Return the warnings and errors of the console."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] not in ("INFO", "DEBUG")]

    def requests(self) -> set[str]:
        """Return the addresses that the page requested."""
        messages = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        sent = [message["params"] for message in messages if message["method"] == "Network.requestWillBeSent"]
        return {entry["request"]["url"].partition("#")[0] for entry in sent}


@pytest.fixture
def page(driver: webdriver.Chrome, tmp_path: Path) -> Callable[..., Page]:
    """Show a report: ``page(report, size="phone", scheme="dark")``."""

    def show(report: Mapping[str, Any], size: str = "desktop", scheme: str = "light") -> Page:
        file = tmp_path / "update_plan.html"
        file.write_text(render_html(report), encoding="utf-8")
        shown = Page(driver, file)
        shown.show(size, scheme)
        return shown

    return show
