# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The consequences of disabled capabilities: what does not work, and what to do instead. With sources."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Consequence(NamedTuple):
    """A consequence of a disabled ``capability``. ``text`` is one sentence without a full stop."""

    capability: str
    text: str
    source: str


_API = "openshift/api:config/v1/types_cluster_version.go ClusterVersionCapability"
_DOCS = "openshift/openshift-docs:modules"
_KUBERNETES = "kubernetes/website:content/en/docs/tasks/administer-cluster/running-cloud-controller.md"
_GATEWAYS = "openshift/cluster-ingress-operator#1459; openshift/cluster-ingress-operator#1490; openshift/api#2691"
_INGRESS = "openshift/enhancements:enhancements/ingress/optional-ingress-hypershift.md"

CONSEQUENCES: tuple[Consequence, ...] = (
    Consequence(
        "Build",
        "Build and BuildConfig objects cannot be created, so images must be built in another way",
        f"{_DOCS}/build-config-capability.adoc; {_API}Build",
    ),
    Consequence("Build", "Projects get no builder service account", f"{_DOCS}/build-config-capability.adoc"),
    Consequence(
        "CSISnapshot",
        "The APIs VolumeSnapshot and VolumeSnapshotClass are absent, so volume snapshots can neither be taken nor "
        "deleted, and storage operators must do without a class",
        f"{_DOCS}/cluster-csi-snapshot-controller-operator.adoc; {_API}CSISnapshot; "
        "openshift/cluster-csi-snapshot-controller-operator:assets; openshift/csi-driver-manila-operator#159",
    ),
    Consequence(
        "CloudControllerManager",
        "New nodes whose kubelet expects a cloud provider keep their uninitialized taint and take no workload, "
        "so it can be disabled only on bare metal, none, or external without a cloud controller manager",
        f"{_KUBERNETES}; openshift/api#1434; openshift/openshift-docs#75877",
    ),
    Consequence(
        "CloudControllerManager",
        "No cloud controller manager of the platform creates load balancers for Services of type LoadBalancer, "
        "so another controller must serve them",
        f"{_API}CloudControllerManager; {_KUBERNETES}",
    ),
    Consequence(
        "CloudCredential",
        "The API CredentialsRequest is absent, so an administrator must create the secrets of components that access "
        "a cloud",
        f"{_DOCS}/cloud-credential-operator.adoc; openshift/api#1571",
    ),
    Consequence(
        "CloudCredential",
        "Only bare-metal clusters are supported without it, and the installer rejects its absence on clouds",
        f"{_DOCS}/cloud-credential-operator.adoc; openshift/installer#7884",
    ),
    Consequence(
        "ClusterAPI",
        "The Cluster API controllers and their infrastructure providers are not installed, so machines cannot be "
        "managed through Cluster API",
        "openshift/cluster-capi-operator:README.md; openshift/api#2884",
    ),
    Consequence(
        "CompatibilityRequirements",
        "CompatibilityRequirement objects are not enforced, so nothing stops a change of a CRD that breaks another "
        "user of the same CRD",
        "openshift/api:apiextensions/v1alpha1/types_compatibilityrequirement.go; "
        "openshift/cluster-capi-operator:docs/controllers/crd-compatibility-checker-operator.md",
    ),
    Consequence(
        "CompatibilityRequirements",
        "ClusterAPI cannot be enabled, because the ClusterVersion API requires this capability for it",
        "openshift/api:config/v1/types_cluster_version.go FeatureGateAwareXValidation; openshift/api#2884",
    ),
    Consequence(
        "Console",
        "There is no web console, so administrators and developers work with the command line or the API",
        f"{_DOCS}/console-operator.adoc; {_API}Console",
    ),
    Consequence(
        "Console",
        "The APIs for console links, quick starts, YAML samples and command line downloads are absent, "
        "so add-ons that create such objects must tolerate that",
        "eclipse-che/che#21642",
    ),
    Consequence(
        "Console",
        "An operator whose OLM bundle contains console objects fails to install, because OLM ignores capabilities",
        "openshift/cert-manager-operator#455",
    ),
    Consequence(
        "DeploymentConfig",
        "DeploymentConfig objects cannot be created, so workloads that use them must move to Deployments",
        f"{_DOCS}/deployment-config-capability.adoc; {_API}DeploymentConfig",
    ),
    Consequence(
        "DeploymentConfig", "Projects get no deployer service account", f"{_DOCS}/deployment-config-capability.adoc"
    ),
    Consequence(
        "ImageRegistry",
        "There is no registry inside the cluster to push images to or pull them from, so an external one is needed",
        f"{_DOCS}/cluster-image-registry-operator.adoc; {_API}ImageRegistry",
    ),
    Consequence(
        "ImageRegistry",
        "A build that pushes to an image stream, such as one of oc new-app, does not start unless it names an "
        "external registry",
        "openshift/openshift-controller-manager:pkg/build/controller/build/build_controller.go "
        "resolveImageReferences; operate-first/support#377",
    ),
    Consequence(
        "ImageRegistry",
        "Service accounts get neither a generated token secret nor a generated image pull secret",
        f"{_DOCS}/cluster-image-registry-operator.adoc; openshift/cluster-openshift-controller-manager-operator#298",
    ),
    Consequence(
        "Ingress",
        "Routes can still be created, but no router admits them or passes traffic to them",
        f"{_INGRESS}, Drawbacks",
    ),
    Consequence(
        "Ingress",
        "Ingress objects are not served until another ingress controller is installed",
        f"{_INGRESS}, Ingress to route controller",
    ),
    Consequence(
        "Ingress",
        "The APIs IngressController, DNSRecord, GatewayClass, Gateway, HTTPRoute and ReferenceGrant do not come "
        "with the platform",
        f"{_API}Ingress; {_INGRESS}, Ingress operator APIs",
    ),
    Consequence(
        "Ingress",
        "The web console cannot be reached by its route",
        f"{_INGRESS}, Console operator; openshift/console-operator#886",
    ),
    Consequence(
        "Insights",
        "Configuration data is not gathered for Red Hat, so the Insights advisor has no recommendations for the "
        "cluster; Telemetry is not affected",
        f"{_DOCS}/insights-operator.adoc; {_API}Insights",
    ),
    Consequence(
        "Insights",
        "Simple content access entitlements are not imported, so builds that need subscription content need "
        "entitlements created by hand",
        "docs.redhat.com OpenShift 4.20 Support, Importing simple content access entitlements with Insights Operator",
    ),
    Consequence(
        "MachineAPI",
        "The APIs Machine, MachineSet and ControlPlaneMachineSet are absent, so machines are added, replaced and "
        "removed by hand",
        f"{_DOCS}/machine-api-capability.adoc; {_API}MachineAPI",
    ),
    Consequence(
        "MachineAPI",
        "The cluster autoscaler operator is not installed, so the number of nodes does not follow the load",
        f"{_DOCS}/machine-api-capability.adoc; {_API}MachineAPI",
    ),
    Consequence(
        "MachineAPI",
        "The installer rejects an installation on installer-provisioned infrastructure",
        f"{_DOCS}/machine-api-capability.adoc; openshift/installer#7414",
    ),
    Consequence(
        "NodeTuning",
        "The APIs Tuned and PerformanceProfile are absent, so kernel and latency settings of nodes must be applied in "
        "another way",
        f"{_DOCS}/node-tuning-operator.adoc; {_API}NodeTuning",
    ),
    Consequence(
        "NodeTuning",
        "Control plane nodes lack some default tuning, which may limit clusters with more than 900 nodes or routes",
        f"{_DOCS}/node-tuning-operator.adoc",
    ),
    Consequence(
        "OperatorLifecycleManager",
        "The APIs Subscription and InstallPlan are absent, so operators cannot be installed or updated by OLM v0",
        f"{_API}OperatorLifecycleManager; openshift/cluster-ingress-operator#1232",
    ),
    Consequence(
        "OperatorLifecycleManager",
        "Gateway API does not work on releases before 4.22 whose ingress operator installs its implementation with "
        "OLM v0",
        _GATEWAYS,
    ),
    Consequence(
        "OperatorLifecycleManager",
        "The marketplace capability cannot be enabled without it",
        f"{_API}Marketplace; openshift/installer#7495",
    ),
    Consequence(
        "OperatorLifecycleManagerV1",
        "The APIs ClusterExtension and ClusterCatalog are absent, so extensions cannot be installed by OLM v1",
        f"{_DOCS}/olmv1-clusteroperator.adoc; {_API}OperatorLifecycleManagerV1",
    ),
    Consequence(
        "Storage",
        "There are neither CSI drivers nor a default storage class, so an administrator must install drivers and "
        "create a class",
        f"{_DOCS}/cluster-storage-operator.adoc; {_API}Storage",
    ),
    Consequence("Storage", "Clusters on OpenStack and RHV rely on it and may be damaged without it", f"{_API}Storage"),
    Consequence(
        "baremetal",
        "The API BareMetalHost is absent, so the cluster cannot provision or manage bare-metal hosts",
        f"{_DOCS}/cluster-bare-metal-operator.adoc; {_API}Baremetal",
    ),
    Consequence("baremetal", "Platform baremetal cannot be installed without it", "openshift/installer#7901"),
    Consequence(
        "marketplace",
        "The default catalog sources are absent, so catalogs must be added by hand before OLM v0 finds operators",
        f"{_DOCS}/operator-marketplace.adoc; {_API}Marketplace",
    ),
    Consequence(
        "marketplace",
        "The namespace openshift-marketplace is not created, and an administrator must create it to offer "
        "catalogs to all namespaces",
        f"{_DOCS}/operator-marketplace.adoc",
    ),
    Consequence(
        "marketplace",
        "Gateway API does not work on releases before 4.22 whose ingress operator installs its implementation from the "
        "catalog source redhat-operators, unless an administrator adds it",
        _GATEWAYS,
    ),
    Consequence(
        "openshift-samples",
        "The sample image streams and templates in the namespace openshift are absent, so users can start from neither",
        f"{_DOCS}/cluster-samples-operator.adoc; {_API}OpenShiftSamples",
    ),
)
"""Sorted by capability as the ClusterVersion sorts its lists: capitals before lower case."""


def consequences_of(names: Iterable[str]) -> tuple[Consequence, ...]:
    """The consequences of disabling the capabilities ``names``, sorted by capability. Unknown names have none."""
    disabled = frozenset(names)
    consequences = (item for item in CONSEQUENCES if item.capability in disabled)
    return tuple(sorted(consequences, key=lambda item: item.capability))
