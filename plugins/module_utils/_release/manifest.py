# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""One Kubernetes object of a release: who it is, and what its annotations say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .._problems import Problem, Problems, has_errors, type_name
from .._resources import ResourceId

CAPABILITY_ANNOTATION = "capability.openshift.io/name"
PROFILE_ANNOTATION = "include.release.openshift.io/"
EXCLUDE_ANNOTATION = "exclude.release.openshift.io/"
FEATURE_SET_ANNOTATION = "release.openshift.io/feature-set"
FEATURE_GATE_ANNOTATION = "release.openshift.io/feature-gate"
MAJOR_VERSION_ANNOTATION = "release.openshift.io/major-version"
DELETE_ANNOTATION = "release.openshift.io/delete"


class Manifest(NamedTuple):
    """One manifest, without its body.

    ``annotations`` is ``None`` where the CVO sees none: the map is absent, is no map, or holds a value that is not
    a string. ``file`` is relative to the release; ``document`` counts the documents of that file from 1.
    """

    resource_id: ResourceId
    version: str
    annotations: Mapping[str, str] | None
    file: str
    document: int = 1

    @property
    def capabilities(self) -> tuple[str, ...]:
        """Names in the capability annotation, in its order: split at ``+``, untrimmed, duplicates kept."""
        value = (self.annotations or {}).get(CAPABILITY_ANNOTATION, "")
        return tuple(value.split("+")) if value else ()

    @property
    def deletes(self) -> bool:
        """Whether an update to the release deletes the resource instead of applying it (exactly ``true`` does)."""
        return (self.annotations or {}).get(DELETE_ANNOTATION) == "true"


def manifest_from_object(
    obj: object, file: str, document: int = 1, line: int = 0
) -> tuple[Manifest | None, tuple[Problem, ...]]:
    """Turn a decoded document into a manifest, as strictly and as leniently as the CVO does.

    ``obj`` needs ``apiVersion``, ``kind`` and ``metadata`` only. The manifest is ``None`` when a problem is an error.
    ``line`` (from 1, 0 if not known) is where the document begins.
    Source: library-go:pkg/manifest/manifest.go populateFromObj, validateResourceId; annotations that hold a
    value that is neither a string nor null are unreadable as a whole, and null is the empty string (apimachinery
    unstructured NestedNullCoercingStringMap).
    """
    if not isinstance(obj, Mapping):
        where = location(file, document, line)
        found = f"the document is {type_name(obj)}"
        return None, (
            Problem(
                "error",
                "todo",
                where,
                f"{found}, expected a map with apiVersion, kind and metadata",
                "Write a manifest",
            ),
        )
    api_version, kind, metadata = obj.get("apiVersion"), obj.get("kind"), obj.get("metadata")
    if isinstance(metadata, Mapping):
        name, namespace, annotations = metadata.get("name"), metadata.get("namespace"), metadata.get("annotations")
    else:
        name = namespace = annotations = None
    if (
        isinstance(api_version, str)
        and isinstance(kind, str)
        and isinstance(name, str)
        and (namespace is None or isinstance(namespace, str))
        and isinstance(annotations, dict)
        and kind
        and name
        and api_version
        and set(map(type, annotations.values())) <= {str}
    ):
        # The common case: nothing to tell, nothing to copy.
        group, slash, version = api_version.partition("/")
        if not slash:
            group, version = "", group
        if "/" not in version:
            return Manifest(ResourceId(group, kind, namespace or "", name), version, annotations, file, document), ()
    return _checked_manifest(obj, file, document, location(file, document, line))


def location(file: str, document: int, line: int = 0, field: str = "") -> str:
    """Name a place in a release for ``Problem.where``: file, document, line and field."""
    text = f"{file}, document {document}"
    if line:
        text += f" (line {line})"
    return f"{text}, {field}" if field else text


def _checked_manifest(
    obj: Mapping[Any, Any], file: str, document: int, where: str
) -> tuple[Manifest | None, tuple[Problem, ...]]:
    problems = Problems()
    metadata = obj.get("metadata")
    fields = metadata if isinstance(metadata, Mapping) else {}
    api_version, kind, name = obj.get("apiVersion"), obj.get("kind"), fields.get("name")
    if isinstance(kind, str) and kind.endswith("List") and "items" in obj and not name:
        message = f"kind {kind} is a list, and the CVO does not expand lists"
        return None, (Problem("error", "todo", f"{where}, kind", message, "Write each item as a document of its own"),)
    for field, value in (("kind", kind), ("metadata.name", name)):
        if not isinstance(value, str) or not value:
            problems.append(_missing(where, field, value))
    if api_version is None or api_version == "":
        api_version = ""
        problems.append(
            Problem(
                "warning", "todo", f"{where}, apiVersion", "is missing; the CVO loads the manifest and cannot apply it"
            )
        )
    elif not isinstance(api_version, str) or api_version.count("/") > 1:
        problems.append(_missing(where, "apiVersion", api_version, "VERSION or GROUP/VERSION"))
    namespace = fields.get("namespace")
    if namespace is not None and not isinstance(namespace, str):
        problems.append(
            Problem(
                "warning",
                "todo",
                f"{where}, metadata.namespace",
                f"is {type_name(namespace)}, read as no namespace",
                "Quote it",
            )
        )
        namespace = ""
    annotations, annotation_problems = _annotations(fields.get("annotations"), where)
    problems += annotation_problems
    if has_errors(problems):
        return None, tuple(problems)
    group, slash, version = str(api_version).partition("/")
    if not slash:
        group, version = "", group
    resource_id = ResourceId(group, str(kind), namespace or "", str(name))
    return Manifest(resource_id, version, annotations, file, document), tuple(problems)


def _annotations(value: object, where: str) -> tuple[dict[str, str] | None, list[Problem]]:
    if value is None:
        return None, []
    consequence = "the CVO then sees no annotations at all on this manifest and leaves it out"
    if not isinstance(value, Mapping):
        message = f"is {type_name(value)}, expected a map of strings; {consequence}"
        return None, [
            Problem("warning", "todo", f"{where}, metadata.annotations", message, "Write it as a map of strings")
        ]
    problems = [
        Problem(
            "warning",
            "todo",
            f"{where}, metadata.annotations[{key}]",
            f"is {type_name(item)}{_shown(item)}, expected a string; {consequence}",
            "Quote the value" if _shown(item) else "Give it a string",
        )
        for key, item in value.items()
        if item is not None and not isinstance(item, str)
    ]
    return (None if problems else {str(key): str(item or "") for key, item in value.items()}), problems


def _shown(value: object) -> str:
    # A map or list can be of any size and depth.
    return f" ({value})" if isinstance(value, (bool, int, float)) else ""


def _missing(where: str, field: str, value: object, expected: str = "a non-empty string") -> Problem:
    found = "is missing" if value is None else f"is {value!r}" if isinstance(value, str) else f"is {type_name(value)}"
    return Problem(
        "error", "todo", f"{where}, {field}", f"{found}, expected {expected}", f"Give the document a {field}"
    )
