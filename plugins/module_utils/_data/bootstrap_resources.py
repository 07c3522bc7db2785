# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the bootstrap of an installation creates whatever the selection is.

The script ``bootkube.sh`` of the installer runs the renderers, and applies what they write. They do not read the
selection, except the one of the cloud credential operator from 4.15 on
(openshift/cloud-credential-operator:pkg/cmd/render/render.go isDisabledViaCapability). Renderers that are not listed,
such as the one of the authentication operator from 4.19 on, write no resource that needs a capability in a release.
Compared on the branches 4.11 to 5.2 of the renderers, and with the installers 4.11 to 4.21 and that of August 2026.
"""

from __future__ import annotations

from typing import NamedTuple

from .version import Minor


class BootstrapResource(NamedTuple):
    """A resource of releases from ``since`` to ``until`` (``None``: no end). ``renderer``: unless that of its minor."""

    kind: str
    name: str
    since: Minor = Minor(4, 11)
    until: Minor | None = None
    renderer: str = ""


class BootstrapObjects(NamedTuple):
    """Objects that are in no release, and that the operator of ``capability`` would manage.

    ``platforms`` is empty if all have them, and ``field`` if no field of the install-config needs ``value``.
    ``harmful``: the installation fails with them.
    """

    capability: str
    since: Minor
    methods: tuple[str, ...]
    objects: str
    hint: str
    source: str
    platforms: tuple[str, ...] = ()
    field: str = ""
    value: str = ""
    harmful: bool = False


_INGRESS = "openshift/cluster-ingress-operator:cmd/ingress-operator/render.go"
_DEFINITION = "CustomResourceDefinition"
_RENDERERS = (
    (Minor(4, 16), "openshift/api:payload-manifests/crds with release.openshift.io/bootstrap-required"),
    (Minor(4, 15), "openshift/api:Dockerfile.rhel8, payload-command/render"),
    (Minor(4, 11), "openshift/cluster-config-operator:Dockerfile.rhel7, pkg/cmd/render/render.go"),
)
"""What renders the definitions from a minor on. Before 4.16, it writes every definition that its image has."""

_ALWAYS = (
    "apiservers authentications consoles dnses featuregates imagecontentpolicies images infrastructures ingresses "
    "networks nodes oauths projects proxies schedulers"
)
BOOTSTRAP_RESOURCES: tuple[BootstrapResource, ...] = (
    *(BootstrapResource(_DEFINITION, f"{plural}.config.openshift.io") for plural in _ALWAYS.split()),
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
BOOTSTRAP_OBJECTS: tuple[BootstrapObjects, ...] = (
    BootstrapObjects(
        "MachineAPI",
        Minor(4, 14),
        ("upi",),
        "openshift-install writes manifests of Machines, MachineSets and a ControlPlaneMachineSet, whose kinds the "
        "cluster does not serve, so the installation fails",
        "After openshift-install create manifests, remove openshift/99_openshift-cluster-api_master-machines-*.yaml, "
        "openshift/99_openshift-cluster-api_worker-machineset-*.yaml and "
        "openshift/99_openshift-machine-api_master-control-plane-machine-set.yaml",
        "openshift/installer:pkg/asset/machines/master.go, worker.go; "
        "openshift/openshift-docs:modules/installation-user-infra-generate-k8s-manifest-ignition.adoc (OCPBUGS-22777)",
        platforms=("aws", "azure", "gcp", "ibmcloud", "nutanix", "openstack", "powervc", "powervs", "vsphere"),
        harmful=True,
    ),
    BootstrapObjects(
        "NodeTuning",
        Minor(4, 13),
        ("ipi", "upi", "agent", "assisted"),
        "the bootstrap creates the MachineConfigs 01-master-cpu-partitioning and 01-worker-cpu-partitioning, and no "
        "operator reserves CPUs with a PerformanceProfile",
        "Enable NodeTuning, or remove cpuPartitioningMode",
        "openshift/cluster-node-tuning-operator:pkg/performanceprofile/cmd/render/render.go "
        "genBootstrapWorkloadPinningManifests",
        field="cpuPartitioningMode",
        value="AllNodes",
    ),
)


def bootstrap_renderer(kind: str, name: str, minor: Minor) -> str:
    """The source of what renders a resource without namespace in ``minor``; empty if nothing does."""
    for item in BOOTSTRAP_RESOURCES:
        if (item.kind, item.name) == (kind, name) and minor.is_in(item.since, item.until):
            return item.renderer or next(source for since, source in _RENDERERS if since <= minor)
    return ""
