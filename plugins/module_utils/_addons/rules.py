# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rules that add-ons are checked with. Errors stop an installation, and warnings are for review.

Sources: operator-framework/operator-lifecycle-manager:pkg/controller/operators/catalog/operator.go ExecutePlan,
pkg/controller/operators/olm/requirements.go and pkg/controller/registry/resolver; helm/helm:pkg/action/install.go;
kubernetes/kubectl:pkg/cmd/apply.
"""

from __future__ import annotations

from .._findings.finding import CheckRule
from .._problems import Location, Problem

RULES: tuple[CheckRule, ...] = (
    CheckRule(
        "absent-kind",
        "error",
        "The cluster serves the kinds of an add-on.",
        "The API server rejects an object whose kind exists only with a disabled capability. OLM and Helm then stop.",
    ),
    CheckRule(
        "absent-namespace",
        "error",
        "The cluster has the Namespaces of an add-on, or the add-on brings them.",
        "The API server rejects an object in a Namespace that exists only with a disabled capability.",
    ),
    CheckRule(
        "absent-requirement",
        "error",
        "The cluster has the native APIs of a ClusterServiceVersion, and the required ones are not part of OpenShift.",
        "OLM waits for native APIs before it starts the operator. Required CustomResourceDefinitions and API services "
        "must be provided by another operator: OLM installs nothing if only the cluster has them.",
    ),
    CheckRule(
        "unserved-version",
        "error",
        "The cluster serves the versions that an add-on uses.",
        "The API server rejects an object in another version.",
        "Use a served version",
    ),
    CheckRule(
        "wrong-order",
        "error",
        "Namespaces and CustomResourceDefinitions of an add-on come before the objects that need them.",
        "kubectl keeps the order of the documents, so the API server rejects what comes too early.",
        "Move it to the front, or set installer if another tool applies the add-on",
    ),
    CheckRule(
        "invalid-manifest",
        "error",
        "Files are YAML or JSON, and a bundle has one ClusterServiceVersion and one object in each file.",
        "What cannot be read is not checked. Of several ClusterServiceVersions, opm reads the first one, and OLM "
        "installs the last one. Both read only the first document of each file, and a comment before --- is the first "
        "one. OLM cannot unpack a bundle with subdirectories of manifests.",
        "Correct the file",
    ),
    CheckRule(
        "late-definition",
        "warning",
        "kubectl and Helm know the kinds of an add-on before they apply its first object.",
        "They look up all kinds first. Of a kind that the same call defines, they know nothing. kubectl applies the "
        "rest, and Helm installs nothing, so that is an error.",
    ),
    CheckRule(
        "absent-rights",
        "warning",
        "Roles of an add-on are about APIs that exist.",
        "The role is valid, but the operator probably uses the APIs, and some operators exit without them.",
        "Check that the operator works without them",
    ),
    CheckRule(
        "dangling-reference",
        "warning",
        "What webhooks, APIServices, ConsolePlugins, Subscriptions, workloads and bindings refer to exists.",
        "The API server accepts the object, but it has no effect, or Pods do not start. An operator can create the "
        "target later.",
        "Check that something creates it",
    ),
    CheckRule(
        "ignored-marker",
        "warning",
        "Objects of an add-on do not rely on markers that nothing reads.",
        "Only the CVO reads the annotation capability.openshift.io/name, and no OLM implements the property "
        "olm.manifests.optional (operator-framework/operator-lifecycle-manager#2552). The object is created on every "
        "cluster.",
        "Let the operator create the object if its API exists",
    ),
    CheckRule(
        "unknown-kind",
        "info",
        "The kinds of an add-on are known.",
        "Another operator can define a kind. Its objects are to review.",
        "Correct the kind, or check what else defines it",
    ),
    CheckRule(
        "unchecked-bundle",
        "info",
        "A catalog contains the objects of its bundles.",
        "Newer catalogs contain only metadata. Required APIs are checked, and objects are not.",
        "Check the image of the bundle",
    ),
    CheckRule(
        "template",
        "info",
        "Templates, patches and Kustomizations are not checked.",
        "Their result is not known before they are rendered.",
        "Render it, and check the result",
    ),
    CheckRule(
        "unread-file",
        "warning",
        "Files can be read, and symbolic links stay in the directory.",
        "What is not read is not checked.",
    ),
)
"""All rules, the most severe ones first."""

UNREAD_RULES = ("invalid-manifest", "template", "unchecked-bundle", "unread-file")
"""The rules about what is not checked."""

RULES_BY_ID = {rule.id: rule for rule in RULES}


def finding(rule_id: str, where: Location, message: str, hint: str = "") -> Problem:
    """A finding with the severity of its rule, and with its hint unless another is given."""
    rule = RULES_BY_ID[rule_id]
    return Problem(rule.severity, rule_id, where, message, hint or rule.hint)
