# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""What the bootstrap of an installation creates whatever the selection is.

The script ``bootkube.sh`` of the installer runs the renderers below, and applies what they write. None of them reads
the selection. The cloud credential operator does, from 4.15 on (openshift/cloud-credential-operator:pkg/cmd/render/
render.go isDisabledViaCapability), and no other renderer writes a resource that needs a capability in a release.
Compared on the branches 4.11 to 5.2.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from .._version import Minor


class BootstrapResource(NamedTuple):
    """A resource of releases from ``since`` to ``until`` (``None``: no end) that a renderer writes."""

    kind: str
    name: str
    since: Minor = Minor(4, 11)
    until: Minor | None = None
    renderer: str = ""


class BootstrapObjects(NamedTuple):
    """Objects that are in no release, and that the operator of ``capability`` would manage.

    ``platforms`` is empty if all have them. ``setting`` is the field of the install-config and its value that leads to
    them; empty if every install-config does. ``harmful``: the installation fails with them.
    """

    capability: str
    since: Minor
    methods: tuple[str, ...]
    platforms: tuple[str, ...]
    setting: tuple[str, str]
    objects: str
    hint: str
    source: str
    harmful: bool = False


_INGRESS = "openshift/cluster-ingress-operator:cmd/ingress-operator/render.go"
_RENDERERS: tuple[tuple[Minor, str], ...] = (
    (Minor(4, 11), "openshift/cluster-config-operator:Dockerfile.rhel7, pkg/cmd/render/render.go"),
    (Minor(4, 15), "openshift/api:Dockerfile.rhel8, payload-command/render"),
    (Minor(4, 16), "openshift/api:payload-manifests/crds with release.openshift.io/bootstrap-required"),
)
"""What renders the definitions from a minor on. Before 4.16, it writes every definition that its image has."""

_CONFIG_KINDS = (
    "apiservers authentications consoles dnses featuregates imagecontentpolicies images infrastructures ingresses "
    "networks nodes oauths projects proxies schedulers"
)
_DEFINITION = "CustomResourceDefinition"

BOOTSTRAP_RESOURCES: tuple[BootstrapResource, ...] = (
    *(BootstrapResource(_DEFINITION, f"{plural}.config.openshift.io") for plural in _CONFIG_KINDS.split()),
    BootstrapResource(_DEFINITION, "builds.config.openshift.io", until=Minor(4, 13)),
    BootstrapResource(_DEFINITION, "clusterresourcequotas.quota.openshift.io"),
    BootstrapResource(_DEFINITION, "configs.operator.openshift.io", Minor(4, 15), Minor(4, 15)),
    BootstrapResource(_DEFINITION, "imagecontentsourcepolicies.operator.openshift.io"),
    BootstrapResource(_DEFINITION, "imagedigestmirrorsets.config.openshift.io", Minor(4, 13)),
    BootstrapResource(_DEFINITION, "imagetagmirrorsets.config.openshift.io", Minor(4, 13)),
    BootstrapResource(_DEFINITION, "rangeallocations.security.internal.openshift.io"),
    BootstrapResource(_DEFINITION, "rolebindingrestrictions.authorization.openshift.io"),
    BootstrapResource(_DEFINITION, "securitycontextconstraints.security.openshift.io"),
    BootstrapResource(_DEFINITION, "ingresscontrollers.operator.openshift.io", renderer=_INGRESS),
    BootstrapResource("Namespace", "openshift-ingress-operator", renderer=_INGRESS),
)
"""The resources of releases. Without ``renderer``, that of the minor writes them."""

_STANDALONE = ("ipi", "upi", "agent", "assisted")

BOOTSTRAP_OBJECTS: tuple[BootstrapObjects, ...] = (
    BootstrapObjects(
        "MachineAPI",
        Minor(4, 14),
        ("upi",),
        ("aws", "azure", "gcp", "openstack", "vsphere"),
        ("", ""),
        "openshift-install writes manifests of Machines, MachineSets and a ControlPlaneMachineSet, whose kinds the "
        "cluster does not serve, so the installation fails",
        "After openshift-install create manifests, remove openshift/99_openshift-cluster-api_master-machines-*.yaml, "
        "openshift/99_openshift-cluster-api_worker-machineset-*.yaml and "
        "openshift/99_openshift-machine-api_master-control-plane-machine-set.yaml",
        "openshift/openshift-docs:modules/installation-user-infra-generate-k8s-manifest-ignition.adoc (OCPBUGS-22777)",
        harmful=True,
    ),
    BootstrapObjects(
        "NodeTuning",
        Minor(4, 13),
        _STANDALONE,
        (),
        ("cpuPartitioningMode", "AllNodes"),
        "the bootstrap creates the MachineConfigs 01-master-cpu-partitioning and 01-worker-cpu-partitioning, and no "
        "operator reserves CPUs with a PerformanceProfile",
        "Enable NodeTuning, or remove cpuPartitioningMode",
        "openshift/cluster-node-tuning-operator:pkg/performanceprofile/cmd/render/render.go "
        "genBootstrapWorkloadPinningManifests",
    ),
)


def bootstrap_renderer(kind: str, name: str, minor: Minor) -> str:
    """The source of what renders a resource without namespace in ``minor``; empty if nothing does."""
    for item in BOOTSTRAP_RESOURCES:
        if (item.kind, item.name) == (kind, name) and item.since <= minor and (not item.until or minor <= item.until):
            return item.renderer or next(source for since, source in reversed(_RENDERERS) if since <= minor)
    return ""


def bootstrap_objects(minor: Minor, method: str, platform: str | None) -> Iterator[BootstrapObjects]:
    """Yield the objects that an installation can get, whatever its settings are."""
    for item in BOOTSTRAP_OBJECTS:
        if item.since <= minor and method in item.methods and (not item.platforms or platform in item.platforms):
            yield item
