#!/usr/bin/env python
# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Write the facts of real releases that the parity tests need: who every manifest is, its annotations, and the answers.

Bodies and prose stay where they are. Nothing of the collection's own reader is used here, so that the facts check it.

Usage: tests/parity/make_facts.py RELEASES_FOLDER INCLUSION_JSON SYNTHETIC_DECISIONS_JSON UPDATES_JSON
           SYNTHETIC_UPDATES_JSON OWN_CVO_JSON CLUSTER_VERSIONS_FOLDER INSTALLER_JSON
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import yaml

FACTS = Path(__file__).resolve().parent / "facts"
OTHER_FACTS = "PARITY_FACTS"
DIRECTORIES = ("manifests", "release-manifests")
SUFFIXES = (".yaml", ".yml", ".json")

DECISIVE = (
    "capability.openshift.io/",
    "exclude.release.openshift.io/",
    "include.release.openshift.io/",
    "release.openshift.io/",
)
LONGEST_VALUE = 64
WIDTH = 1000
INSTALLER_FIELDS = (
    "additionalenabledcapabilities",
    "apiversion",
    "capabilities",
    "credentialsmode",
    "featuregates",
    "featureset",
    "imagecontentsources",
    "imagedigestsources",
    "platform",
)
PLATFORM_FIELDS = ("cloudControllerManager", "hosts", "platformName")


class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """PyYAML's loader, without what Kubernetes does not know: dates, and a ``=`` that means something."""

    yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in resolvers if tag.rpartition(":")[2] not in ("timestamp", "value")]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


def main(arguments: list[str]) -> int:
    """Write all facts; the same input gives the same bytes."""
    if len(arguments) != 8:
        print(__doc__)
        return 2
    releases, inclusion, synthetic, updates, synthetic_updates, own_cvo, cluster_versions, installer = map(
        Path, arguments
    )
    FACTS.mkdir(exist_ok=True)
    scenarios = json.loads(inclusion.read_bytes())
    for version in dict.fromkeys(scenario["version"] for scenario in scenarios):
        facts = release_facts(releases / version, [item for item in scenarios if item["version"] == version])
        write(FACTS / f"{version}.json", facts)
    write(FACTS / "synthetic-decisions.json", synthetic_facts(json.loads(synthetic.read_bytes())))
    write(FACTS / "updates.json", {"cases": json.loads(updates.read_bytes())})
    write(FACTS / "synthetic-updates.json", synthetic_update_facts(json.loads(synthetic_updates.read_bytes())))
    write(FACTS / "own-cvo.json", own_cvo_facts(json.loads(own_cvo.read_bytes())))
    write(
        FACTS / "cluster-versions.json",
        {"objects": [cluster_version_facts(path) for path in sorted(cluster_versions.iterdir())]},
    )
    write(FACTS / "installer.json", installer_facts(json.loads(installer.read_bytes())))
    return 0


