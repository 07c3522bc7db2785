# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.capability.openshift.plugins.module_utils._capability.cluster_options import (
    ClusterOptions,
)
from ansible_collections.capability.openshift.plugins.module_utils._capability.inclusion import included_manifests
from ansible_collections.capability.openshift.plugins.module_utils._capability.resolved_release import resolve_cluster
from ansible_collections.capability.openshift.plugins.module_utils._contents.footprint import (
    NAMED,
    Footprint,
    FootprintComparison,
    compare,
)
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problem, Problems, ReleaseError
from ansible_collections.capability.openshift.plugins.module_utils._release.loader import load_release
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import Manifest
from ansible_collections.capability.openshift.plugins.module_utils._release.release import Release
from ansible_collections.capability.openshift.tests.parity.support import load, release_folders
from ansible_collections.capability.openshift.tests.unit.builders.releases import IMAGES, manifest, write_release

EXAMPLE = Path(__file__).resolve().parents[5] / "examples" / "releases" / "4.22.0"
DELETED = {"release.openshift.io/delete": "true"}
NOTHING = Footprint(*[0] * len(Footprint._fields))
MEBI = 2**20
CRD = "apiextensions.k8s.io/v1"


def pods(*containers: dict[str, Any], replicas: int | None = None) -> str:
    spec: dict[str, Any] = {"template": {"spec": {"containers": list(containers)}}}
    return f"spec: {json.dumps(spec if replicas is None else {**spec, 'replicas': replicas})}\n"


def container(image: str, cpu: object = 0, memory: object = 0, env: str = "") -> dict[str, Any]:
    variables = [{"name": "IMAGE", "value": env}] if env else []
    return {"image": image, "env": variables, "resources": {"requests": {"cpu": cpu, "memory": memory}}}


FILES = {
    "0000_10_base.yaml": manifest("openshift-base", kind="Namespace"),
    "0000_20_base.yaml": manifest(
        "base",
        kind="Deployment",
        api="apps/v1",
        namespace="openshift-base",
        more=pods(container("base", "100m", "64Mi"), container("proxy", "0.01", "1Mi"), replicas=2),
    ),
    "0000_30_console.yaml": manifest("openshift-console", "Console", kind="Namespace"),
    "0000_31_console.yaml": manifest("consoles.example.org", "Console", kind="CustomResourceDefinition", api=CRD),
    "0000_32_console.yaml": manifest("links.example.org", "Console", kind="CustomResourceDefinition", api=CRD),
    "0000_33_console.yaml": manifest("console", "Console", kind="ClusterOperator", api="config.openshift.io/v1"),
    "0000_34_console.yaml": manifest(
        "console",
        "Console",
        kind="Deployment",
        api="apps/v1",
        namespace="openshift-console",
        more=pods(container("app", 1, "1Gi", env=IMAGES["console"]), container("proxy", env="other")),
    ),
    "0000_40_storage.yaml": manifest(
        "driver",
        "Storage",
        kind="DaemonSet",
        api="apps/v1",
        namespace="openshift-storage",
        more=pods(container("driver", "5m", "5Mi")),
    ),
    "0000_41_storage.yaml": manifest(
        "db", "Storage", kind="StatefulSet", api="apps/v1", namespace="openshift-storage", more=pods(replicas=3)
    ),
    "0000_42_storage.yaml": manifest(
        "once",
        "Storage",
        kind="Job",
        api="batch/v1",
        namespace="openshift-storage",
        more=pods(container("job", 4, "4Gi")),
    ),
    "0000_43_storage.yaml": manifest("once", "Storage", kind="CronJob", api="batch/v1", namespace="openshift-storage"),
    "0000_50_gone.yaml": manifest(
        "gone",
        kind="Deployment",
        api="apps/v1",
        namespace="openshift-base",
        annotations=DELETED,
        more=pods(container("gone", 9)),
    ),
    "0000_51_gone.yaml": manifest("openshift-gone", kind="Namespace", annotations=DELETED),
    "0000_44_storage.yaml": manifest(
        "images",
        "Storage",
        namespace="openshift-storage",
        more='data: {images.json: \'{"a": "r/driver", "b": "r/b"}\'}\n',
    ),
    "0000_60_other.yaml": manifest("project", kind="Namespace", api="example.org/v1"),
}
BASE = Footprint(
    manifests=3,
    crds=0,
    namespaces=1,
    cluster_operators=0,
    deployments=1,
    daemonsets=0,
    statefulsets=0,
    jobs=0,
    cronjobs=0,
    images=2,
    cpu_millicores=220,
    memory_bytes=2 * 65 * MEBI,
)
CONSOLE = BASE._replace(
    manifests=8,
    crds=2,
    namespaces=2,
    cluster_operators=1,
    deployments=2,
    images=4,
    cpu_millicores=1220,
    memory_bytes=2 * 65 * MEBI + 2**30,
)
STORAGE = BASE._replace(
    manifests=8,
    daemonsets=1,
    statefulsets=1,
    jobs=1,
    cronjobs=1,
    images=6,
    cpu_millicores=225,
    memory_bytes=2 * 65 * MEBI + 5 * MEBI,
)


