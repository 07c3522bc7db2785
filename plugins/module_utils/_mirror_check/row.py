# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is known of one image of a release in its mirror."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from .._problems import Problem

SignatureState = Literal["verified", "missing", "invalid", "unknown", "not_required"]
"""``unknown``: it could not be checked. ``not_required``: no policy demands it, or no CVO verifies it."""

RELEASE = "release"
"""The name of the release image. Other images have the name of their tag in image-references."""


class ImageRow(NamedTuple):
    """``mirror``: the mirror that has the image, else the one that should. ``commands`` make the image ready.

    ``in_mirror`` is ``None`` if the registry did not answer whether it has the image.
    """

    name: str
    image: str
    mirror: str
    in_mirror: bool | None
    openpgp: SignatureState
    sigstore: SignatureState
    problems: tuple[Problem, ...]
    commands: tuple[str, ...]

    @property
    def ready(self) -> bool:
        """Whether a node can pull the image, with all signatures that are required."""
        return self.in_mirror is True and not {self.openpgp, self.sigstore} & {"missing", "invalid", "unknown"}

    def as_dict(self) -> dict[str, Any]:
        """Convert to the form that the module returns."""
        return {
            **self._asdict(),
            "ready": self.ready,
            "problems": [problem.as_dict() for problem in self.problems],
            "commands": list(self.commands),
        }
