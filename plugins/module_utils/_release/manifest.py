# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A manifest of a release: its identity and its annotations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .._data.inclusion_rules import CAPABILITY_ANNOTATION, CREATE_ONLY_ANNOTATION, DELETE_ANNOTATION, PROFILE_ANNOTATION
from .._data.kinds import is_cluster_scoped
from .._problems import Location, Problems, type_name
from .._resources import ResourceId


class Manifest(NamedTuple):
    """One manifest, without its body.

    ``annotations`` is ``None`` if the CVO sees none: they are absent, not a map, or one value is not a string. ``file``
    is relative to the release. ``document`` counts the documents of that file from 1. ``cluster_scoped``: no object of
    its kind is in a Namespace, by the API of Kubernetes or OpenShift, or by a definition in the release.
    """

    resource_id: ResourceId
    version: str
    annotations: Mapping[str, str] | None
    file: str
    document: int = 1
    cluster_scoped: bool = False

    @property
    def object_id(self) -> ResourceId:
        """The identity of the object that it applies or deletes. Other manifests of the object have the same one.

        Only the CVO compares the resource ids, with namespaces that the API ignores.
        """
        return self.resource_id.as_object(cluster_scoped=self.cluster_scoped)

    @property
    def location(self) -> Location:
        """Its place in the release."""
        return Location(self.file, self.document)

    @property
    def capabilities(self) -> tuple[str, ...]:
        """Names in the capability annotation, in its order: split at ``+``, untrimmed, duplicates kept."""
        value = (self.annotations or {}).get(CAPABILITY_ANNOTATION, "")
        return tuple(value.split("+")) if value else ()

    @property
    def profiles(self) -> tuple[str, ...]:
        """The cluster profiles that include it, sorted."""
        given, prefix = self.annotations or {}, PROFILE_ANNOTATION
        return tuple(
            sorted(key.removeprefix(prefix) for key in given if key.startswith(prefix) and given[key] == "true")
        )

    @property
    def deletes(self) -> bool:
        """Whether an update to the release deletes the resource instead of applying it (only if it is ``true``)."""
        return (self.annotations or {}).get(DELETE_ANNOTATION) == "true"

    @property
    def is_create_only(self) -> bool:
        """Whether its object is created if missing, and never changed."""
        return is_create_only(self.annotations)


def is_create_only(annotations: Mapping[str, str] | None) -> bool:
    """Whether the object with these annotations is created if missing, and never changed."""
    return (annotations or {}).get(CREATE_ONLY_ANNOTATION, "").lower() == "true"


def manifest_from_object(
    obj: object, file: str, document: int, problems: Problems, *, line: int = 0
) -> Manifest | None:
    """Convert a decoded document to a manifest, exactly as strictly as the CVO does. ``None`` if an error is reported.

    ``obj`` needs only ``apiVersion``, ``kind`` and ``metadata``. ``line`` is the first line of the document, from 1; 0
    if it is not known.
    Source: library-go:pkg/manifest/manifest.go populateFromObj, validateResourceId. If an annotation is neither a
    string nor null, all annotations are unreadable; null is the empty string (apimachinery unstructured
    NestedNullCoercingStringMap).
    """
    where = Location(file, document, line)
    if not isinstance(obj, Mapping):
        message = f"the document is {type_name(obj)}, expected a map with apiVersion, kind and metadata"
        problems.error("not-a-map", where, message, "Write a manifest")
        return None
    own = Problems()
    metadata = obj.get("metadata")
    fields = metadata if isinstance(metadata, Mapping) else {}
    api_version, kind, name = obj.get("apiVersion"), obj.get("kind"), fields.get("name")
    if isinstance(kind, str) and kind.endswith("List") and "items" in obj and not name:
        message = f"is {kind}, which the CVO does not expand"
        problems.error("unsupported-list", where.child("kind"), message, "Write each item as a separate document")
        return None
    for field, value in (("kind", kind), ("metadata.name", name)):
        if not isinstance(value, str) or not value:
            _report_field(where, field, value, "a non-empty string", own)
    if api_version is None or api_version == "":
        api_version = ""
        message = "is missing; the CVO loads the manifest but cannot apply it"
        own.warning("missing-field", where.child("apiVersion"), message)
    elif not isinstance(api_version, str) or api_version.count("/") > 1:
        _report_field(where, "apiVersion", api_version, "VERSION or GROUP/VERSION", own)
    namespace = fields.get("namespace")
    if namespace is not None and not isinstance(namespace, str):
        message = f"is {type_name(namespace)}, expected a string; the CVO ignores it"
        own.warning("not-a-string", where.child("metadata.namespace"), message, "Quote it")
        namespace = ""
    annotations = _annotations(fields.get("annotations"), where, own)
    problems += own
    if own.has_errors:
        return None
    group, slash, version = str(api_version).partition("/")
    if not slash:
        group, version = "", group
    resource_id = ResourceId(group, str(kind), namespace or "", str(name))
    return Manifest(resource_id, version, annotations, file, document, is_cluster_scoped(*resource_id.group_kind))


def manifest_dict(manifest: Manifest) -> dict[str, Any]:
    """The file, the resource and the capabilities of a manifest, as results of modules have them."""
    return {"file": manifest.file, **manifest.resource_id._asdict(), "capabilities": list(manifest.capabilities)}


def _annotations(value: object, where: Location, problems: Problems) -> dict[str, str] | None:
    if value is None:
        return None
    consequence = "the CVO ignores all annotations of this manifest, so it is excluded"
    if not isinstance(value, Mapping):
        message = f"is {type_name(value)}, expected a map of strings; {consequence}"
        problems.warning("not-a-map", where.child("metadata.annotations"), message, "Write it as a map of strings")
        return None
    unreadable = [(key, item) for key, item in value.items() if item is not None and not isinstance(item, str)]
    for key, item in unreadable:
        message = f"is {type_name(item)}{_shown(item)}, expected a string; {consequence}"
        hint = "Quote the value" if _shown(item) else "Write a string"
        problems.warning("not-a-string", where.child(f"metadata.annotations[{key}]"), message, hint)
    return None if unreadable else {str(key): str(item or "") for key, item in value.items()}


def _shown(value: object) -> str:
    # A map or list can have any size and depth.
    return f" ({value})" if isinstance(value, (bool, int, float)) else ""


def _report_field(where: Location, field: str, value: object, expected: str, problems: Problems) -> None:
    code, fault = "invalid-field", f"is {value!r}" if isinstance(value, str) else f"is {type_name(value)}"
    if value is None:
        code, fault = "missing-field", "is missing"
    problems.error(code, where.child(field), f"{fault}, expected {expected}", f"Set {field}")
