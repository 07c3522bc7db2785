# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""How API servers treat the fields that a comparison depends on, as data with sources."""

from __future__ import annotations

from collections.abc import Mapping

from .._data.aggregated_apis import AGGREGATED_GROUPS

TYPED_GROUPS = AGGREGATED_GROUPS | frozenset(
    {
        "",
        "admissionregistration.k8s.io",
        "apiextensions.k8s.io",
        "apiregistration.k8s.io",
        "apps",
        "authentication.k8s.io",
        "authorization.k8s.io",
        "autoscaling",
        "batch",
        "certificates.k8s.io",
        "coordination.k8s.io",
        "discovery.k8s.io",
        "events.k8s.io",
        "flowcontrol.apiserver.k8s.io",
        "networking.k8s.io",
        "node.k8s.io",
        "policy",
        "rbac.authorization.k8s.io",
        "resource.k8s.io",
        "scheduling.k8s.io",
        "storage.k8s.io",
    }
)
"""Groups whose kinds are Go structs of an API server.

Objects of other groups are custom resources, which the server stores unchanged.
Source: kubernetes/api:*/register.go.
"""

METADATA = ("annotations", "finalizers", "labels", "name", "namespace", "ownerReferences")
"""Metadata that a manifest can set. The API server owns the rest (kubernetes/apimachinery:ObjectMeta)."""

KEYED = frozenset({"annotations", "labels", "matchLabels", "nodeSelector"})
KEYED_IN_STRUCTS = KEYED | {"binaryData", "data", "parameters"}
"""Maps of strings with keys of the user. A key with an empty value is significant, and values are only text."""

QUANTITY_MAPS = frozenset({"allocatable", "capacity", "hard", "limits", "overhead", "podFixed", "requests"})
QUANTITIES = frozenset({"divisor", "sizeLimit", "storage"})
"""Maps of quantities, and fields with a quantity: ``resource.Quantity`` in kubernetes/api."""

DROPPED_MAPS = KEYED_IN_STRUCTS | QUANTITY_MAPS | {"metadata", "selector"}
"""Maps that a Go struct omits if they are empty. Others, such as ``emptyDir``, are pointers and are kept."""

SCHEMA = "openAPIV3Schema"
SCHEMAS = frozenset({"additionalItems", "additionalProperties", "allOf", "anyOf", "items", "not", "oneOf", SCHEMA})
SCHEMA_MAPS = frozenset({"definitions", "dependencies", "patternProperties", "properties"})
SCHEMA_FIELDS = (
    SCHEMAS
    | SCHEMA_MAPS
    | {
        "$ref",
        "$schema",
        "default",
        "description",
        "enum",
        "example",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "externalDocs",
        "format",
        "id",
        "maxItems",
        "maxLength",
        "maxProperties",
        "maximum",
        "minItems",
        "minLength",
        "minProperties",
        "minimum",
        "multipleOf",
        "nullable",
        "pattern",
        "required",
        "title",
        "type",
        "uniqueItems",
        "x-kubernetes-embedded-resource",
        "x-kubernetes-int-or-string",
        "x-kubernetes-list-map-keys",
        "x-kubernetes-list-type",
        "x-kubernetes-map-type",
        "x-kubernetes-preserve-unknown-fields",
        "x-kubernetes-validations",
    }
)
"""The fields of a schema in a CustomResourceDefinition.

The API server drops other fields silently, for example ``optional`` in the CRD of DNSes of each release.
Source: kubernetes/apiextensions-apiserver:pkg/apis/apiextensions/v1/types_jsonschema.go
"""

WHOLE = frozenset(
    {"labelSelector", "namespaceSelector", "nodeSelector", "objectSelector", SCHEMA, "podSelector", "selector"}
)
"""Maps of Go structs in which an additional entry changes the meaning of the others.

They are applied as a whole: ``+structType=atomic`` of LabelSelector
(kubernetes/apimachinery:pkg/apis/meta/v1/types.go), ``+mapType=atomic`` of Service and PodSpec
(kubernetes/api:core/v1/types.go). A schema belongs to an item of ``versions``, which is ``+listType=atomic``
(kubernetes/apiextensions-apiserver:pkg/apis/apiextensions/v1/types.go).
"""

CONTAINER_LISTS = ("containers", "ephemeralContainers", "initContainers")

MERGED: Mapping[tuple[str, str], tuple[str, ...]] = {
    # kubernetes/apimachinery:pkg/apis/meta/v1/types.go ObjectMeta
    ("metadata", "ownerReferences"): ("uid",),
    # kubernetes/api:core/v1/types.go PodSpec
    **{("spec", field): ("name",) for field in CONTAINER_LISTS},
    ("spec", "hostAliases"): ("ip",),
    ("spec", "imagePullSecrets"): ("name",),
    ("spec", "resourceClaims"): ("name",),
    ("spec", "schedulingGates"): ("name",),
    ("spec", "topologySpreadConstraints"): ("topologyKey", "whenUnsatisfiable"),
    ("spec", "volumes"): ("name",),
    # the same, Container
    **{(containers, "env"): ("name",) for containers in CONTAINER_LISTS},
    **{(containers, "ports"): ("containerPort", "protocol") for containers in CONTAINER_LISTS},
    **{(containers, "volumeDevices"): ("devicePath",) for containers in CONTAINER_LISTS},
    **{(containers, "volumeMounts"): ("mountPath",) for containers in CONTAINER_LISTS},
    ("resources", "claims"): ("name",),
    # the same, ServiceSpec
    ("spec", "ports"): ("port", "protocol"),
    # the same, ServiceAccount; its second list is atomic, and yet OpenShift adds a secret to each of the two
    # (openshift/openshift-controller-manager:pkg/serviceaccounts/controllers)
    ("", "imagePullSecrets"): ("name",),
    ("", "secrets"): ("name",),
    # kubernetes/api:admissionregistration/v1/types.go
    ("", "webhooks"): ("name",),
    ("webhooks", "matchConditions"): ("name",),
    ("spec", "matchConditions"): ("name",),
    ("spec", "variables"): ("name",),
    # openshift/api:image/v1/types.go ImageStreamSpec
    ("spec", "tags"): ("name",),
}
"""Lists of Go structs that the API server merges: the last two names of the field path, and the key fields.

Items that only the cluster has belong to other clients. All other lists are replaced as a whole, and so are lists of
custom resources: the CVO replaces them whatever their schema says.
Source: ``patchMergeKey`` and ``+listMapKey`` in the files named.
"""

KEY_DEFAULTS = {"protocol": "TCP"}
"""Defaults of optional key fields (kubernetes/kubernetes:pkg/apis/core/v1/defaults.go)."""

ENCODED = {"ConfigMap": "binaryData", "Secret": "data"}
"""Maps of strings in base64."""
