# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Figures of the main jobs, as ratios inside one run: machines differ, and the same machine from hour to hour.

    make bench                                     every folder of $CAPABILITY_RELEASES, else the examples
    .venv/bin/python tests/benchmarks/run.py DIR   this release

Every run is a separate process with a warm page cache; the candidates take turns. "process" is all of it, from
start to end, "work" what is left without the start of Python and its imports.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
BIN = ROOT / ".venv" / "bin"
ROUNDS = 7
PLAY_ROUNDS = 3
FLEETS = (100, 1000, 10000)


class Run(NamedTuple):
    """One process: seconds of wall clock, seconds without start and imports, the most memory it had in MB."""

    wall: float
    work: float
    memory: float


class Candidate(NamedTuple):
    """Something to measure: its name, and what starts it."""

    name: str
    start: Callable[[], Sequence[str]]


def measure(command: Sequence[str]) -> Run:
    """Run ``command`` to its end, which must be a good one."""
    env = {**os.environ, "ANSIBLE_CONFIG": str(ROOT / "tools" / "ansible.cfg")}
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=env)
    output = process.stdout.read() if process.stdout else b""
    _pid, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(command)} ended with {process.returncode}:\n{output.decode(errors='replace')}")
    # The scripts beside this one print what they counted, and how long that took them; others count as a whole.
    # What else is there was written by a library, and comes before.
    words = output.splitlines()[-1].split() if output else []
    work = float(words[1]) if len(words) == 2 else wall
    return Run(wall, work, usage.ru_maxrss / 1024)


def compare(title: str, candidates: Sequence[Candidate], rounds: int) -> dict[str, list[Run]]:
    """Measure ``candidates`` in turns, the first being the yardstick, and print their table."""
    print(f"\n{title}")
    runs: dict[str, list[Run]] = {candidate.name: [] for candidate in candidates}
    for number in range(rounds + 1):
        for candidate in candidates:
            progress(f"  round {number} of {rounds}: {candidate.name}")
            run = measure(candidate.start())
            if number:  # the first round warms the caches
                runs[candidate.name].append(run)
    progress("")
    yardstick = runs[candidates[0].name]
    print(f"  {'':<46} {'process s':>10} {'work s':>8} {'MB':>6} {'process ratio':>14} {'work ratio':>11}")
    for name, measured in runs.items():
        wall, work = median(measured, 0), median(measured, 1)
        memory = max(run.memory for run in measured)
        ratios = [statistics.median(a[at] / b[at] for a, b in zip(measured, yardstick, strict=True)) for at in (0, 1)]
        print(f"  {name:<46} {wall:>10.3f} {work:>8.3f} {memory:>6.0f} {ratios[0]:>14.3f} {ratios[1]:>11.3f}")
    return runs


def progress(text: str) -> None:
    """Show on a terminal what is being measured."""
    if sys.stderr.isatty():
        print(f"\r{text:<80}\r", end="", file=sys.stderr, flush=True)


def median(runs: Sequence[Run], at: int) -> float:
    """Return the median of one figure."""
    return statistics.median(run[at] for run in runs)


def reading(release: Path) -> None:
    """Loading a release and deciding, against PyYAML's fastest loader over the same files."""

    def script(name: str, *arguments: str) -> Callable[[], list[str]]:
        return lambda: [str(BIN / "python"), str(HERE / name), str(release), *arguments]

    files = [path for path in release.rglob("*") if path.suffix in (".yaml", ".yml", ".json")]
    size = sum(path.stat().st_size for path in files) / 1e6
    with tempfile.TemporaryDirectory() as folder:
        fresh = iter(range(1000))
        candidates = [
            Candidate("yaml.load_all, CSafeLoader", script("load_yaml.py")),
            Candidate("load and decide", script("load_release.py")),
            # pylint: disable-next=unnecessary-lambda
            Candidate("the same, and write the index", lambda: script("load_release.py", f"{folder}/{next(fresh)}")()),
            Candidate("load the index and decide", script("load_release.py", f"{folder}/same")),
            Candidate("the same, and read all bodies", script("load_release.py", f"{folder}/same", "--bodies")),
        ]
        compare(f"Reading {release.name} ({len(files)} files, {size:.1f} MB), work in CPU seconds", candidates, ROUNDS)


