"""Changes of tokens on Cassandra-like rings: what to repair, re-tokening, and the number of tokens that stays."""

import os
import pathlib
import re
import stat
import subprocess
import tempfile
import unittest

from support.cli import CARTS, RING, answer, run


def ranges(repair):
    return [(int(r["after"]), int(r["upto"])) for r in repair]


class Repair(unittest.TestCase):
    def test_the_ranges_to_repair_do_not_wrap_nor_overlap_and_cover_what_the_joiner_takes(self):
        p = answer("plan", RING, "--add", "10.1.1.13,rack=rack1,zone=dc1")
        found = sorted(ranges(p["repair"]))
        self.assertTrue(found)
        for after, upto in found:
            self.assertLess(after, upto)
        for (_, upto), (after, _) in zip(found, found[1:]):
            self.assertLessEqual(upto, after)
        share = sum(upto - after for after, upto in found) / 2**64
        joiner = [t["share"] for t in p["transfers"] if t["to"] == "10.1.1.13"]
        self.assertAlmostEqual(share, sum(joiner), 9)
        for r in p["repair"]:
            self.assertEqual(r["command"], f"nodetool -h {r['node']} repair -full -st {r['after']} -et {r['upto']} "
                                           '-- "$KEYSPACE"')

    def test_commands_go_to_a_file_that_a_shell_runs_once_the_keyspace_is_said(self):
        with tempfile.TemporaryDirectory() as folder:
            nodetool = pathlib.Path(folder, "nodetool")
            nodetool.write_text('#!/bin/sh\necho "$@"\n')
            nodetool.chmod(nodetool.stat().st_mode | stat.S_IEXEC)
            script = os.path.join(folder, "repair.sh")
            words = ["plan", RING, "--remove", "10.1.1.12"]
            done = run(*words, "--repair-commands", script)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(b"repair", done.stdout)
            path = {**os.environ, "PATH": folder + ":" + os.environ["PATH"]}
            path.pop("KEYSPACE", None)
            self.assertNotEqual(subprocess.run(["sh", script], env=path, capture_output=True).returncode, 0)
            ran = subprocess.run(["sh", script], env={**path, "KEYSPACE": "shop"}, capture_output=True, text=True)
            expected = [r["command"].replace("nodetool ", "").replace('"$KEYSPACE"', "shop")
                        for r in answer(*words)["repair"]]
            self.assertEqual(ran.stdout.splitlines(), expected)

    def test_standard_output_carries_the_commands_alone(self):
        done = run("allocate", RING, "--node", "n", "--rack", "rack1", "--zone", "dc1", "--repair-commands", "-",
                   "--keyspace", "shop")
        lines = done.stdout.decode().splitlines()
        self.assertTrue(lines[0].startswith("# "))
        for line in lines[1:]:
            self.assertRegex(line, r"^nodetool -h \S+ repair -full -st -?\d+ -et -?\d+ -- shop$")
        a = answer("allocate", RING, "--node", "n", "--rack", "rack1", "--zone", "dc1", "--keyspace", "shop")
        self.assertEqual([r["command"] for r in a["repair"]], lines[1:])
        self.assertEqual(run("plan", RING, "--remove", "10.1.1.12", "--repair-commands", "-", "--json").returncode, 2)

    def test_shifted_tokens_are_repaired_too(self):
        words = ["allocate", RING, "--node", "n", "--rack", "rack1", "--zone", "dc1"]
        shifted = answer(*words, "--extra-movement", "20%")
        self.assertTrue(shifted["shifts"])
        for shift in shifted["shifts"]:
            low, high = sorted((int(shift["from"]), int(shift["to"])))
            covered = sum(max(0, min(high, upto) - max(low, after)) for after, upto in ranges(shifted["repair"]))
            self.assertEqual(covered, high - low, shift)

    def test_other_systems_have_no_ranges_to_repair(self):
        self.assertIsNone(answer("plan", CARTS, "--remove", "cache-1")["repair"])
        done = run("plan", CARTS, "--remove", "cache-1", "--repair-commands", "x.sh")
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"Cassandra", done.stderr)

    def test_each_node_has_its_repair_sessions_before_and_after(self):
        p = answer("plan", RING, "--remove", "10.1.1.12")
        rows = {r["name"]: r for r in p["repair_sessions"]}
        self.assertEqual(len(rows), 6)
        for flow in p["flows"]:
            self.assertEqual({**flow["repair_sessions"], "name": flow["name"]}, rows[flow["name"]])
        text = run("plan", RING, "--remove", "10.1.1.12", "--all").stdout.decode()
        self.assertRegex(text, r"\n10.1.1.12 +\d+ → 0 +16 → 0\n")
        self.assertEqual(rows["10.1.1.12"]["after"], {"primary": 0, "all": 0})
        before = sum(r["before"]["primary"] for r in rows.values())
        self.assertEqual(sum(r["before"]["all"] for r in rows.values()), 3 * before)
        self.assertEqual(sum(r["after"]["all"] for r in rows.values()),
                         3 * sum(r["after"]["primary"] for r in rows.values()))


