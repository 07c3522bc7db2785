# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""What HyperShift does to the release and the ClusterVersion of a hosted cluster, by minor.

The control plane operator and the config operator of a hosted cluster come from its release, so the branch of
openshift/hypershift with the minor of the release decides. "Not known" below means that no version of the source for
these minors was read.
"""

from __future__ import annotations

from typing import NamedTuple

from .._version import Minor

HOSTED_PROFILE = "ibm-cloud-managed"
"""The cluster profile of every hosted cluster. Source: openshift/hypershift v2/assets/cluster-version-operator."""

HOSTED_PLATFORMS: tuple[str, ...] = (
    "agent",
    "aws",
    "azure",
    "gcp",
    "ibmcloud",
    "kubevirt",
    "none",
    "openstack",
    "powervs",
)
"""Platforms of a HostedCluster, in lower case.

Source: openshift/hypershift:api/hypershift/v1beta1/hostedcluster_types.go PlatformType.
"""


# The capabilities of the ClusterVersion


class DefaultDisabled(NamedTuple):
    """Names of vCurrent that a hosted cluster disables unless they are requested, from ``since`` on.

    It enables all others, new ones included. ``known``: whether the names are the same in every patch of the minor.
    """

    since: Minor
    names: frozenset[str]
    source: str
    known: bool = True


_CALCULATE = (
    "openshift/hypershift:support/capabilities/hosted_control_plane_capabilities.go CalculateEnabledCapabilities"
)
_RECONCILE = (
    "openshift/hypershift:control-plane-operator/hostedclusterconfigoperator/controllers/resources/resources.go"
)

DEFAULT_DISABLED_SINCE: tuple[DefaultDisabled, ...] = (
    DefaultDisabled(
        Minor(4, 11),
        frozenset(),
        f"{_RECONCILE} reconcileClusterVersion: no capabilities in the spec, which means vCurrent",
    ),
    DefaultDisabled(
        Minor(4, 18),
        frozenset({"baremetal"}),
        f"{_CALCULATE}; not known from which patch of 4.18 and 4.19 on without baremetal (openshift/hypershift#6183)",
        known=False,
    ),
    DefaultDisabled(Minor(4, 20), frozenset({"baremetal", "ClusterAPI", "CompatibilityRequirements"}), _CALCULATE),
)


class SelectableNames(NamedTuple):
    """Names that a HostedCluster can disable (``disabled``) and enable (``enabled``) from ``since`` on."""

    since: Minor
    disabled: frozenset[str]
    enabled: frozenset[str]
    source: str


_TYPES = "openshift/hypershift:api/hypershift/v1beta1/hostedcluster_types.go"


_SEVEN = frozenset({"ImageRegistry", "openshift-samples", "Insights", "baremetal", "Console", "NodeTuning", "Ingress"})


SELECTABLE_SINCE: tuple[SelectableNames, ...] = (
    SelectableNames(Minor(4, 18), frozenset({"ImageRegistry"}), frozenset(), f"{_TYPES} release-4.18"),
    SelectableNames(Minor(4, 20), _SEVEN, _SEVEN, f"{_TYPES} release-4.20"),
)


# The files of the release


class DeletedFiles(NamedTuple):
    """Files of ``release-manifests/`` that HyperShift deletes before the CVO reads them, from ``since`` to ``until``.

    ``unknown``: the first and last minor for which this is not known. A file that a release does not have does not
    matter.
    """

    names: frozenset[str]
    since: Minor
    until: Minor | None
    source: str
    unknown: tuple[Minor, Minor] | None = None

    def contains(self, minor: Minor) -> bool:
        """Whether HyperShift of ``minor`` deletes the files; the best guess if it is unknown."""
        return self.since <= minor and (self.until is None or minor <= self.until)

    def is_unknown(self, minor: Minor) -> bool:
        """Whether it is not known for ``minor``."""
        return self.unknown is not None and self.unknown[0] <= minor <= self.unknown[1]


_OMIT_2022 = (
    "openshift/hypershift:control-plane-operator/controllers/hostedcontrolplane/cvo/reconcile.go manifestsToOmit"
)
_OMIT = (
    "openshift/hypershift:control-plane-operator/controllers/hostedcontrolplane/v2/cvo/deployment.go manifestsToOmit"
)
_BETWEEN = (Minor(4, 12), Minor(4, 17))

_IN_STORAGE = frozenset(
    {
        "0000_50_cluster-csi-snapshot-controller-operator_07_deployment-ibm-cloud-managed.yaml",
        "0000_50_cluster-storage-operator_10_deployment-ibm-cloud-managed.yaml",
    }
)

DELETED_FILES: tuple[DeletedFiles, ...] = (
    DeletedFiles(
        frozenset(
            {
                "0000_50_cloud-credential-operator_01-operator-config.yaml",
                "0000_50_cluster-authentication-operator_02_config.cr.yaml",
                "0000_50_cluster-image-registry-operator_07-operator-ibm-cloud-managed.yaml",
                "0000_50_cluster-image-registry-operator_07-operator-service.yaml",
                "0000_50_cluster-ingress-operator_02-deployment-ibm-cloud-managed.yaml",
                "0000_50_cluster-node-tuning-operator_50-operator-ibm-cloud-managed.yaml",
                "0000_50_olm_00-pprof-config.yaml",
                "0000_50_olm_00-pprof-rbac.yaml",
                "0000_50_olm_00-pprof-secret.yaml",
                "0000_50_olm_01-olm-operator.serviceaccount.yaml",
                "0000_50_olm_02-services.yaml",
                "0000_50_olm_06-psm-operator.deployment.ibm-cloud-managed.yaml",
                "0000_50_olm_06-psm-operator.deployment.yaml",
                "0000_50_olm_07-collect-profiles.cronjob.yaml",
                "0000_50_olm_07-olm-operator.deployment.ibm-cloud-managed.yaml",
                "0000_50_olm_07-olm-operator.deployment.yaml",
                "0000_50_olm_08-catalog-operator.deployment.ibm-cloud-managed.yaml",
                "0000_50_olm_08-catalog-operator.deployment.yaml",
                "0000_50_olm_15-packageserver.clusterserviceversion.yaml",
                "0000_50_olm_99-operatorstatus.yaml",
                "0000_50_operator-marketplace_04_service_account.yaml",
                "0000_50_operator-marketplace_05_role.yaml",
                "0000_50_operator-marketplace_06_role_binding.yaml",
                "0000_50_operator-marketplace_07_configmap.yaml",
                "0000_50_operator-marketplace_08_service.yaml",
                "0000_50_operator-marketplace_09_operator-ibm-cloud-managed.yaml",
                "0000_50_operator-marketplace_09_operator.yaml",
                "0000_50_operator-marketplace_10_clusteroperator.yaml",
                "0000_50_operator-marketplace_11_service_monitor.yaml",
                "0000_70_cluster-network-operator_03_deployment-ibm-cloud-managed.yaml",
                "0000_90_cluster-image-registry-operator_02_operator-servicemonitor.yaml",
                "0000_90_etcd-operator_03_prometheusrule.yaml",
                "0000_90_olm_00-service-monitor.yaml",
            }
        ),
        Minor(4, 11),
        None,
        f"{_OMIT_2022}, later {_OMIT}",
    ),
    DeletedFiles(
        frozenset(
            {
                "0000_50_cluster-node-tuning-operator_60-clusteroperator.yaml",
                "0000_70_cluster-network-operator_02_rbac.yaml",
                "0000_90_olm_01-prometheus-rule.yaml",
            }
        ),
        Minor(4, 11),
        Minor(4, 11),
        f"{_OMIT_2022}; no longer in {_OMIT}",
        _BETWEEN,
    ),
    DeletedFiles(
        frozenset(
            {
                "0000_80_machine-config-operator_01_machineconfig.crd.yaml",
                "0000_80_machine-config-operator_01_machineconfigpool.crd.yaml",
            }
        ),
        Minor(4, 11),
        Minor(4, 15),
        f"{_OMIT_2022}; from 4.16 on, these files have other names",
        (Minor(4, 12), Minor(4, 15)),
    ),
    DeletedFiles(
        frozenset(
            {
                "0000_03_marketplace-operator_02_operatorhub.cr.yaml",
                "0000_50_cluster-node-tuning-operator_20-performance-profile.crd.yaml",
                "0000_50_olm_06-psm-operator.service.yaml",
                "0000_50_olm_06-psm-operator.servicemonitor.yaml",
                "0000_70_dns-operator_02-deployment-ibm-cloud-managed.yaml",
                "0000_80_machine-config_01_containerruntimeconfigs.crd.yaml",
                "0000_80_machine-config_01_kubeletconfigs.crd.yaml",
                "0000_80_machine-config_01_machineconfigpools-Default.crd.yaml",
                "0000_80_machine-config_01_machineconfigs.crd.yaml",
            }
        ),
        Minor(4, 12),
        None,
        f"{_OMIT}, from 4.18 on",
        _BETWEEN,
    ),
    DeletedFiles(
        _IN_STORAGE,
        Minor(4, 12),
        None,
        f"{_OMIT}, from 4.18 on; openshift/hypershift#1698 and #1748 run both operators in the management cluster",
        _BETWEEN,
    ),
    DeletedFiles(
        frozenset({"0000_50_olm_00-packageserver.pdb.yaml"}),
        Minor(4, 23),
        None,
        f"{_OMIT} since openshift/hypershift#8459; not known to which minors it was backported",
        (Minor(4, 12), Minor(4, 22)),
    ),
)

DELETED_FILES_KNOWN_UNTIL = Minor(5, 0)
"""The last minor for which ``DELETED_FILES`` was read from the source."""

KEEPING_PLATFORMS: tuple[str, ...] = ("ibmcloud", "powervs")
KEPT_FILES: frozenset[str] = _IN_STORAGE
"""Platforms of HostedClusters that keep some of the deleted files, and these files.

Source: openshift/hypershift:control-plane-operator/controllers/hostedcontrolplane/v2/cvo/deployment.go
preparePayloadScript.
"""

DELETED_WITHOUT_OAUTH = "0000_50_console-operator_01-oauth.yaml"
"""A file that HyperShift deletes if the HostedCluster has no OAuth server, because it uses an external provider.

Source: openshift/hypershift:control-plane-operator/controllers/hostedcontrolplane/v2/cvo/deployment.go
preparePayloadScript.
"""

DELETED_CVO_MANIFESTS: tuple[str, ...] = (
    "*_deployment.yaml",
    "*_servicemonitor.yaml",
    "0000_50_cluster-update-console-plugin_*",
)
"""Patterns of the CVO's own manifests, in ``manifests/``, that HyperShift deletes; the last one since 5.0.

The script also deletes those whose feature set differs, which the CVO excludes anyway.
Source: openshift/hypershift:control-plane-operator/controllers/hostedcontrolplane/v2/cvo/deployment.go
preparePayloadScript.
"""
