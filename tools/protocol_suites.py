#!/usr/bin/env python3
"""Runs other systems' own protocol suites through arcwised: protocol_suites.py FOLDER [SUITE…]

Their sources are Debian's, fetched with apt-get into FOLDER; nothing of them is kept elsewhere. ARCWISED names the router, or
build/bin/arcwised is it. Prints a table, and every test that failed and is not listed with its reason in suites/not_applicable.txt; ends
with 1 then."""
import os
import re
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "suites"), os.path.join(HERE, "..", "tests", "support")]
import small_suites  # noqa: E402
from memcached_suite import memcached_suite  # noqa: E402
from redis_suite import redis_suite  # noqa: E402

PACKAGES = ["memcached", "redis", "hiredis", "nutcracker"]
SUITES = {
    "memcapable, 1 server": lambda folder, listed: small_suites.memcapable(1),
    "memcapable, 4 servers": lambda folder, listed: small_suites.memcapable(4),
    "memcached": lambda folder, listed: memcached_suite(folder, listed, 1),
    "memcached, 4 servers": lambda folder, listed: memcached_suite(folder, listed, 4),
    "hiredis": lambda folder, listed: small_suites.hiredis(folder),
    "twemproxy": lambda folder, listed: small_suites.twemproxy(folder),
    "redis": lambda folder, listed: redis_suite(folder, listed, 1),
    "redis, 3 servers": lambda folder, listed: redis_suite(folder, listed, 3),
}


class Listed:
    """What does not apply to a router: `SUITE | TESTS as a pattern | REASON`, one a line. A suite of several servers has its own lines
    and those of the suite with one."""

    def __init__(self, suite):
        self.patterns = []
        with open(os.path.join(HERE, "suites", "not_applicable.txt"), encoding="utf-8") as file:
            for line in file:
                if line.strip() and not line.startswith("#"):
                    name, pattern, _ = line.rstrip("\n").split(" | ")
                    if name in (suite, suite.split(",")[0]):
                        self.patterns.append(pattern)

    def has(self, test):
        return any(re.fullmatch(pattern, test, re.DOTALL) for pattern in self.patterns)


def fetch(folder):
    """The sources, by apt-get with lists of its own, so that the machine's settings stay as they are."""
    lists = os.path.join(folder, "lists")
    os.makedirs(os.path.join(lists, "partial"), exist_ok=True)
    sources = os.path.join(folder, "sources.list")
    with open(sources, "w", encoding="utf-8") as file:
        for suite, where in (("bookworm", "debian"), ("bookworm-updates", "debian"), ("bookworm-security", "debian-security")):
            file.write(f"deb-src http://deb.debian.org/{where} {suite} main\n")
    options = ["-qq", "-o", f"Dir::Etc::sourcelist={sources}", "-o", "Dir::Etc::sourceparts=-", "-o", f"Dir::State::lists={lists}"]
    subprocess.run(["apt-get", *options, "update"], check=True)
    for package in PACKAGES:
        # The original tar alone: Debian's changes do not touch the tests.
        subprocess.run(["apt-get", *options, "source", "--download-only", "--tar-only", package], cwd=folder, check=True)
    for name in os.listdir(folder):
        if ".orig.tar." in name:
            subprocess.run(["tar", "xf", name], cwd=folder, check=True)


def main():
    folder, chosen = os.path.abspath(sys.argv[1]), sys.argv[2:] or list(SUITES)
    os.environ["ARCWISED"] = os.path.abspath(os.environ.get("ARCWISED") or "build/bin/arcwised")
    os.makedirs(folder, exist_ok=True)
    if not any(name.startswith("redis-") for name in os.listdir(folder)):
        fetch(folder)
    rows, failures = [], []
    for suite in chosen:
        begun, listed = time.monotonic(), Listed(suite)
        # (test, passed); None: it was not run
        results = SUITES[suite](folder, listed)
        passed = [test for test, well in results if well]
        apart = [test for test, well in results if well is None or (not well and listed.has(test))]
        failed = [test for test, well in results if well is False and not listed.has(test)]
        rows.append((suite, len(results) - sum(well is None for _, well in results), len(passed), len(apart), len(failed)))
        failures += [f"{suite}: {test}" for test in failed]
        print(f"{suite}: {time.monotonic() - begun:.0f} s", file=sys.stderr)
    print(f"{'suite':24} {'run':>7} {'passed':>7} {'not applicable':>15} {'failed':>7}")
    for row in rows:
        print(f"{row[0]:24} {row[1]:7} {row[2]:7} {row[3]:15} {row[4]:7}")
    for failure in failures:
        print(f"failed: {failure}")
    return 1 if failures or not all(row[1] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
