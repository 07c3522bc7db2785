# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The configuration of an image: for which architecture it was built, and when.

The format: opencontainers/image-spec:config.md.
"""

from __future__ import annotations

import json
import re
from datetime import datetime
from typing import Any, NamedTuple

from .._registry.blob import ImageStore, checked_blob
from .._registry.image_manifest import Descriptor
from .._unstructured import as_text

_ARCHITECTURE = re.compile(r"[a-z0-9]{1,32}")


class ImageConfig(NamedTuple):
    """A configuration. ``architecture`` has Go's spelling, ``created`` is an RFC 3339 timestamp; empty if not set."""

    architecture: str = ""
    created: str = ""


def read_image_config(store: ImageStore, descriptor: Descriptor | None, where: str) -> ImageConfig:
    """Read the configuration blob of an image, empty without a ``descriptor``. Raises ``RegistryError``."""
    if descriptor is None:
        return ImageConfig()
    with checked_blob(store, descriptor, f"{where}, configuration") as blob:
        return parse_image_config(blob.read())


def parse_image_config(data: bytes) -> ImageConfig:
    """Parse a configuration. Values that are not valid are empty, because nothing depends on them."""
    try:
        document: Any = json.loads(data)
    except (ValueError, RecursionError):
        return ImageConfig()
    fields = document if isinstance(document, dict) else {}
    architecture, created = as_text(fields.get("architecture")), as_text(fields.get("created"))
    return ImageConfig(
        architecture if _ARCHITECTURE.fullmatch(architecture) else "", created if _is_timestamp(created) else ""
    )


def _is_timestamp(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True
