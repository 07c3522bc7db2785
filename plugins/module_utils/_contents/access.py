# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which accounts have a permission in the whole cluster, as the RBAC authorizer of an API server decides.

Only ClusterRoleBindings grant permissions in the whole cluster. Those of a RoleBinding end at its namespace, even if it
names a ClusterRole.
Source: kubernetes/kubernetes:plugin/pkg/auth/authorizer/rbac/rbac.go RuleAllows; pkg/registry/rbac/validation/rule.go;
pkg/controller/clusterroleaggregation/clusterroleaggregation_controller.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from .._data.cluster_access import BUILT_IN_ROLES, PERMISSIONS, AccessRequest, ClusterRole
from .._resources import ResourceId, as_list, as_text, mappings_in, nested

SERVICE_ACCOUNT = "system:serviceaccount:"
_RBAC = "rbac.authorization.k8s.io"
RBAC_KINDS = frozenset(
    {("", "ServiceAccount"), *((_RBAC, kind) for kind in ("ClusterRole", "ClusterRoleBinding", "RoleBinding"))}
)
"""Group and kind of what decides about permissions in the whole cluster, with the accounts that may have them."""
_AUTHENTICATED, _UNAUTHENTICATED = "system:authenticated", "system:unauthenticated"

Capabilities = tuple[str, ...]
"""Names that a manifest needs, sorted."""


