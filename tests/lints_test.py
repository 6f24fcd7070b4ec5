#!/usr/bin/env python3
"""Each rule of `arcwise check` has a file in testdata/lints that it finds something in, and one that nearly does and passes.

RULE.fails.* and RULE.passes.*; a comment in a file's first lines may say `# options: …` for check, or `# keys: PATTERN COUNT
[KEY TIMES]`: that many keys, and one of them that often; `# capacity: NODE SIZE, …`: declared capacities.
"""
# Plain build only: check itself runs under sanitizers in the unit tests.
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ARCWISE = os.environ["ARCWISE"]
LINTS = pathlib.Path(os.environ["ARCWISE_SOURCE"]) / "testdata/lints"
SOURCES = pathlib.Path(os.environ["ARCWISE_SOURCE"]) / "src/format"


def said(head, what):
    found = re.search(rf"^# {what}: (.*)$", head, re.MULTILINE)
    return found[1].split() if found else []


def keys_of(words):
    """The keys that `user:%d 1000 hot 50` asks for, one a line."""
    keys = [words[0] % number for number in range(int(words[1]))]
    return "\n".join(keys + words[2:3] * int((words[3:] or [0])[0])) + "\n"


def rules_found(path):
    head = path.read_text(encoding="utf-8")[:300]
    words = [ARCWISE, "check", str(path), "--json", *said(head, "options")]
    with tempfile.NamedTemporaryFile("w", encoding="utf-8") as keys, tempfile.NamedTemporaryFile("w", encoding="utf-8") as capacities:
        if said(head, "keys"):
            keys.write(keys_of(said(head, "keys")))
            keys.flush()
            words += ["--keys", keys.name]
        if said(head, "capacity"):
            capacities.write(" ".join(said(head, "capacity")).replace(", ", "\n"))
            capacities.flush()
            words += ["--capacity", capacities.name]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise AssertionError(f"{path.name}: exit {done.returncode}: {done.stderr}")
    return {finding["rule"] for finding in json.loads(done.stdout)["findings"]}


class Lints(unittest.TestCase):
    def rules(self):
        table = subprocess.run([ARCWISE, "check", "--rules"], capture_output=True, text=True, check=True).stdout
        return [{line.split()[0] for line in part.splitlines()[1:]} for part in table.split("\n\n")]

    def test_what_importers_find_is_listed(self):
        rule = re.compile(r'(?:Severity::\w+,|severity,|report\(|keyspace \?)\s*"([a-z]+(?:-[a-z]+)+|handshake|sticky)"')
        found = set()
        for path in SOURCES.glob("*.cpp"):
            if not path.stem.endswith(("_test", "_fuzz")) and path.stem != "import_rules":
                found |= set(rule.findall(path.read_text(encoding="utf-8")))
        own, imported = self.rules()
        self.assertEqual(imported, found - own)

    def test_every_rule_has_a_failing_and_a_passing_file_and_every_file_a_rule(self):
        names = {tuple(path.name.split(".")[:2]) for path in LINTS.iterdir()}
        self.assertEqual(names, {(rule, kind) for rule in self.rules()[0] for kind in ("fails", "passes")})

    def test_a_rule_speaks_of_its_failing_file_and_not_of_the_one_that_nearly_fails(self):
        for path in sorted(LINTS.iterdir()):
            rule, kind = path.name.split(".")[:2]
            with self.subTest(path.name):
                self.assertEqual(rule in rules_found(path), kind == "fails")


if __name__ == "__main__":
    unittest.main()