class Retoken(unittest.TestCase):
    def test_a_node_leaves_and_comes_back_with_as_many_tokens_as_the_others(self):
        with tempfile.TemporaryDirectory() as folder:
            after = os.path.join(folder, "after.yaml")
            p = answer("plan", RING, "--retoken", "10.1.2.12", "--data", "1TB", "--write-map", after)
            self.assertEqual(len(p["steps"]), 2)
            tokens = p["retoken"]["tokens"]
            self.assertEqual((p["retoken"]["node"], len(tokens)), ("10.1.2.12", len(set(tokens))))
            self.assertLess(p["balance_after"]["max_over_target"], p["balance_before"]["max_over_target"])
            self.assertAlmostEqual(p["cost"]["bytes"], sum(s["bytes"] for s in p["steps"]), delta=1)
            written = answer("status", after)
            node, = [n for n in written["nodes"] if n["name"] == "10.1.2.12"]
            self.assertEqual((node["tokens"], node["rack"]), (len(tokens), "rack2"))
            text = run("plan", RING, "--retoken", "10.1.2.12").stdout.decode()
            self.assertIn(f"num_tokens: {len(tokens)}\ninitial_token: {','.join(tokens)}\n", text)

    def test_tokens_of_others_shift_where_that_is_allowed(self):
        p = answer("plan", RING, "--retoken", "10.1.2.12", "--extra-movement", "20%")
        self.assertTrue(p["retoken"]["shifts"])
        self.assertIn("tokens that shift", run("plan", RING, "--retoken", "10.1.2.12", "--extra-movement", "20%")
                      .stdout.decode())

    def test_usage(self):
        for words in (["--retoken", "nobody"], ["--tokens", "8", "--remove", "10.1.1.11"],
                      ["--retoken", "10.1.1.11", "--remove", "10.1.1.12"]):
            self.assertEqual(run("plan", RING, *words).returncode, 2, words)


class Collapsed(unittest.TestCase):
    def test_ranges_with_owners_that_are_down_come_first(self):
        ring = pathlib.Path(RING).read_text()
        down = re.sub(r"(?m)^(10\.1\.1\.12 .*?)Up  ", r"\1Down", ring).encode()
        p = answer("plan", "-", "--replace", "10.1.1.12=10.1.1.19", stdin=down)
        lost = p["collapsed"]
        held, = [t["share"] for t in p["transfers"] if t["from"] == "10.1.1.12"]
        self.assertAlmostEqual(lost["share"], held, 12)
        self.assertEqual(lost["replaced_share"], lost["share"])
        other = answer("plan", "-", "--add", "n,rack=rack3,zone=dc1", stdin=down)["collapsed"]
        self.assertEqual((other["share"], other["replaced_share"]), (lost["share"], 0))
        self.assertAlmostEqual(sum(r["share"] for r in lost["ranges"]), lost["share"], 12)
        for r in lost["ranges"]:
            self.assertEqual((len(r["up"]), r["copies"]), (2, "too few"))
        text = run("plan", "-", "--replace", "10.1.1.12=10.1.1.19", stdin=down).stdout.decode()
        asked = answer("plan", RING, "--replace", "10.1.1.12=10.1.1.19", "--down", "10.1.1.12")["collapsed"]
        self.assertEqual(asked, lost)
        self.assertLess(text.index("re-place first"), text.index("least possible"))
        self.assertEqual(answer("plan", RING, "--remove", "10.1.1.12")["collapsed"], 
                         {"share": 0, "replaced_share": 0, "ranges": []})


    def test_what_contains_most_is_done_first(self):
        words = ["plan", RING, "--replace", "10.1.3.11=a", "--replace", "10.1.1.12=b"]
        actions = [["replace 10.1.3.11 by a"], ["replace 10.1.1.12 by b"]]
        self.assertEqual([s["actions"] for s in answer(*words)["steps"]], actions)
        first = answer(*words, "--down", "10.1.1.12")["steps"]
        self.assertEqual([s["actions"] for s in first], actions[::-1])


class TokenCount(unittest.TestCase):
    def test_another_number_of_tokens_is_refused_with_the_way_to_get_there(self):
        with tempfile.TemporaryDirectory() as folder:
            other = pathlib.Path(folder, "other.txt")
            lines = pathlib.Path(RING).read_text().splitlines(keepends=True)
            first = next(i for i, line in enumerate(lines) if line.startswith("10.1.2.11"))
            other.write_text("".join(lines[:first] + lines[first + 1:]))
            for words in (["--to", str(other)], ["--retoken", "10.1.1.11", "--tokens", "4"],
                          ["--add", "n,rack=rack1,zone=dc1,tokens=0123456789abcdef"]):
                done = run("plan", RING, *words)
                self.assertEqual(done.returncode, 4, done.stderr)
                self.assertIn(b"another number of tokens", done.stderr)
                way = re.sub(r"\s+", " ", done.stdout.decode())
                for part in ("auto_bootstrap: false", "ALTER KEYSPACE", "nodetool rebuild -- dc1", "nodetool decommission",
                             "'dc1': 3"):
                    self.assertIn(part, way)
                a = answer("plan", RING, *words, code=4)
                self.assertEqual(a["refused"], "token-count")
                self.assertEqual(len(a["migration"]), 8)

    def test_a_new_data_center_may_have_any_number(self):
        done = run("plan", RING, "--add", "n,rack=rack1,zone=dc9,tokens=0123456789abcdef")
        self.assertNotIn(b"another number of tokens", done.stderr)


if __name__ == "__main__":
    unittest.main()