def playing(release: Path) -> None:
    """A whole ansible-playbook run that writes the included manifests, beside one that does nothing."""
    with tempfile.TemporaryDirectory() as folder:
        fresh = iter(range(1000))

        def play(*variables: str) -> list[str]:
            extra = [part for variable in variables for part in ("-e", variable)]
            return [str(BIN / "ansible-playbook"), str(HERE / "write.yml"), *extra]

        candidates = [
            Candidate("ansible-playbook, one no-op task", play),
            Candidate(
                "release_manifests, first run", lambda: play(f"release={release}", f"dest={folder}/{next(fresh)}")
            ),
            Candidate(
                "release_manifests, nothing to change", lambda: play(f"release={release}", f"dest={folder}/same")
            ),
        ]
        runs = compare(f"Writing the manifests of {release.name} with ansible-playbook", candidates, PLAY_ROUNDS)
        base = median(runs[candidates[0].name], 0)
        for name in (candidate.name for candidate in candidates[1:]):
            print(f"  {name}: {median(runs[name], 0) - base:.2f} s above the no-op playbook")


def updates(paths: Sequence[Path]) -> None:
    """Planning the updates from release to release, against loading each of them; and fleets on all of them."""

    def seconds(*arguments: str | Path) -> float:
        return measure([str(BIN / "python"), str(HERE / "plan_updates.py"), *map(str, arguments)]).work

    print(f"\nPlanning updates, cold, work (medians of {ROUNDS} rounds)")
    print(f"  {'':<24} {'load, load s':>14} {'plan s':>8} {'ratio':>7} {'matching ms':>12}")
    for current, target in pairwise(paths):
        rounds = []
        for number in range(ROUNDS):
            progress(f"  round {number + 1} of {ROUNDS}: {current.name} to {target.name}")
            rounds.append((seconds(current) + seconds(target), seconds(current, target)))
        loading, planning = (statistics.median(times) for times in zip(*rounds, strict=True))
        ratio = statistics.median(plan / load for load, plan in rounds)
        matching = 1000 * seconds(current, target, "--matching")
        progress("")
        name = f"{current.name} to {target.name}"
        print(f"  {name:<24} {loading:>14.3f} {planning:>8.3f} {ratio:>7.2f} {matching:>12.2f}")


def fleets(paths: Sequence[Path]) -> None:
    """Fleets on the path of all releases, which show how the time grows."""
    hops = len(paths) - 1
    print(f"\nPlanning fleets, {hops} hop{'s' if hops > 1 else ''}, beyond what loading and one cluster take")
    print(f"  {'clusters':>10} {'plans':>7} {'s':>8} {'ms per plan':>12} {'MB':>6}")
    for clusters in FLEETS:
        progress(f"  {clusters} clusters")
        command = [str(BIN / "python"), str(HERE / "plan_fleet.py"), str(clusters), *map(str, paths)]
        done = subprocess.run(command, capture_output=True, check=False, text=True)
        if done.returncode:
            sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr}")
        plans, spent, memory = done.stdout.split()
        progress("")
        print(f"  {clusters:>10} {plans:>7} {float(spent):>8.3f} {1000 * float(spent) / int(plans):>12.2f} {memory:>6}")


def installations() -> None:
    """Install-configs of fleets, each checked and written by one process."""
    print("\nWriting the install-configs of fleets")
    print(f"  {'clusters':>10} {'selections':>11} {'CPU s':>8} {'MB':>6}")
    for clusters in FLEETS:
        progress(f"  {clusters} clusters")
        command = [str(BIN / "python"), str(HERE / "install_fleet.py"), str(clusters)]
        done = subprocess.run(command, capture_output=True, check=False, text=True)
        if done.returncode:
            sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr}")
        selections, spent, memory = done.stdout.split()
        progress("")
        print(f"  {clusters:>10} {selections:>11} {float(spent):>8.2f} {memory:>6}")


def releases() -> list[Path]:
    """Return the releases to measure."""
    if len(sys.argv) > 1:
        return [Path(argument).resolve() for argument in sys.argv[1:]]
    folder = os.environ.get("CAPABILITY_RELEASES")
    if not folder:
        print("CAPABILITY_RELEASES names no folder of extracted releases: measuring the small examples")
        folder = str(ROOT / "examples" / "releases")
    found = [path for path in Path(folder).resolve().iterdir() if (path / "release-manifests").is_dir()]
    return sorted(found, key=lambda path: [int(part) if part.isdigit() else part for part in path.name.split(".")])


def main() -> None:
    """Measure and print."""
    found = releases()
    for release in found:
        reading(release)
    playing(found[-1])
    if len(found) > 1:
        updates(found)
        fleets(found)
    installations()
    subprocess.run([str(BIN / "python"), str(HERE / "rollout.py"), str(found[-1])], check=True)


if __name__ == "__main__":
    main()
