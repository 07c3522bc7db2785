# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The rules that sites are checked with: those of selections in ``_data``, and those of files and forms."""

from __future__ import annotations

from .._data.dependencies import DEPENDENCIES
from .._data.install_rules import HOSTED, SINGLE_RULES, Rule
from .._findings.finding import CheckRule
from .._problems import Severity

_ASSISTED = "assisted-service merges the overrides into an install-config, and reads nothing else"

_REFERENCE_SEVERITIES: dict[str, Severity] = {
    "dangling-namespace": "error",
    "dangling-definition": "error",
    "dangling-workload": "error",
    "dangling-operator": "error",
    "dangling-role": "warning",
    "dangling-rights": "warning",
}

_FILE_RULES = (
    CheckRule(
        "different-selection",
        "error",
        "Each site has the requested selection.",
        "The options capabilities and solution describe what each site selects.",
        "Use state: fixed",
    ),
    CheckRule(
        "conflicting-names",
        "error",
        "A HostedCluster does not both enable and disable a name.",
        "The API rejects it.",
        "Remove the name from one of the lists",
    ),
    CheckRule(
        "dangling-link",
        "warning",
        "Symbolic links point to files that exist.",
        "Nothing can be read through the link.",
        "Remove or correct the link",
    ),
    CheckRule(
        "duplicate-key",
        "error",
        "A map has each key once.",
        "Some readers use the last one, and others reject the map.",
        "Keep one of them",
    ),
    CheckRule(
        "exclusion-list",
        "error",
        "A selection has no list of exclusions.",
        "The API has none, so a list of exclusions leaves everything enabled.",
        "List what stays enabled below baselineCapabilitySet None",
    ),
    CheckRule(
        "ineffective-list",
        "warning",
        "additionalEnabledCapabilities adds names to its baseline.",
        "The list enables names. A list of names that the baseline contains was probably meant to exclude them.",
        "Remove the list, or use the baseline None",
    ),
    CheckRule(
        "invalid-encoding",
        "error",
        "Files are UTF-8.",
        "Kubernetes reads UTF-8 only.",
        "Save the file in UTF-8",
    ),
    CheckRule(
        "invalid-json",
        "error",
        "Overrides are JSON in a string.",
        "assisted-service rejects the installation otherwise.",
        "Correct the JSON",
    ),
    CheckRule(
        "invalid-yaml",
        "error",
        "Documents with a site are YAML.",
        "The site cannot be read otherwise.",
        "Correct the syntax",
    ),
    CheckRule(
        "misplaced-selection",
        "error",
        "A selection is where it is read.",
        f"{_ASSISTED}. The cluster then enables everything.",
        "Move the selection",
    ),
    CheckRule(
        "misspelled-field",
        "error",
        "The field of a selection is spelled correctly.",
        f"{_ASSISTED}. The cluster then enables everything.",
        "Correct the spelling",
    ),
    CheckRule(
        "not-a-file",
        "warning",
        "Files are regular files.",
        "Reading a pipe or a device may never end.",
        "Remove it from the checkout",
    ),
    CheckRule(
        "not-a-map",
        "error",
        "A selection is a map.",
        "The API and the installers reject anything else.",
        "Write its fields below it",
    ),
    CheckRule(
        "not-a-string",
        "error",
        "Overrides are a string.",
        "The API rejects a map.",
        "Quote the value, and write it as JSON",
    ),
    CheckRule(
        "shared-anchor",
        "error",
        "A selection that is corrected is used in one place.",
        "A change would also change the other place.",
        "Write both values",
    ),
    CheckRule(
        "template",
        "info",
        "Templates are not checked.",
        "Their values are not known before they are rendered.",
        "Render the template, and check the result",
    ),
    CheckRule(
        "kustomization",
        "info",
        "Patches of Kustomize are not checked.",
        "Their result is not known before kustomize build.",
        "Run kustomize build, and check the result",
    ),
    CheckRule(
        "too-large",
        "warning",
        "Files are small enough to be read.",
        "A file of many megabytes is not a list of sites.",
        "Split the file, or leave it out of paths",
    ),
    CheckRule(
        "outside-link",
        "warning",
        "Symbolic links stay in the checkout.",
        "A check must not read or write other files.",
        "Copy what the link points to",
    ),
    CheckRule(
        "uneditable-text",
        "error",
        "A selection can be corrected in place.",
        "An edit must not change other parts of a file.",
        "Write the selection as in the documentation",
    ),
    CheckRule(
        "unknown-capability",
        "error",
        "Names are capabilities of the version.",
        "The API and the installers reject other names, and names are case sensitive.",
        "Correct the name, or use state: fixed",
    ),
    CheckRule(
        "unknown-capability-set",
        "error",
        "The baseline is a set of the version.",
        "The API and the installers reject other sets.",
        "Use a set of the version, or None and a list of names",
    ),
    CheckRule(
        "unknown-field",
        "error",
        "A selection has only the fields of the API.",
        "The API and the installers reject or ignore other fields.",
        "Remove the field",
    ),
    CheckRule(
        "unknown-site-version",
        "warning",
        "The version of each site is known.",
        "Names, sets and rules depend on it.",
        "Set openshift_versions, or add the ClusterImageSet",
    ),
    CheckRule(
        "unreadable-file",
        "error",
        "Files can be read.",
        "A file that cannot be read is not checked.",
        "Check the permissions",
    ),
)


def site_rules() -> tuple[CheckRule, ...]:
    """All rules, sorted by their name, each once."""
    selection_rules = [*SINGLE_RULES, *(item.rule for item in DEPENDENCIES)]
    rules = {rule.name: _check_rule(rule) for rule in selection_rules if set(rule.methods) & {"assisted", HOSTED}}
    rules |= {rule.id: rule for rule in _FILE_RULES}
    rules |= {name: _reference_rule(name, severity) for name, severity in _REFERENCE_SEVERITIES.items()}
    return tuple(rules[name] for name in sorted(rules))


def _reference_rule(name: str, severity: Severity) -> CheckRule:
    summary = "What included manifests refer to is included too."
    reason = "With a reference to an excluded manifest, a rollout may never finish."
    return CheckRule(name, severity, summary, reason, "Enable the capability of the excluded manifest")


def _check_rule(rule: Rule) -> CheckRule:
    severity: Severity = "warning" if rule.layer == "documentation" else "error"
    summary = f"{rule.message[:1].upper()}{rule.message[1:]}."
    return CheckRule(rule.name, severity, summary, f"{rule.condition}. Source: {rule.source}", "Correct the selection")
