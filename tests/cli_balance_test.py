"""balance: measured load in, splits, moves and a map out."""

import os
import pathlib
import tempfile
import unittest

from support.cli import CARTS, SLOTS, answer, run

TABLE = """arcwise: 1
cluster: carts
epoch: 7
placement:
  recipe: ranges
  ranges:
    - {upto: "3fffffffffffffff", owners: [n1, n2]}
    - {upto: "7fffffffffffffff", owners: [n2, n3]}
    - {upto: "bfffffffffffffff", owners: [n3, n1]}
    - {upto: "ffffffffffffffff", owners: [n1, n2]}
replicas: {count: 2, across: rack}
nodes: [{name: n1, rack: r1}, {name: n2, rack: r2}, {name: n3, rack: r3}]
"""
LOAD = """upto,bytes,requests
3fffffffffffffff,100GB,9000
7fffffffffffffff,100GB,1000
bfffffffffffffff,80GB,1000
ffffffffffffffff,90GB,1000
"""


class Balance(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.map = self.file("map.yaml", TABLE)
        self.load = self.file("load.csv", LOAD)

    def file(self, name, text):
        path = os.path.join(self.folder, name)
        pathlib.Path(path).write_text(text, encoding="utf-8")
        return path

    def refused(self, code, part, *words, **more):
        done = run("balance", *words, **more)
        self.assertEqual(done.returncode, code, done.stderr.decode())
        self.assertIn(part, done.stderr.decode())
        self.assertEqual(done.stdout, b"")

    def test_a_hot_range_is_split_until_every_node_is_within_the_tolerance(self):
        after = os.path.join(self.folder, "after.yaml")
        a = answer("balance", self.map, "--load", self.load, "--write-map", after)
        self.assertEqual(a["schema"], "arcwise/balance/v1")
        self.assertTrue(a["reached"])
        self.assertAlmostEqual(a["requests"]["over_fair_before"], 10000 / 4000)
        self.assertLessEqual(a["requests"]["over_fair_after"], 1.1 + 1e-9)
        self.assertLessEqual(a["bytes"]["over_fair_after"], 1.1 + 1e-9)
        self.assertEqual((a["epoch_before"], a["epoch_after"], a["cause"]), (7, 8, None))
        self.assertIn("split", [action["action"] for action in a["actions"]])
        self.assertAlmostEqual(sum(n["after"]["requests"] for n in a["nodes"]), 12000)
        self.assertEqual(answer("fingerprint", after)["fingerprint"], a["after"])
        self.assertTrue(answer("check", after)["ok"])
        text = run("balance", self.map, "--load", self.load).stdout.decode()
        self.assertIn("2.50× its fair share at n1", text)
        self.assertIn("within a range all lies", text)

    def test_one_key_is_named(self):
        keys = self.file("keys.tsv", "celebrity\t5000\n" + "".join(f"user{i}\t10\n" for i in range(500)))
        a = answer("balance", self.map, "--keys-load", keys)
        self.assertFalse(a["reached"])
        self.assertEqual((a["cause"]["cause"], a["cause"]["key"]), ("one-key", "celebrity"))
        self.assertAlmostEqual(a["cause"]["over_fair"], 1.5)
        self.assertAlmostEqual(a["requests"]["least_over_fair"], 1.5)
        self.assertIn("key celebrity alone has 1.50×", run("balance", self.map, "--keys-load", keys).stdout.decode())
        after = os.path.join(self.folder, "after.yaml")
        answer("balance", self.map, "--keys-load", keys, "--write-map", after)
        self.refused(4, "key celebrity alone has 1.50×", after, "--keys-load", keys)

    def test_nothing_to_improve_exits_4(self):
        even = self.file("even.txt", "".join(f"{end}fffffffffffffff 1 1\n" for end in "37bf"))
        self.refused(4, "within the tolerance of 50.0 %", self.map, "--load", even, "--tolerance", "50%")

    def test_slots_move_whole(self):
        slots = self.file("slots.txt", "1\nkey-count\n10\ncpu-usec\n500\n2\nkey-count\n5\ncpu-usec\n400\n")
        a = answer("balance", SLOTS, "--load", slots)
        self.assertEqual({action["action"] for action in a["actions"]}, {"move"})
        self.assertEqual(a["measured"], {"requests": "cpu-usec", "bytes": "key-count", "keys": 0})
        self.assertEqual(a["cause"]["cause"], "one-unit")
        self.refused(2, "a slot cannot be split", SLOTS, "--load", slots, "--max-range-requests", "10")
        self.refused(2, "a slot cannot be split", SLOTS, "--split", "5")

    def test_by_hand(self):
        after = os.path.join(self.folder, "after.yaml")
        a = answer("balance", self.map, "--split", "1fffffffffffffff", "--move", "1fffffffffffffff=n1>n3", "--write-map",
                   after)
        self.assertEqual((a["ranges_before"], a["ranges_after"], a["moved_share"]), (4, 5, 0.125))
        b = answer("balance", after, "--move", "1fffffffffffffff=n3>n1", "--merge", "1fffffffffffffff")
        self.assertEqual((b["ranges_after"], b["after"]), (4, a["before"]))
        c = answer("balance", self.map, "--load", self.load, "--split", "1fffffffffffffff", "--move", "1fffffffffffffff=n1>n3")
        self.assertEqual((c["after"], c["moved_bytes"]), (a["after"], 50e9))
        self.assertEqual([n["after"]["requests"] for n in c["nodes"]], [5500, 1000, 5500])
        self.refused(2, "different owners", self.map, "--merge", "3fffffffffffffff")
        self.refused(2, "no such node", self.map, "--move", "3fffffffffffffff=n1>n9")
        self.refused(2, "no such range", self.map, "--move", "3=n1>n3")
        self.refused(2, "RANGE=FROM>TO", self.map, "--move", "n1>n3")
        self.refused(2, "no position", self.map, "--split", "xyz")

    def test_bad_input_is_named_with_its_line(self):
        self.refused(2, "load.txt:2:1: the map has no such range", self.map, "--load",
                     self.file("load.txt", "3fffffffffffffff 1 1\n7 1 1\n"))
        self.refused(2, "keys.tsv:1: no tab", self.map, "--keys-load", self.file("keys.tsv", "a 1\n"))
        self.refused(2, "neither a load nor a change", self.map)
        self.refused(2, "is not a part", self.map, "--load", self.load, "--tolerance", "0")
        self.refused(2, "derives owners", CARTS, "--load", self.load)
        self.refused(2, "more than half", self.map, "--load", self.load, "--max-range-bytes", "10GB",
                     "--min-range-bytes", "6GB")
        self.refused(3, "nowhere.txt", self.map, "--load", "/nowhere.txt")


if __name__ == "__main__":
    unittest.main()
