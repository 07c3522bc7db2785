# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rules that sites are checked with: rules of selections in ``_data``, and rules of files and forms."""

from __future__ import annotations

from .._addons.rules import RULES
from .._data.dependencies import DEPENDENCIES
from .._data.install_rules import HOSTED, SINGLE_RULES, Rule
from .._findings.finding import CheckRule
from .._problems import Severity

_ASSISTED = "assisted-service merges the overrides into an install-config, and reads nothing else"

REFERENCE_RULES: dict[str, Severity] = {
    "dangling-namespace": "error",
    "dangling-definition": "error",
    "dangling-workload": "error",
    "dangling-operator": "error",
}
"""The rules of references between manifests, with their severity."""

_OF_OTHER_INSTALLERS = ("late-definition", "template", "unchecked-bundle", "unread-file", "wrong-order")
RULES_OF_EXTRA_MANIFESTS = {rule.id: rule for rule in RULES if rule.id not in _OF_OTHER_INSTALLERS}
"""The rules of add-ons that extra manifests are checked with."""

_FILE_RULES = (
    CheckRule(
        "different-selection",
        "error",
        "Each site has the requested selection.",
        "The options capabilities and solution describe what each site selects.",
    ),
    CheckRule(
        "conflicting-names", "error", "A HostedCluster does not both enable and disable a name.", "The API rejects it."
    ),
    CheckRule(
        "dangling-link", "warning", "Symbolic links point to files that exist.", "Nothing can be read through the link."
    ),
    CheckRule(
        "duplicate-key",
        "error",
        "A map has each key once.",
        "Some readers use the last one, and others reject the map.",
    ),
    CheckRule(
        "exclusion-list",
        "error",
        "A selection has no list of exclusions.",
        "The API has none, so a list of exclusions leaves everything enabled.",
    ),
    CheckRule(
        "ineffective-list",
        "warning",
        "additionalEnabledCapabilities adds names to its baseline.",
        "The list enables names. A list of names that the baseline contains was probably meant to exclude them.",
    ),
    CheckRule("invalid-encoding", "error", "Files are UTF-8.", "Kubernetes reads UTF-8 only."),
    CheckRule(
        "invalid-json",
        "error",
        "Overrides are JSON in a string, and each field has its type.",
        "assisted-service rejects the installation otherwise.",
    ),
    CheckRule("invalid-yaml", "error", "Documents with a site are YAML.", "The site cannot be read otherwise."),
    CheckRule(
        "misplaced-selection",
        "error",
        "A selection is where it is read.",
        f"{_ASSISTED}. The cluster then enables everything.",
    ),
    CheckRule(
        "misspelled-field",
        "error",
        "The field of a selection is spelled correctly.",
        f"{_ASSISTED}. The cluster then enables everything.",
    ),
    CheckRule("not-a-file", "warning", "Files are regular files.", "Reading a pipe or a device may never end."),
    CheckRule("not-a-map", "error", "A selection is a map.", "The API and the installers reject anything else."),
    CheckRule("not-a-string", "error", "Overrides are a string.", "The API rejects a map."),
    CheckRule(
        "rendered-anyway",
        "info",
        "The bootstrap creates no objects of a disabled capability.",
        "It does not read the selection.",
    ),
    CheckRule(
        "shared-anchor",
        "error",
        "A selection that is corrected is used in one place.",
        "A change would also change the other place.",
    ),
    CheckRule("template", "info", "Templates are not checked.", "Their values are not known before they are rendered."),
    CheckRule(
        "kustomization",
        "info",
        "Patches of Kustomize, Flux and Argo CD are not checked.",
        "Their result is not known before kustomize build.",
    ),
    CheckRule(
        "policy-generator",
        "info",
        "The policies of a PolicyGenerator or PolicyGenTemplate are not checked.",
        "Which manifests a site gets is not known before kustomize build, and labels decide which site it is.",
    ),
    CheckRule(
        "too-large", "warning", "Files are small enough to be read.", "A file of many megabytes is not a list of sites."
    ),
    CheckRule(
        "outside-link", "warning", "Symbolic links stay in the checkout.", "A check must not read or write other files."
    ),
    CheckRule(
        "uneditable-text",
        "error",
        "A selection can be corrected in place.",
        "An edit must not change other parts of a file.",
    ),
    CheckRule(
        "unknown-capability",
        "error",
        "Names are capabilities of the version.",
        "The API and the installers reject other names, and names are case sensitive.",
    ),
    CheckRule(
        "unknown-capability-set",
        "error",
        "The baseline is a set of the version.",
        "The API and the installers reject other sets.",
    ),
    CheckRule(
        "unknown-field",
        "error",
        "A selection has only the fields of the API, and overrides have only those of assisted-service.",
        "The API and the installers reject or ignore other fields.",
    ),
    CheckRule(
        "unknown-site-version", "warning", "The version of each site is known.", "Names, sets and rules depend on it."
    ),
    CheckRule(
        "unread-extra-manifests",
        "info",
        "The extra manifests of a site are in the checkout.",
        "They may create what a selection excludes.",
    ),
    CheckRule(
        "unread-selection",
        "info",
        "Selections are in objects that describe a site.",
        "A selection in another text, such as in a ConfigMap, a Secret or values of Helm, is not checked.",
    ),
    CheckRule("unreadable-file", "error", "Files can be read.", "A file that cannot be read is not checked."),
)


def site_rules() -> tuple[CheckRule, ...]:
    """All rules, sorted by their name, each once."""
    selection_rules = [*SINGLE_RULES, *(item.rule for item in DEPENDENCIES)]
    rules = {rule.name: _check_rule(rule) for rule in selection_rules if set(rule.methods) & {"assisted", HOSTED}}
    rules |= {rule.id: rule for rule in _FILE_RULES}
    rules |= RULES_OF_EXTRA_MANIFESTS
    rules |= {name: _reference_rule(name, severity) for name, severity in REFERENCE_RULES.items()}
    return tuple(rules[name] for name in sorted(rules))


def _reference_rule(name: str, severity: Severity) -> CheckRule:
    summary = "What included manifests refer to is included too."
    reason = "With a reference to an excluded manifest, a rollout may never finish."
    return CheckRule(name, severity, summary, reason)


def _check_rule(rule: Rule) -> CheckRule:
    severity: Severity = "warning" if rule.layer == "documentation" else "error"
    summary = f"{rule.message[:1].upper()}{rule.message[1:]}."
    return CheckRule(rule.name, severity, summary, f"{rule.condition}. Source: {rule.source}")
