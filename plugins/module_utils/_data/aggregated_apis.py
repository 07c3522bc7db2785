# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The API groups that OpenShift serves with aggregated API servers. A plain Kubernetes cluster does not have them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from .version import Minor

_AGGREGATED: Mapping[str, str] = {
    "apps.openshift.io": "DeploymentConfig",
    "authorization.openshift.io": """
        ClusterRole ClusterRoleBinding LocalResourceAccessReview LocalSubjectAccessReview ResourceAccessReview Role
        RoleBinding SelfSubjectRulesReview SubjectAccessReview SubjectRulesReview
        """,
    "build.openshift.io": "Build BuildConfig",
    "image.openshift.io": """
        Image ImageSignature ImageStream ImageStreamImage ImageStreamImport ImageStreamMapping ImageStreamTag ImageTag
        """,
    "oauth.openshift.io": """
        OAuthAccessToken OAuthAuthorizeToken OAuthClient OAuthClientAuthorization UserOAuthAccessToken
        """,
    "project.openshift.io": "Project ProjectRequest",
    "quota.openshift.io": "AppliedClusterResourceQuota",
    "route.openshift.io": "Route",
    "security.openshift.io": """
        PodSecurityPolicyReview PodSecurityPolicySelfSubjectReview PodSecurityPolicySubjectReview
        """,
    "template.openshift.io": "BrokerTemplateInstance Template TemplateInstance",
    "user.openshift.io": "Group Identity User UserIdentityMapping",
}
"""Kinds of OpenShift's own API servers. Others of these groups have a CustomResourceDefinition.

Sources: openshift/openshift-apiserver:pkg/cmd/openshift-apiserver/openshiftapiserver;
openshift/oauth-apiserver:pkg/apiserver, for users and OAuth; openshift/api:*/v1/register.go.
"""

AGGREGATED_GROUPS = frozenset(_AGGREGATED)
_AGGREGATED_KINDS = frozenset((group, kind) for group, kinds in _AGGREGATED.items() for kind in kinds.split())

MOVED_KINDS: Mapping[str, str] = {
    **{kind: group for group, kind in sorted(_AGGREGATED_KINDS) if kind != "Template"},
    "SecurityContextConstraints": "security.openshift.io",
}
"""Kinds that OpenShift 3 also served in the core group, and their groups. oc still processes such a Template."""


def is_aggregated(group: str, kind: str) -> bool:
    """Whether an aggregated API server of OpenShift serves the kind."""
    return (group, kind) in _AGGREGATED_KINDS


class UndefinedApi(NamedTuple):
    """An API that exists only with a capability. No release has a definition of it.

    ``versions``: those that are served from the minor ``since`` on, up to ``until``. ``gate``: it exists only with this
    feature gate.
    """

    resource: str
    group: str
    capability: str
    source: str
    versions: frozenset[str] = frozenset({"v1"})
    gate: str = ""
    since: Minor = Minor(4, 0)
    until: Minor | None = None

    def is_in(self, minor: Minor | None) -> bool:
        """Whether ``minor`` serves it in these versions. ``None``: any minor may be meant."""
        return minor is None or minor.is_in(self.since, self.until)


AGGREGATED_APIS: tuple[UndefinedApi, ...] = (
    UndefinedApi("builds", "build.openshift.io", "Build", "openshift/api:build/v1/types.go"),
    UndefinedApi("buildconfigs", "build.openshift.io", "Build", "openshift/api:build/v1/types.go"),
    UndefinedApi("deploymentconfigs", "apps.openshift.io", "DeploymentConfig", "openshift/api:apps/v1/types.go"),
    UndefinedApi(
        "packagemanifests",
        "packages.operators.coreos.com",
        "OperatorLifecycleManager",
        "operator-framework/operator-lifecycle-manager:pkg/package-server/apis/operators/v1",
    ),
)
"""Aggregated APIs of capabilities.

Sources of the capability: openshift/api:config/v1/types_cluster_version.go, and the manifests of the servers.
"""

_OLM_V1, _OLM_V1_SOURCE = (
    "olm.operatorframework.io",
    "openshift/openshift-docs:modules/olmv1-clusteroperator.adoc; "
    "openshift/cluster-olm-operator:manifests/0000_51_olm_06_deployment.yaml initContainers",
)
_SNAPSHOTS, _GROUP_SNAPSHOTS = "snapshot.storage.k8s.io", "groupsnapshot.storage.k8s.io"
_GROUP_GATE = "VolumeGroupSnapshot"
"""openshift/cluster-csi-snapshot-controller-operator:pkg/operator/starter.go. Default from 4.23 on."""
_GROUP_VERSIONS = (
    ("v1alpha1", Minor(4, 16), Minor(4, 17)),
    ("v1beta1", Minor(4, 18), Minor(4, 20)),
    ("v1beta2", Minor(4, 21), Minor(4, 22)),
    ("v1", Minor(4, 23), None),
)
_SNAPSHOT_ASSETS = "openshift/cluster-csi-snapshot-controller-operator:assets"

OPERATOR_APIS: tuple[UndefinedApi, ...] = (
    UndefinedApi("clustercatalogs", _OLM_V1, "OperatorLifecycleManagerV1", _OLM_V1_SOURCE),
    UndefinedApi("clusterextensions", _OLM_V1, "OperatorLifecycleManagerV1", _OLM_V1_SOURCE),
    UndefinedApi("volumesnapshots", _SNAPSHOTS, "CSISnapshot", f"{_SNAPSHOT_ASSETS}/volumesnapshots.yaml"),
    UndefinedApi("volumesnapshotclasses", _SNAPSHOTS, "CSISnapshot", f"{_SNAPSHOT_ASSETS}/volumesnapshotclasses.yaml"),
    UndefinedApi(
        "volumesnapshotcontents", _SNAPSHOTS, "CSISnapshot", f"{_SNAPSHOT_ASSETS}/volumesnapshotcontents.yaml"
    ),
    *(
        UndefinedApi(
            name,
            _GROUP_SNAPSHOTS,
            "CSISnapshot",
            f"{_SNAPSHOT_ASSETS}/{name}.yaml",
            frozenset({version}),
            _GROUP_GATE,
            since,
            until,
        )
        for version, since, until in _GROUP_VERSIONS
        for name in ("volumegroupsnapshots", "volumegroupsnapshotclasses", "volumegroupsnapshotcontents")
    ),
)
"""APIs whose definition the operator of a capability creates, with each version that it serves."""
