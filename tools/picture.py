#!/usr/bin/env python
# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Take the picture of a report that the documentation shows: its matrix, with the cells of one capability opened.

Usage: .venv/bin/python tools/picture.py REPORT.html CAPABILITY PICTURE.png

docs/images/update_plan.png shows Build in the report of the path 4.13, 4.14, 4.18 with platform=aws and the capability
set None.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

WIDTH = 1100
FLAGS = ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars")
OPEN = """
for (const row of document.querySelectorAll("table.matrix tr"))
  if (row.querySelector("th").textContent === arguments[0])
    row.querySelectorAll("details").forEach(one => one.open = true);
return Math.ceil(document.querySelector("table.matrix").getBoundingClientRect().bottom + window.scrollY) + 16;
"""


def main() -> int:
    """Write the top of the page, down to the end of its first matrix, as PNG."""
    if len(sys.argv) != 4:
        print(__doc__)
        return 2
    report, capability, target = sys.argv[1:]
    os.environ["SE_OFFLINE"] = "true"
    options = webdriver.ChromeOptions()
    for flag in FLAGS:
        options.add_argument(flag)
    with webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver"))) as browser:
        screen = {"width": WIDTH, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        light = {"features": [{"name": "prefers-color-scheme", "value": "light"}]}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", light)
        browser.get(Path(report).resolve().as_uri())
        height = browser.execute_script(OPEN, capability)
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen | {"height": height})
        return 0 if browser.save_screenshot(target) else 1


if __name__ == "__main__":
    sys.exit(main())
