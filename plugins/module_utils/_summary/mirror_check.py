# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The result of mirror_check as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .words import problem_text

_MOST = 50
_ROW = "{:<40}  {:<8}  {:<12}  {:<12}"
_ACCEPTS = {
    True: ("The", "accepts"),
    False: ("The", "does not accept"),
    None: ("It is not known whether the", "accepts"),
}


def summary_lines(result: Mapping[str, Any], _options: Mapping[str, Any]) -> list[str]:
    """The images that are not ready, with the commands that copy them, and the gates to acknowledge."""
    return list(_lines(result)) if "images" in result else []


def _lines(result: Mapping[str, Any]) -> Iterator[str]:
    rows = [image for image in result["images"] if not image["ready"]]
    yield (
        f"{'ready' if result['ready'] else 'not ready'} for {_purpose(result.get('update_check'))}: "
        f"{len(result['images']) - len(rows)} of {len(result['images'])} images are ready"
    )
    if rows:
        yield ""
        yield _ROW.format("image", "mirror", "OpenPGP", "sigstore").rstrip()
        for row in rows:
            in_mirror = "unknown" if row["in_mirror"] is None else "yes" if row["in_mirror"] else "no"
            yield _ROW.format(row["name"], in_mirror, row["openpgp"], row["sigstore"]).rstrip()
    for row in rows[:_MOST]:
        yield ""
        yield f"image {row['name']}: {row['image']}"
        yield from (f"  {problem_text(problem)}" for problem in row["problems"])
        yield from (f"  $ {command}" for command in row["commands"])
    if len(rows) > _MOST:
        yield ""
        yield f"and {len(rows) - _MOST} more, see problems and commands of each image in the result"
    if "update_check" in result:
        yield ""
        yield from _update(result["update_check"], ready=result["ready"])


def _purpose(update: Mapping[str, Any] | None) -> str:
    if update is None:
        return "an installation"
    to = f" to {update['to_version']}" if update["to_version"] else ""
    return f"the update from {update['from_version']}{to}"


def _update(update: Mapping[str, Any], *, ready: bool) -> Iterator[str]:
    begin, verb = _ACCEPTS[update["accepted"]]
    yield f"{begin} CVO of {update['from_version']} {verb} the signature of the release image"
    for gate in update["acknowledge"] or ():
        yield f"acknowledge{'' if ready else ' when the mirror is ready'} {gate['gate']}: {gate['text']}"
        yield f"  $ {gate['command']}"