@pytest.fixture
def release(tmp_path: Path) -> Release:
    return load_release(str(write_release(tmp_path, FILES))).release


@pytest.mark.parametrize(
    ("capabilities", "expected"), [((), BASE), (("Console",), CONSOLE), (("Storage",), STORAGE)], ids=str
)
def test_the_footprint_of_a_selection(release: Release, capabilities: tuple[str, ...], expected: Footprint) -> None:
    assert cost(release, selected(release, *capabilities)) == expected


def test_no_manifest_costs_nothing(release: Release) -> None:
    assert cost(release, ()) == NOTHING


def test_manifests_are_taken_from_any_iterable(release: Release) -> None:
    assert cost(release, iter(selected(release))) == BASE


def test_what_one_selection_saves_against_another(release: Release) -> None:
    comparison = compared(release, selected(release), selected(release, "Console"))
    assert comparison.selection == BASE
    assert comparison.against == CONSOLE
    assert comparison.saved == NOTHING._replace(
        manifests=5,
        crds=2,
        namespaces=1,
        cluster_operators=1,
        deployments=1,
        images=2,
        cpu_millicores=1000,
        memory_bytes=2**30,
    )
    assert comparison.only_in_selection == dict.fromkeys(NAMED, ())
    assert comparison.only_in_other == {
        **dict.fromkeys(NAMED, ()),
        "crds": ("consoles.example.org", "links.example.org"),
        "namespaces": ("openshift-console",),
        "cluster_operators": ("console",),
        "deployments": ("openshift-console/console",),
        # The image that Deployments of both share is not saved.
        "images": tuple(sorted(["app", IMAGES["console"]])),
    }


def test_selections_can_each_have_something_that_the_other_lacks(release: Release) -> None:
    comparison = compared(release, selected(release, "Console"), selected(release, "Storage"))
    assert comparison.saved == Footprint(*(there - here for here, there in zip(CONSOLE, STORAGE, strict=True)))
    assert (comparison.saved.crds, comparison.saved.daemonsets, comparison.saved.cpu_millicores) == (-2, 1, -995)
    assert comparison.only_in_selection["deployments"] == ("openshift-console/console",)
    assert comparison.only_in_other["daemonsets"] == ("openshift-storage/driver",)
    assert comparison.only_in_other["statefulsets"] == ("openshift-storage/db",)
    assert comparison.only_in_other["jobs"] == comparison.only_in_other["cronjobs"] == ("openshift-storage/once",)
    assert comparison.only_in_other["images"] == ("driver", "job", "r/b", "r/driver")


def test_a_body_on_both_sides_is_read_once_and_nothing_else_is(release: Release) -> None:
    read: Counter[str] = Counter()

    def body(manifest: Manifest) -> Any:
        read[manifest.file.rpartition("/")[2]] += 1
        return release.read_body(manifest)

    compared(release._replace(read_body=body), selected(release, "Console"), selected(release, "Console", "Storage"))
    workloads = ("20_base", "34_console", "40_storage", "41_storage", "42_storage", "43_storage")
    assert read == {f"0000_{name}.yaml": 1 for name in (*workloads, "44_storage")}


def test_a_quantity_that_cannot_be_read_is_reported_once_with_its_file(tmp_path: Path) -> None:
    text = manifest("one", kind="Deployment", api="apps/v1", more=pods(container("a", "many", "1Ki")))
    release = load_release(str(write_release(tmp_path, {"0000_10_one.yaml": text}))).release
    problems = Problems()
    comparison = compare(release, release.manifests, release.manifests, problems)
    assert comparison.selection == NOTHING._replace(manifests=1, deployments=1, images=1, memory_bytes=1024)
    (problem,) = problems
    assert problem.severity == "warning"
    assert str(problem.where) == (
        "release-manifests/0000_10_one.yaml, document 1, containers[0].resources.requests.cpu"
    )


def test_of_two_manifests_of_one_resource_the_later_counts(tmp_path: Path) -> None:
    files = {
        f"0000_{number}0_one.yaml": manifest(
            "one", kind="Deployment", api="apps/v1", more=pods(container(f"v{number}", number))
        )
        for number in (1, 2)
    }
    release = load_release(str(write_release(tmp_path, files))).release
    assert cost(release, release.manifests) == NOTHING._replace(
        manifests=2, deployments=1, images=1, cpu_millicores=2000
    )