def installer_facts(golden: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """Return, per branch of the installer, its answers to install-configs that differ in what a selection depends on.

    A row has the method (agent), the fields that the installer was given, and what it rejected: fields and details,
    and whether it stopped before. Of fields that no selection depends on, and of secrets, nothing is copied.
    """
    facts: dict[str, Any] = {}
    details = Table()
    for branch, cases in golden.items():
        rows: dict[str, list[Any]] = {}
        for case in cases:
            read = yaml.load(case["install_config"], Loader=Loader)  # noqa: S506
            given = {name: value for name, value in read.items() if name.lower() in INSTALLER_FIELDS}
            errors = [
                [error["field"], details.add(error["detail"].partition(":")[0])]
                for error in case["errors"]
                if error["field"].lower().partition(".")[0].partition("[")[0] in INSTALLER_FIELDS
            ]
            row = [case["agent"], without_platform_details(given), errors, "fatal" in case]
            rows[dump(row)] = row
        facts[branch] = list(rows.values())
    return {"details": details.rows(), **facts}


def without_platform_details(given: dict[str, Any]) -> dict[str, Any]:
    """Return ``given`` with the fields of a platform that decide, and whether it has hosts."""
    platform = given.get("platform")
    if not isinstance(platform, dict):
        return given
    kept = {
        name: {field: value for field, value in block.items() if field in PLATFORM_FIELDS}
        if isinstance(block, dict)
        else block
        for name, block in platform.items()
    }
    for block in kept.values():
        if isinstance(block, dict) and "hosts" in block:
            block["hosts"] = [{"name": "host"} for _host in block["hosts"]]
    return {**given, "platform": kept}


def cluster_version_facts(path: Path) -> dict[str, Any]:
    """Return what a real ClusterVersion says of capabilities, in the shape in which it was saved."""
    (saved,) = yaml.load_all(path.read_text(encoding="utf-8"), Loader=Loader)
    listed = saved["kind"] == "List"
    found = saved["items"][0] if listed else saved
    status = found["status"]
    conditions = [item for item in status["conditions"] if item["type"] == "ImplicitlyEnabledCapabilities"]
    fields = ("status", "reason", "message")
    kept = {
        "apiVersion": found["apiVersion"],
        "kind": found["kind"],
        "metadata": {"name": found["metadata"]["name"]},
        "spec": {name: found["spec"][name] for name in ("capabilities", "overrides") if name in found["spec"]},
        "status": {
            "capabilities": status["capabilities"],
            "conditions": [{"type": item["type"], **{name: item[name] for name in fields}} for item in conditions],
            "desired": {"version": status["desired"]["version"]},
            "history": [{name: item[name] for name in ("state", "version")} for item in status["history"]],
        },
    }
    return {"apiVersion": "v1", "kind": "List", "items": [kept]} if listed else kept


def release_facts(folder: Path, scenarios: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the facts of one release: its manifests by file, and the answers to its scenarios."""
    pairs, maps, kinds, namespaces = Table(), Table(), Table(), Table()
    files: dict[str, dict[str, list[list[Any]]]] = {directory: {} for directory in DIRECTORIES}
    position: dict[str, int] = {}
    for directory, file, document, manifest in manifests(folder):
        api_version, kind, metadata = manifest["apiVersion"], manifest["kind"], manifest["metadata"]
        namespace, name = metadata.get("namespace") or "", metadata["name"]
        annotations = string_map(metadata.get("annotations"))
        at = None if annotations is None else maps.add([pairs.add(pair) for pair in compact(annotations)])
        row = [document, kinds.add([api_version, kind]), namespaces.add(namespace), name, at]
        files[directory].setdefault(file, []).append(row)
        key = "|".join((file, api_version.rpartition("/")[0], kind, namespace, name))
        if position.setdefault(key, len(position)) != len(position) - 1:
            raise SystemExit(f"{folder}: {key} is there twice, so the answers are ambiguous")
    return {
        "release": folder.name,
        "digest": digest(folder),
        "pairs": pairs.rows(),
        "annotations": maps.rows(),
        "kinds": kinds.rows(),
        "namespaces": namespaces.rows(),
        **files,
        "scenarios": [scenario_facts(scenario, position) for scenario in scenarios],
    }


class Table:
    """Distinct values, and the position of each."""

    def __init__(self) -> None:
        self._positions: dict[str, int] = {}

    def add(self, value: object) -> int:
        """Return the position of ``value``, which may be new."""
        return self._positions.setdefault(dump(value), len(self._positions))

    def rows(self) -> list[Any]:
        """Return the values in the order of their positions."""
        return [json.loads(text) for text in self._positions]


def manifests(folder: Path) -> Iterator[tuple[str, str, int, dict[str, Any]]]:
    """Yield directory, file, document number and content of each manifest, in the CVO's order."""
    for path in manifest_files(folder):
        text = path.read_text(encoding="utf-8")
        if path.parent.name == "manifests":
            text = text.replace("{{.ReleaseImage}}", "<unset>")
            text = text.replace("{{ .ClusterProfile }}", "self-managed-high-availability")
        documents = [item for item in yaml.load_all(text, Loader=Loader) if item is not None]
        for number, document in enumerate(documents, 1):
            yield path.parent.name, path.name, number, document


def manifest_files(folder: Path) -> Iterable[Path]:
    """Return the files that hold manifests, in the CVO's order."""
    for directory in DIRECTORIES:
        for path in sorted((folder / directory).iterdir(), key=lambda item: item.name):
            if path.suffix in SUFFIXES and path.is_file():
                yield path


def digest(folder: Path) -> str:
    """Return a fingerprint that shows whether a folder holds the very release that the facts were made of."""
    total = hashlib.sha256()
    for path in manifest_files(folder):
        total.update(
            f"{path.relative_to(folder).as_posix()} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode()
        )
    return total.hexdigest()


def string_map(value: object) -> dict[str, str] | None:
    """Return annotations as the CVO sees them: none at all where one is not a string."""
    if isinstance(value, dict) and all(isinstance(item, str) for item in (*value, *value.values())):
        return value
    return None


def compact(annotations: dict[str, str]) -> list[tuple[str, str]]:
    """Return annotations sorted, with prose replaced by its digest."""
    return [
        (name, short_digest(value) if is_prose(name, value) else value) for name, value in sorted(annotations.items())
    ]


def is_prose(name: str, value: str) -> bool:
    """Return whether a value is text for readers, which the facts do not copy. What a decision reads never is."""
    return not name.startswith(DECISIVE) and (" " in value or len(value) > LONGEST_VALUE)


def short_digest(text: str) -> str:
    """Return what stands for ``text`` in the facts."""
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def scenario_facts(scenario: dict[str, Any], position: dict[str, int]) -> dict[str, Any]:
    """Return a scenario with its answers as positions of manifests; those not named by a message are included."""
    included = sorted(position[key] for key in scenario["included"])
    excluded: dict[str, list[int]] = {}
    for key, message in scenario["excluded"].items():
        excluded.setdefault(message, []).append(position[key])
    answered = sorted(included + [at for several in excluded.values() for at in several])
    if answered != list(range(len(position))):
        raise SystemExit(f"{scenario['version']} {scenario['scenario']}: the answers are not about all manifests")
    inputs = {name: value for name, value in scenario.items() if name not in ("included", "excluded", "version")}
    return {**inputs, "excluded": {message: ranges(excluded[message]) for message in sorted(excluded)}}


def ranges(positions: list[int]) -> list[list[int]]:
    """Return positions as first and last of each run."""
    runs: list[list[int]] = []
    for at in sorted(positions):
        if runs and at == runs[-1][1] + 1:
            runs[-1][1] = at
        else:
            runs.append([at, at])
    return runs


def synthetic_facts(settings: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the synthetic decisions with annotations and messages as positions in tables."""
    pairs, kinds, messages = Table(), Table(), Table()
    compacted = []
    for setting in settings:
        rows = []
        for manifest, message in zip(setting["manifests"], setting["messages"], strict=True):
            rows.append([*synthetic_row(manifest, pairs, kinds), messages.add(message)])
        compacted.append({"config": setting["config"], "manifests": rows})
    return {"pairs": pairs.rows(), "kinds": kinds.rows(), "messages": messages.rows(), "settings": compacted}


def synthetic_update_facts(cases: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the synthetic updates with annotations as positions in a table."""
    pairs, kinds = Table(), Table()
    compacted = [
        {
            "config": case["config"],
            **{side: [synthetic_row(item, pairs, kinds) for item in case[side]] for side in ("current", "update")},
            "implicit": case["implicit"],
        }
        for case in cases
    ]
    return {"pairs": pairs.rows(), "kinds": kinds.rows(), "cases": compacted}


def own_cvo_facts(golden: dict[str, Any]) -> dict[str, Any]:
    """Return the answers of the CVO of each minor to the same manifests, with messages as positions in a table."""
    pairs, kinds, messages = Table(), Table(), Table()
    names = [manifest["metadata"]["name"] for manifest in golden["manifests"]]
    answers = [
        {
            "minor": minor,
            "inputs": setting["scenario"],
            "known": setting["known"],
            "enabled": setting["enabled"],
            "messages": [messages.add(setting["messages"][name]) for name in names],
        }
        for minor, settings in golden["answers"].items()
        for setting in settings
    ]
    rows = [synthetic_row(manifest, pairs, kinds) for manifest in golden["manifests"]]
    tables = {"pairs": pairs.rows(), "kinds": kinds.rows(), "messages": messages.rows()}
    return {**tables, "manifests": rows, "answers": answers}


def synthetic_row(manifest: dict[str, Any], pairs: Table, kinds: Table) -> list[Any]:
    """Return the head of a synthetic manifest."""
    metadata = manifest["metadata"]
    given = metadata.get("annotations")
    annotations = None if given is None else [pairs.add(pair) for pair in given.items()]
    kind = kinds.add([manifest["apiVersion"], manifest["kind"]])
    return [kind, metadata.get("namespace"), metadata["name"], annotations]


def dump(value: object) -> str:
    """Return JSON without blanks."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def read(name: str) -> Any:
    """Read facts. The folder ``PARITY_FACTS`` can have those of another seed."""
    other = Path(os.environ.get(OTHER_FACTS, FACTS)) / name
    return json.loads((other if other.is_file() else FACTS / name).read_bytes())


def write(path: Path, facts: dict[str, Any]) -> None:
    """Write JSON. The entries of a table begin on a new line."""
    fields = []
    for name, value in facts.items():
        if isinstance(value, dict):
            fields.append(f"{dump(name)}:{{\n{fill(f'{dump(key)}:{dump(item)}' for key, item in value.items())}\n}}")
        elif isinstance(value, list):
            fields.append(f"{dump(name)}:[\n{fill(map(dump, value))}\n]")
        else:
            fields.append(f"{dump(name)}:{dump(value)}")
    path.write_text("{" + ",\n".join(fields) + "}\n", encoding="utf-8")
    print(f"{path.name}: {path.stat().st_size} bytes")


def fill(entries: Iterable[str]) -> str:
    """Return the entries of a table, as many on each line as fit. The programs in Go do the same."""
    lines: list[str] = []
    for entry in entries:
        if lines and len(lines[-1].encode()) + len(entry.encode()) < WIDTH:
            lines[-1] += f",{entry}"
        else:
            lines.append(entry)
    return ",\n".join(lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
