# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What HyperShift does to the release and the ClusterVersion of a hosted cluster, by minor.

The control plane operator and the config operator of a hosted cluster come from its release, so the branch of
openshift/hypershift with the minor of the release decides. ``tests/parity/test_branches.py`` compares this file with
the branches.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from .version import Minor

COMMITS = {
    Minor(4, 11): "da0a576c1cdd3f3d4bbd7b3540bf6ac843fa4483",
    Minor(4, 12): "10dcc7d5d8f606955361ec81b1c7560c8e0fa5a2",
    Minor(4, 13): "bc2d7cdad75b7c36aa5c19fa979ec965483185a0",
    Minor(4, 14): "463e60b5ecfbde6866651e3bd4a9bf72646a5e9a",
    Minor(4, 15): "78af170b990b7f57c31498d234b7e5325d23106e",
    Minor(4, 16): "9f79ec9a8b77b41a6485924f42d74ffa9d902507",
    Minor(4, 17): "a33689d822a23aa5438faf88a33eed152c610fb3",
    Minor(4, 18): "e503a20f6760cefcfc4d6987f1a0a908683d67b6",
    Minor(4, 19): "e8f38b4c44069e8abeeffb218ee1b8be54a61c49",
    Minor(4, 20): "4f00c5f00769e3df079e94a464b90cae06fbb7a4",
    Minor(4, 21): "1600118fcfe1fa81bdf0a82f899a7c0e778c04f8",
    Minor(4, 22): "2f5225b64a5e92f1c98ecea4b191932e3980a0c1",
    Minor(4, 23): "a7fbf215c7593a7f374b0cae9deaa7bc6a176874",
    Minor(5, 0): "a7fbf215c7593a7f374b0cae9deaa7bc6a176874",
    Minor(5, 1): "3ee9615567acffaf3e3ee25c2ca2942d650565cf",
    Minor(5, 2): "3ee9615567acffaf3e3ee25c2ca2942d650565cf",
}
"""The commit of each branch of openshift/hypershift with which this file was compared."""

HOSTED_PROFILE = "ibm-cloud-managed"
"""The cluster profile of every hosted cluster. Source: openshift/hypershift v2/assets/cluster-version-operator."""

HOSTED_PROFILES = (HOSTED_PROFILE, "hypershift")
"""The profiles of manifests for hosted clusters. No cluster has the second one any more."""

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


def is_same_minor(first: Minor, second: Minor) -> bool:
    """Whether HyperShift counts two minors as one: 5.0 is its 4.23, 5.1 its 4.24, and so on.

    Source: openshift/hypershift:support/supportedversion/version.go normalizeToV4.
    """
    return _of_version_4(first) == _of_version_4(second)


def skips_minor(first: Minor, second: Minor) -> bool:
    """Whether an update from ``first`` to ``second`` skips a minor version, as HyperShift counts them."""
    return _of_version_4(second) > _of_version_4(first) + 1


def _of_version_4(minor: Minor) -> int:
    return minor.minor + (23 if minor.major > 4 else 0)


# The capabilities of the ClusterVersion


class DefaultDisabled(NamedTuple):
    """Names of vCurrent that a hosted cluster disables unless they are requested, from ``since`` on.

    It enables all others, new ones included.
    """

    since: Minor
    names: frozenset[str]
    source: str


_CALCULATE = (
    "openshift/hypershift:support/capabilities/hosted_control_plane_capabilities.go CalculateEnabledCapabilities"
)
_RECONCILE = (
    "openshift/hypershift:control-plane-operator/hostedclusterconfigoperator/controllers/resources/resources.go "
    "reconcileClusterVersion"
)

DEFAULT_DISABLED_SINCE: tuple[DefaultDisabled, ...] = (
    DefaultDisabled(
        Minor(4, 11),
        frozenset(),
        f"{_RECONCILE}: no capabilities in the spec, which means vCurrent; in 4.18 and 4.19, all names of vCurrent but "
        "ImageRegistry if the HostedCluster disables it",
    ),
    DefaultDisabled(Minor(4, 20), frozenset({"baremetal", "ClusterAPI", "CompatibilityRequirements"}), _CALCULATE),
)

NAMES_WRITTEN_SINCE = Minor(4, 20)
WRITTEN_WITHOUT = "ImageRegistry"
"""Since when HyperShift writes all enabled names into the ClusterVersion. Before, it does so only without this one.

Source: ``_RECONCILE`` and IsImageRegistryCapabilityEnabled.
"""