def test_documents_of_one_file_are_distinguished(tmp_path: Path) -> None:
    texts = [manifest(name, kind="Deployment", api="apps/v1", more=pods(container(name, 1))) for name in ("a", "b")]
    release = load_release(str(write_release(tmp_path, {"0000_10_two.yaml": "---\n".join(texts)}))).release
    assert cost(release, release.manifests) == NOTHING._replace(
        manifests=2, deployments=2, images=2, cpu_millicores=2000
    )


def test_a_body_that_cannot_be_read_is_an_error(release: Release) -> None:
    def body(manifest: Manifest) -> Any:
        raise ReleaseError([Problem("error", "todo", manifest.file, "cannot be parsed")])

    with pytest.raises(ReleaseError, match="cannot be parsed"):
        cost(release._replace(read_body=body), release.manifests)


PARTS = st.sets(st.sampled_from(["Console", "Storage"]))


@given(here=PARTS, there=PARTS)
def test_what_is_saved_is_the_difference_of_the_names(
    tmp_path_factory: pytest.TempPathFactory, here: set[str], there: set[str]
) -> None:
    release = load_release(str(write_release(tmp_path_factory.mktemp("release"), FILES))).release
    comparison = compared(release, selected(release, *here), selected(release, *there))
    check_sums(comparison)
    back = compared(release, selected(release, *there), selected(release, *here))
    assert back.saved == Footprint(*(-number for number in comparison.saved))
    assert (back.only_in_selection, back.only_in_other) == (comparison.only_in_other, comparison.only_in_selection)


def test_the_example_release_without_and_with_everything() -> None:
    release = load_release(str(EXAMPLE)).release
    here, there = of_baseline(release, "None"), of_baseline(release, "vCurrent")
    comparison = compared(release, here, there)
    check_sums(comparison)
    check_subset(release, comparison, here, there)
    assert comparison.saved.manifests == len(there) - len(here)
    assert comparison.only_in_other["cluster_operators"] == (
        "console",
        "image-registry",
        "insights",
        "openshift-samples",
    )
    assert "openshift-console-operator/console-operator" in comparison.only_in_other["deployments"]
    assert "consolelinks.console.openshift.io" in comparison.only_in_other["crds"]
    assert comparison.saved.cpu_millicores == 81
    assert comparison.saved.memory_bytes == 445 * MEBI
    # Its Job is in both.
    assert (comparison.selection.jobs, comparison.saved.jobs) == (1, 0)


@pytest.mark.parametrize("folder", release_folders())
def test_real_releases_without_and_with_everything(folder: Path) -> None:
    release = load(folder).release
    # An Ingress that the release does not know would be an error.
    names = ("Ingress",) if any("Ingress" in manifest.capabilities for manifest in release.manifests) else ()
    here, there = of_baseline(release, "None", *names), of_baseline(release, "vCurrent")
    comparison = compared(release, here, there)
    check_sums(comparison)
    check_subset(release, comparison, here, there)
    saved = comparison.saved
    assert min(saved.manifests, saved.crds, saved.cluster_operators, saved.deployments, saved.cpu_millicores) > 0


def check_sums(comparison: FootprintComparison) -> None:
    """What is saved is what only the other side has, less what only this side has."""
    for field in NAMED:
        only_in_other, only_in_selection = comparison.only_in_other[field], comparison.only_in_selection[field]
        assert getattr(comparison.saved, field) == len(only_in_other) - len(only_in_selection)
        assert list(only_in_other) == sorted(only_in_other)
        assert not set(only_in_other) & set(only_in_selection)


def check_subset(
    release: Release, comparison: FootprintComparison, here: tuple[Manifest, ...], there: tuple[Manifest, ...]
) -> None:
    """A selection that is a part of the other saves what the rest of it costs alone, shared images aside."""
    places = {(manifest.file, manifest.document) for manifest in here}
    rest = tuple(manifest for manifest in there if (manifest.file, manifest.document) not in places)
    assert len(rest) == len(there) - len(here)
    assert comparison.only_in_selection == dict.fromkeys(NAMED, ())
    alone = cost(release, rest)
    assert comparison.saved.images <= alone.images
    assert comparison.saved == alone._replace(images=comparison.saved.images)


def cost(release: Release, included: Iterable[Manifest]) -> Footprint:
    return compared(release, included, ()).selection


def compared(release: Release, included: Iterable[Manifest], against: Iterable[Manifest]) -> FootprintComparison:
    problems = Problems()
    found = compare(release, included, against, problems)
    assert problems == []
    return found


def selected(release: Release, *capabilities: str) -> list[Manifest]:
    """Return the manifests of no capability and those of these."""
    return [manifest for manifest in release.manifests if set(manifest.capabilities) <= set(capabilities)]


def of_baseline(release: Release, baseline: str, *names: str) -> tuple[Manifest, ...]:
    selection = {"baseline_capability_set": baseline, "additional_enabled_capabilities": list(names)}
    context, _status = resolve_cluster(ClusterOptions(capabilities=selection), release, Problems())
    return included_manifests(release.manifests, context)
