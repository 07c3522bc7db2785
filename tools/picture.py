#!/usr/bin/env python
# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Take the picture of a report that the documentation shows: its matrix, with the cells of one capability opened.

Usage: .venv/bin/python tools/picture.py REPORT.html CAPABILITY PICTURE.png
"""

from __future__ import annotations

import os
import shutil
import sys
import zlib
from base64 import b64decode
from pathlib import Path
from struct import pack, unpack

from environment import BROWSER, missing_packages
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

WIDTH = 1100
FLAGS = ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars")
OPEN = """
for (const row of document.querySelectorAll("table.matrix tr"))
  if (row.querySelector("th").textContent === arguments[0])
    row.querySelectorAll("details").forEach(one => one.open = true);
const matrix = document.querySelector("table.matrix").getBoundingClientRect();
return matrix.bottom + window.scrollY;
"""
SIGNATURE = b"\x89PNG\r\n\x1a\n"


def screenshot(report: Path, capability: str) -> bytes:
    """Return the top of the page down to the end of its first matrix, as PNG."""
    os.environ["SE_OFFLINE"] = "true"
    options = webdriver.ChromeOptions()
    for flag in FLAGS:
        options.add_argument(flag)
    browser = webdriver.Chrome(options=options, service=Service(shutil.which(BROWSER["chromium-driver"])))
    try:
        metrics = {"width": WIDTH, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        light = {"features": [{"name": "prefers-color-scheme", "value": "light"}]}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", light)
        browser.get(report.resolve().as_uri())
        height = int(browser.execute_script(OPEN, capability)) + 16
        clip = {"x": 0, "y": 0, "width": WIDTH, "height": height, "scale": 1}
        shot = {"format": "png", "captureBeyondViewport": True, "clip": clip}
        return b64decode(browser.execute_cdp_cmd("Page.captureScreenshot", shot)["data"])
    finally:
        browser.quit()


def smaller(png: bytes) -> bytes:
    """Return the same picture packed as tightly as zlib can, without what is not picture."""
    chunks: list[tuple[bytes, bytes]] = []
    at = len(SIGNATURE)
    while at < len(png):
        (length,) = unpack(">I", png[at : at + 4])
        chunks.append((png[at + 4 : at + 8], png[at + 8 : at + 8 + length]))
        at += 12 + length
    pixels = zlib.decompress(b"".join(data for kind, data in chunks if kind == b"IDAT"))
    header = next(data for kind, data in chunks if kind == b"IHDR")
    kept = ((b"IHDR", header), (b"IDAT", zlib.compress(pixels, 9)), (b"IEND", b""))
    return SIGNATURE + b"".join(
        pack(">I", len(data)) + kind + data + pack(">I", zlib.crc32(kind + data)) for kind, data in kept
    )


def main() -> int:
    """Write the picture and say how large it is."""
    if len(sys.argv) != 4:
        print(__doc__)
        return 2
    if missing := missing_packages("browser"):
        print(f"picture: install {' and '.join(missing)} first", file=sys.stderr)
        return 1
    report, capability, target = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
    png = smaller(screenshot(report, capability))
    target.write_bytes(png)
    print(f"picture: {target}, {len(png) / 1024:.0f} KB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
