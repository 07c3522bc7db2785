# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads the option ``extra_manifests``: manifests that create what a release refers to, and does not contain."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator

from .._files.files import absolute, cannot, is_special
from .._problems import Problems
from .._resources import CONFIG_MAPS, ResourceId, nested
from .directory import SUFFIXES
from .documents import read_manifest_file

_KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml")


def read_extra_manifests(paths: Iterable[str], option: str, problems: Problems) -> frozenset[ResourceId]:
    """The resources that the manifests in ``paths`` create: files, and directories with all files below them.

    Also those in the values of ConfigMaps, because installers get extra manifests so. What cannot be read is an error,
    because it may be the one that counts. Source: openshift/assisted-service:
    api/hiveextension/v1beta1/agentclusterinstall_types.go ManifestsConfigMapRefs.
    """
    found: set[ResourceId] = set()
    for index, given in enumerate(paths):
        path = absolute(given)
        if not os.path.exists(path):
            message = f"is {given}, which does not exist"
            problems.error("missing-path", f"{option}[{index}]", message, "Name files or directories with manifests")
            continue
        for file in _files(path, problems):
            try:
                with open(file, "rb") as handle:
                    found |= _resources(file, handle.read(), problems)
            except OSError as error:
                problems.append(cannot("read", file, error))
    return frozenset(found)


def _resources(file: str, data: bytes, problems: Problems) -> set[ResourceId]:
    found: set[ResourceId] = set()
    for manifest, body in read_manifest_file(file, data, problems).read_all_json():
        found.add(manifest.object_id)
        if manifest.resource_id.group_kind == CONFIG_MAPS.group_kind:
            values = nested(json.loads(body), "data")
            for text in values.values() if isinstance(values, dict) else ():
                if isinstance(text, str):  # other values are no manifests
                    found |= _resources("", text.encode(errors="replace"), Problems())
    return found


def _files(path: str, problems: Problems) -> Iterator[str]:
    if not os.path.isdir(path):
        yield path
        return

    def report(error: OSError) -> None:
        problems.append(cannot("read", path, error))

    for folder, directories, names in os.walk(path, onerror=report):
        directories.sort()
        # What kustomize generates from the files is in the files.
        for name in sorted(names):
            file = os.path.join(folder, name)
            if name.endswith(SUFFIXES) and name not in _KUSTOMIZATIONS and not is_special(file):
                yield file