NOT_WRITTEN: Mapping[Minor, frozenset[str]] = {Minor(4, 18): frozenset({"OperatorLifecycleManagerV1"})}
"""Names of vCurrent that the written list lacks, because HyperShift of the minor has an older copy of openshift/api.

Source: openshift/hypershift release-4.18:vendor/github.com/openshift/api/config/v1/types_cluster_version.go.
"""


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

    A file that a release does not have does not matter.
    """

    names: frozenset[str]
    since: Minor
    until: Minor | None

    def contains(self, minor: Minor) -> bool:
        """Whether HyperShift of ``minor`` deletes the files."""
        return minor.is_in(self.since, self.until)


KEEPING_PLATFORMS: tuple[str, ...] = ("ibmcloud", "powervs")
KEPT_FILES = frozenset(
    {
        "0000_50_cluster-csi-snapshot-controller-operator_07_deployment-ibm-cloud-managed.yaml",
        "0000_50_cluster-storage-operator_10_deployment-ibm-cloud-managed.yaml",
    }
)
"""Platforms of HostedClusters that keep some of the deleted files, and these files.

Source: ``PREPARE_PAYLOAD`` preparePayloadScript.
"""

PREPARE_PAYLOAD = (
    "openshift/hypershift:control-plane-operator/controllers/hostedcontrolplane/v2/cvo/deployment.go (up to 4.17 "
    "cvo/reconcile.go)"
)
"""Source of the files and resources: ``manifestsToOmit``, ``resourcesToRemove`` and ``preparePayloadScript``."""

DELETED_FILES: tuple[DeletedFiles, ...] = (
    DeletedFiles(
        frozenset({"0000_50_cluster-node-tuning-operator_60-clusteroperator.yaml"}), Minor(4, 11), Minor(4, 11)
    ),
    DeletedFiles(frozenset({"0000_90_olm_01-prometheus-rule.yaml"}), Minor(4, 11), Minor(4, 13)),
    DeletedFiles(
        frozenset(
            {
                "0000_80_machine-config-operator_01_machineconfig.crd.yaml",
                "0000_80_machine-config-operator_01_machineconfigpool.crd.yaml",
            }
        ),
        Minor(4, 11),
        Minor(4, 15),
    ),
    DeletedFiles(frozenset({"0000_70_cluster-network-operator_02_rbac.yaml"}), Minor(4, 11), Minor(4, 17)),
    DeletedFiles(
        frozenset(
            {
                "0000_50_cloud-credential-operator_01-operator-config.yaml",
                "0000_50_cluster-authentication-operator_02_config.cr.yaml",
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
                "0000_90_olm_00-service-monitor.yaml",
            }
        ),
        Minor(4, 11),
        None,
    ),
    DeletedFiles(
        frozenset(
            {
                "0000_80_machine-config-operator_01_containerruntimeconfig.crd.yaml",
                "0000_80_machine-config-operator_01_kubeletconfig.crd.yaml",
            }
        ),
        Minor(4, 12),
        Minor(4, 15),
    ),
    DeletedFiles(
        frozenset(
            {
                "0000_50_cluster-image-registry-operator_07-operator-ibm-cloud-managed.yaml",
                "0000_50_cluster-image-registry-operator_07-operator-service.yaml",
                "0000_50_cluster-node-tuning-operator_20-performance-profile.crd.yaml",
                "0000_70_dns-operator_02-deployment-ibm-cloud-managed.yaml",
                "0000_90_cluster-image-registry-operator_02_operator-servicemonitor.yaml",
                "0000_90_etcd-operator_03_prometheusrule.yaml",
            }
        ),
        Minor(4, 12),
        None,
    ),
    DeletedFiles(KEPT_FILES, Minor(4, 12), None),
    DeletedFiles(frozenset({"0000_03_marketplace-operator_02_operatorhub.cr.yaml"}), Minor(4, 14), None),
    DeletedFiles(
        frozenset(
            {
                "0000_80_machine-config_01_containerruntimeconfigs.crd.yaml",
                "0000_80_machine-config_01_kubeletconfigs.crd.yaml",
                "0000_80_machine-config_01_machineconfigpools-Default.crd.yaml",
                "0000_80_machine-config_01_machineconfigs.crd.yaml",
            }
        ),
        Minor(4, 16),
        None,
    ),
    DeletedFiles(
        frozenset({"0000_50_olm_06-psm-operator.service.yaml", "0000_50_olm_06-psm-operator.servicemonitor.yaml"}),
        Minor(4, 17),
        None,
    ),
    DeletedFiles(frozenset({"0000_50_olm_00-packageserver.pdb.yaml"}), Minor(4, 23), None),
)


DELETED_WITHOUT_OAUTH = "0000_50_console-operator_01-oauth.yaml"
DELETED_WITHOUT_OAUTH_SINCE = Minor(4, 14)
"""A file that HyperShift deletes if the HostedCluster has no OAuth server, because it uses an external provider.

Source: ``PREPARE_PAYLOAD`` preparePayloadScript.
"""

DELETED_CVO_MANIFESTS: tuple[str, ...] = (
    "*_deployment.yaml",
    "*_servicemonitor.yaml",
    "0000_50_cluster-update-console-plugin_*",
)
"""Patterns of the CVO's own manifests, in ``manifests/``, that HyperShift deletes.

HyperShift before 4.23 does not delete the last one, and its releases have no such file. The script
also deletes those whose feature set differs, which the CVO excludes anyway.
Source: ``PREPARE_PAYLOAD`` preparePayloadScript.
"""
