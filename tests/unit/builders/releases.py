# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Releases for tests, written from short descriptions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

PROFILE = "self-managed-high-availability"
INCLUDE = f"include.release.openshift.io/{PROFILE}"
CAPABILITY = "capability.openshift.io/name"
FEATURE_SET = "release.openshift.io/feature-set"
FEATURE_GATE = "release.openshift.io/feature-gate"
DELETE = "release.openshift.io/delete"
MAJOR = "release.openshift.io/major-version"

IMAGES = {"cli": "registry.example/cli@sha256:1111", "console": "registry.example/console@sha256:2222"}

_UNCHANGED: Any = object()


def manifest(
    name: str = "one",
    capability: str = "",
    *,
    kind: str = "ConfigMap",
    api: str = "v1",
    namespace: str = "",
    profile: str = PROFILE,
    annotations: Mapping[str, Any] | None = None,
    more: str = "",
) -> str:
    """Return one manifest as YAML; ``more`` is put below it as it is."""
    values = {f"include.release.openshift.io/{profile}": "true", **(annotations or {})}
    if capability:
        values[CAPABILITY] = capability
    lines = [f"apiVersion: {api}", f"kind: {kind}", "metadata:", f"  name: {name}"]
    lines += [f"  namespace: {namespace}"] if namespace else []
    lines += ["  annotations:", *(f"    {key}: {json.dumps(value)}" for key, value in values.items())]
    return "\n".join(lines) + "\n" + more


def feature_gate(on: Sequence[str], feature_set: str = "Default", *, profile: str = PROFILE, major: str = "") -> str:
    """Return a FeatureGate manifest as releases carry them: for config-operator, not for the CVO."""
    annotations = {
        f"include.release.openshift.io/{profile}": "false-except-for-the-config-operator",
        FEATURE_SET: feature_set,
        **({MAJOR: major} if major else {}),
    }
    gates = [{"name": name} for name in on]
    status = f"status: {json.dumps({'featureGates': [{'version': '', 'enabled': gates, 'disabled': []}]})}\n"
    return manifest(
        "cluster",
        kind="FeatureGate",
        api="config.openshift.io/v1",
        annotations=annotations,
        profile=profile,
        more=status,
    )


def cluster_version_crd(names: Iterable[str], feature_set: str = "", sets: Iterable[str] = ()) -> str:
    """Return a ClusterVersion CRD that accepts these capabilities, and these sets if there are any."""
    fields: dict[str, Any] = {"additionalEnabledCapabilities": {"items": {"enum": list(names)}}}
    if sets:
        fields["baselineCapabilitySet"] = {"enum": list(sets)}
    schema = {"properties": {"spec": {"properties": {"capabilities": {"properties": fields}}}}}
    spec = {"versions": [{"name": "v1", "schema": {"openAPIV3Schema": schema}}]}
    return manifest(
        "clusterversions.config.openshift.io",
        kind="CustomResourceDefinition",
        api="apiextensions.k8s.io/v1",
        annotations={FEATURE_SET: feature_set} if feature_set else None,
        more=f"spec: {json.dumps(spec)}\n",
    )


def documents(*texts: str) -> str:
    """Return a file of several documents."""
    return "---\n".join(texts)


def metadata(version: str) -> dict[str, Any]:
    """Return release-metadata."""
    return {"kind": "cincinnati-metadata-v0", "version": version, "previous": []}


def image_references(version: str, images: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return image-references."""
    pull_specs = IMAGES if images is None else images
    tags = [{"name": name, "from": {"kind": "DockerImage", "name": spec}} for name, spec in pull_specs.items()]
    return {
        "kind": "ImageStream",
        "apiVersion": "image.openshift.io/v1",
        "metadata": {"name": version},
        "spec": {"tags": tags},
    }


def write_files(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write ``files`` into ``folder``, which is made, and return it."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def write_release(
    path: Path,
    files: Mapping[str, str | bytes],
    version: str = "4.20.3",
    *,
    cvo: Mapping[str, str | bytes] | None = None,
    about: Any = _UNCHANGED,
    references: Any = _UNCHANGED,
) -> Path:
    """Write a release in the layout of its image and return its path.

    ``cvo`` are the files of manifests/, ``about`` and ``references`` stand in the place of the two metadata files
    (a string as it is, ``None`` for no file).
    """
    folder = write_files(path / "release-manifests", files)
    write_files(path / "manifests", cvo or {})
    for name, given, usual in (
        ("release-metadata", about, metadata(version)),
        ("image-references", references, image_references(version)),
    ):
        value = usual if given is _UNCHANGED else given
        if value is not None:
            (folder / name).write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


def tree(path: Path) -> dict[str, bytes | str | None]:
    """Return everything below ``path``: content of files, target of links, ``None`` for directories."""
    return {
        str(entry.relative_to(path)): str(entry.readlink())
        if entry.is_symlink()
        else entry.read_bytes()
        if entry.is_file()
        else None
        for entry in sorted(path.rglob("*"))
    }
