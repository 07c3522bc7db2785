# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rules of the lint.

Sources: openshift/enhancements:enhancements/installer/component-selection.md (how to add a capability),
dev-guide/cluster-version-operator/dev/object-deletion.md; openshift/api:payload-command/render/renderassets/assets.go
BootstrapRequiredCRD; OTA-1039, OTA-1040; openshift/console-operator#992.
"""

from __future__ import annotations

from collections.abc import Mapping

from .._findings.finding import CheckRule
from .._problems import Location, Problem, Severity

_ANNOTATE = "Give both manifests the same capabilities, or move the reference"
_NEW_NAME = "Give the resource a new name with the annotation, and keep the old one as a manifest that deletes it"

RULES: tuple[CheckRule, ...] = (
    CheckRule(
        "dangling-namespace",
        "error",
        "A manifest needs the capabilities of its Namespace.",
        "A selection can include the object and exclude its Namespace. The API server rejects it, and the CVO never "
        "finishes.",
        _ANNOTATE,
    ),
    CheckRule(
        "dangling-definition",
        "error",
        "A custom resource needs the capabilities of its CustomResourceDefinition.",
        "A selection can include the object and exclude its definition. The API server rejects it, and the CVO never "
        "finishes.",
        _ANNOTATE,
    ),
    CheckRule(
        "dangling-workload",
        "error",
        "A workload needs the capabilities of its ServiceAccount, ConfigMaps and Secrets.",
        "A selection can include the workload and exclude what its Pods need. They do not start.",
        _ANNOTATE,
    ),
    CheckRule(
        "dangling-operator",
        "error",
        "A ClusterOperator needs the capabilities of its operator.",
        "A selection can include the ClusterOperator and exclude all Deployments of its component. The CVO waits for "
        "the status that an operator writes, and never finishes.",
        _ANNOTATE,
    ),
    CheckRule(
        "dangling-role",
        "error",
        "A binding needs the capabilities of its role.",
        "A selection can include the binding and exclude the role. The binding grants nothing.",
        _ANNOTATE,
    ),
    CheckRule(
        "dangling-rights",
        "error",
        "A binding or CredentialsRequest needs the capabilities of the accounts that it grants rights to.",
        "A selection can include it and exclude the account. A user who creates an account of that name gets the "
        "rights.",
        _ANNOTATE,
    ),
    CheckRule(
        "no-profile",
        "error",
        "A manifest is in a cluster profile.",
        "Without an annotation include.release.openshift.io/PROFILE, no cluster gets the manifest.",
        "Add include.release.openshift.io/PROFILE for each profile that needs the manifest",
    ),
    CheckRule(
        "gains-capability",
        "error",
        "A resource does not gain a capability that the previous release knew.",
        "An update enables the capability on every cluster that has the resource, and it can never be disabled again "
        "(OTA-1039).",
        _NEW_NAME,
    ),
    CheckRule(
        "loses-capability",
        "error",
        "A resource does not lose a capability.",
        "Clusters that disabled the capability get the resource.",
        "Restore the annotation",
    ),
    CheckRule(
        "unknown-capability",
        "error",
        "The annotation capability.openshift.io/name contains names that the release knows.",
        "A manifest with an unknown name is in no cluster. An empty annotation requires nothing.",
        "Correct the name, or set known_capabilities if the API does not know it yet",
    ),
    CheckRule(
        "misspelled-annotation",
        "error",
        "The CVO knows the annotation, and the feature sets in it.",
        "The CVO ignores annotations that it does not know, so the manifest is included or excluded unexpectedly. From "
        "4.22 on, it excludes a manifest with both a feature set and feature gates.",
        "Correct the annotation",
    ),
    CheckRule(
        "misplaced-annotation",
        "error",
        "The annotation capability.openshift.io/name is in metadata.annotations of the manifest.",
        "The CVO reads no labels and no annotations of Pod templates, so every cluster gets the manifest.",
        "Move the annotation to metadata.annotations",
    ),
    CheckRule(
        "invalid-deletion",
        "error",
        'The annotation release.openshift.io/delete is "true".',
        "The CVO reports an error for any other value.",
        'Set it to "true", or remove it',
    ),
    CheckRule(
        "deletion-gains-capability",
        "error",
        "A manifest that deletes its resource does not gain a capability.",
        "Clusters without the capability keep the resource, or the update enables the capability.",
        "Remove the new capability from the manifest",
    ),
    CheckRule(
        "vanished-capability",
        "error",
        "A capability that the previous release knew still exists.",
        "The API server rejects every write to a ClusterVersion that contains a name which the API no longer lists, so "
        "clusters that enabled the capability cannot finish the update.",
        "Keep the name in the API; to rename a capability, add the new name, and keep the old one",
    ),
    CheckRule(
        "two-answers",
        "error",
        "Two manifests of one resource in one cluster need the same capabilities, and both apply it or both delete it.",
        "Otherwise the order of the files decides what the cluster has.",
        "Remove one of the two",
    ),
    CheckRule(
        "invalid-manifest",
        "error",
        "The CVO can read the manifest.",
        "A manifest that cannot be read fails the whole release.",
        "Correct the manifest",
    ),
    CheckRule(
        "unused-capability",
        "warning",
        "A capability has manifests.",
        "An update cannot notice a capability without manifests, so it disables the components on existing clusters "
        "(OTA-1040), unless the CVO forces it, as 4.13 does with DeploymentConfig.",
        "Annotate the manifests of the component, or plan the update separately",
    ),
    CheckRule(
        "other-profile",
        "warning",
        "The manifests of a resource need the same capabilities in each cluster profile.",
        "An annotation that only one of them has was probably forgotten in the other.",
        "Give both manifests the same capabilities",
    ),
    CheckRule(
        "rendered-anyway",
        "warning",
        "The bootstrap of an installation does not create a resource that needs a capability.",
        "The renderers of the bootstrap do not read the selection, so new clusters have the resource without the "
        "capability.",
        "Move the resource to a component that the bootstrap does not render, such as the operator that uses it",
    ),
    CheckRule(
        "left-behind",
        "warning",
        "A resource that is removed or renamed is deleted.",
        "The CVO does not delete what a release no longer contains, so the resource stays on existing clusters.",
        'Keep its manifest with release.openshift.io/delete: "true" for one minor version',
    ),
    CheckRule(
        "leaves-profile",
        "warning",
        "A resource stays in its cluster profile.",
        "The CVO does not delete it from clusters of the profile that it leaves.",
        "Check that clusters of the profile may keep it, or delete it there",
    ),
    CheckRule(
        "returns",
        "warning",
        "A resource that was deleted does not come back.",
        "Clusters that skip the release with the deletion have both, the old object and the new manifest.",
        "Use a new name",
    ),
    CheckRule(
        "link-outside",
        "warning",
        "A symbolic link stays in the directory.",
        "A file outside of the directory is not part of the release, so it was not read.",
        "Copy the file",
    ),
    CheckRule(
        "deletion-loses-capability",
        "warning",
        "A manifest that deletes its resource does not lose a capability.",
        "Clusters that disabled the capability never got the resource from a release. If they have an object of that "
        "name, it belongs to the user, and the update deletes it.",
        "Restore the annotation",
    ),
    CheckRule(
        "becomes-optional",
        "info",
        "Resources that a new capability makes optional.",
        "An update enables the capability on clusters that have one of them. New clusters can disable it.",
        "Check that the list is complete",
    ),
    CheckRule(
        "odd-one-out",
        "info",
        "All manifests of an operator need the capability that most of them need.",
        "The annotation may be missing. Only checked in the directory of one operator.",
        "Check whether the manifest needs the capability",
    ),
    CheckRule(
        "still-deletes",
        "info",
        "A manifest that deletes its resource is removed after one minor version.",
        "Each standalone cluster has passed the release that deletes it. A hosted cluster can skip a minor version.",
        "Remove the manifest",
    ),
    CheckRule(
        "annotated-pods",
        "info",
        "The annotation capability.openshift.io/name is not in the Pod template of a manifest that has it.",
        "The CVO does not read it there. If the annotation changes, the Pods are replaced.",
        "Remove it from the Pod template",
    ),
    CheckRule(
        "template",
        "info",
        "A file of Helm or Kustomize is not a manifest.",
        "It was passed over.",
        "Render it, and check the result",
    ),
)
"""All rules, the most severe ones first."""

UNREAD_RULES = ("invalid-manifest", "link-outside", "template")
"""The rules about what is not checked."""

RULES_BY_ID: Mapping[str, CheckRule] = {rule.id: rule for rule in RULES}


def finding(rule_id: str, where: Location, message: str, hint: str = "", severity: Severity | None = None) -> Problem:
    """A finding with the hint and the severity of its rule, unless others are given."""
    rule = RULES_BY_ID[rule_id]
    return Problem(severity or rule.severity, rule_id, where, message, hint or rule.hint)