class Account(NamedTuple):
    """A ``User`` or a ``Group``. A service account is the user ``system:serviceaccount:NAMESPACE:NAME``."""

    kind: str
    name: str

    @property
    def shown(self) -> str:
        """NAMESPACE/NAME for a service account, else its kind and name."""
        if self.kind == "User" and self.name.startswith(SERVICE_ACCOUNT):
            return self.name.removeprefix(SERVICE_ACCOUNT).replace(":", "/", 1)
        return f"{self.kind} {self.name}"

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups of an authenticated user of this name, or those that every member of this group is in.

        Source: kubernetes/kubernetes:staging/src/k8s.io/apiserver/pkg/authentication/serviceaccount/util.go;
        group/authenticated_group_adder.go.
        """
        kind, name = self
        if name in ("system:anonymous", _UNAUTHENTICATED):
            return (_UNAUTHENTICATED,)
        prefix = SERVICE_ACCOUNT if kind == "User" else "system:serviceaccounts:"
        groups = [name] if kind == "Group" else []
        if name.startswith(prefix):
            groups += ["system:serviceaccounts", f"system:serviceaccounts:{name.removeprefix(prefix).split(':')[0]}"]
        return tuple(dict.fromkeys((*groups, _AUTHENTICATED)))


class ClusterRoleBinding(NamedTuple):
    """A ClusterRoleBinding to the ClusterRole ``role``."""

    capabilities: Capabilities
    role: str
    accounts: tuple[Account, ...]


class RbacInputs(NamedTuple):
    """What a manifest adds to the permissions of accounts. ``accounts``: those that it names."""

    accounts: tuple[Account, ...] = ()
    role: ClusterRole | None = None
    binding: ClusterRoleBinding | None = None


def rbac_inputs(resource: ResourceId, body: Any, capabilities: Capabilities) -> RbacInputs:
    """What the manifest of ``resource`` adds, one of ``RBAC_KINDS``. ``body`` is its body."""
    if resource.kind == "ServiceAccount":
        return RbacInputs((service_account(resource.namespace, resource.name),))
    if resource.kind == "ClusterRole":
        return RbacInputs(role=_cluster_role(body, capabilities))
    if resource.kind == "RoleBinding":
        return RbacInputs(_subjects(body, resource.namespace))
    role = str(nested(body, "roleRef", "name"))
    return RbacInputs(binding=ClusterRoleBinding(capabilities, role, _subjects(body, "")))


def _cluster_role(body: Any, capabilities: Capabilities) -> ClusterRole:
    rules, labels = mappings_in(nested(body, "rules")), nested(body, "metadata", "labels")
    return ClusterRole(
        frozenset[str]().union(*map(_permissions, rules)),
        labels if isinstance(labels, Mapping) else {},
        tuple(mappings_in(nested(body, "aggregationRule", "clusterRoleSelectors"))),
        bool(rules),
        capabilities,
    )


def _permissions(rule: Mapping[str, Any]) -> frozenset[str]:
    if rule.get("resourceNames"):  # it grants nothing that concerns all objects
        return frozenset()
    verbs, groups, resources = (as_list(rule.get(field)) for field in ("verbs", "apiGroups", "resources"))

    def allows(request: AccessRequest) -> bool:
        _resource, slash, subresource = request.resource.partition("/")
        return (
            ("*" in resources or request.resource in resources or (slash != "" and f"*/{subresource}" in resources))
            and ("*" in verbs or request.verb in verbs)
            and ("*" in groups or request.group in groups)
        )

    return frozenset(name for name, requests in PERMISSIONS.items() if any(map(allows, requests)))


def _subjects(body: Any, namespace: str) -> tuple[Account, ...]:
    """The accounts that a binding in ``namespace`` names. A service account without a namespace is in this one."""
    found: list[Account] = []
    for subject in mappings_in(nested(body, "subjects")):
        kind, name = subject.get("kind"), str(subject.get("name"))
        if kind == "ServiceAccount":
            found.append(service_account(str(subject.get("namespace") or namespace), name))
        elif kind in ("User", "Group"):
            found.append(Account(kind, name))
    return tuple(found)


def service_account(namespace: str, name: str) -> Account:
    """The account of a ServiceAccount."""
    return Account("User", f"{SERVICE_ACCOUNT}{namespace}:{name}")


def who_can(
    roles: Mapping[str, ClusterRole], bindings: Iterable[ClusterRoleBinding], accounts: Iterable[Account]
) -> dict[str, dict[Account, Capabilities]]:
    """Return the accounts that have each permission, with the capabilities that this needs, as few as possible.

    ``accounts``: accounts that are not in ``bindings``, and may be in their groups.
    """
    granted = _granted({**BUILT_IN_ROLES, **roles})
    holders: dict[Account, dict[str, Capabilities]] = {account: {} for account in accounts}
    for binding in bindings:
        for account in binding.accounts:
            _add(holders.setdefault(account, {}), granted.get(binding.role, {}), binding.capabilities)
    found: dict[str, dict[Account, Capabilities]] = {permission: {} for permission in PERMISSIONS}
    for account, own in holders.items():
        permissions = dict(own)
        for group in account.groups:
            _add(permissions, holders.get(Account("Group", group), {}))
        for permission, capabilities in permissions.items():
            found[permission][account] = capabilities
    return found


def _granted(roles: Mapping[str, ClusterRole]) -> dict[str, dict[str, Capabilities]]:
    """Return the permissions of each role, with what they need.

    As the controller does, replace the rules of each role that aggregates others until nothing changes. A role keeps
    its own rules if the others have none, because then the controller applies an object without the field.
    """
    granted = {name: dict.fromkeys(role.permissions, role.capabilities) for name, role in roles.items()}
    has_rules = {name: role.has_rules for name, role in roles.items()}
    selected = [
        (
            name,
            [
                other
                for other in roles
                if other != name and any(_matches(item, roles[other].labels) for item in role.selectors)
            ],
        )
        for name, role in roles.items()
        if role.selectors
    ]
    for _round in roles:  # a chain of roles is not longer
        before = dict(granted)
        for name, others in selected:
            if any(has_rules[other] for other in others):
                granted[name], has_rules[name] = {}, True
                for other in others:
                    _add(granted[name], granted[other], roles[name].capabilities)
        if granted == before:
            break
    return granted


def _add(
    permissions: dict[str, Capabilities], more: Mapping[str, Capabilities], capabilities: Capabilities = ()
) -> None:
    """Add ``more``, which need ``capabilities`` too, to ``permissions``."""
    for permission, needed in more.items():
        permissions[permission] = least(permissions.get(permission), joined(needed, capabilities))


def least(known: Capabilities | None, other: Capabilities) -> Capabilities:
    """Return the one with fewer names."""
    return other if known is None or (len(other), other) < (len(known), known) else known


def joined(*several: Iterable[str]) -> Capabilities:
    """Return all names of ``several``, sorted."""
    return tuple(sorted({name for names in several for name in names}))


def _matches(selector: Mapping[str, Any], labels: Mapping[str, Any]) -> bool:
    """Whether a label selector matches. Source: apimachinery:pkg/apis/meta/v1/helpers.go LabelSelectorAsSelector."""
    wanted = selector.get("matchLabels")
    pairs = wanted.items() if isinstance(wanted, Mapping) else ()
    terms = mappings_in(selector.get("matchExpressions"))
    return all(labels.get(key) == value for key, value in pairs) and all(_meets(term, labels) for term in terms)


def _meets(term: Mapping[str, Any], labels: Mapping[str, Any]) -> bool:
    key, values = as_text(term.get("key")), as_list(term.get("values"))
    exists = key in labels
    is_in = exists and labels[key] in values
    answers = {"In": is_in, "NotIn": not is_in, "Exists": exists, "DoesNotExist": not exists}
    return answers.get(as_text(term.get("operator")), False)
