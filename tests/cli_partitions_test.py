"""Pins, exclusions, drains and parts of a move on the command line, and declared capacities."""

import json
import pathlib
import shutil
import tempfile
import unittest

from support.cli import SMALL, SOURCE, answer, run

PARTITIONS = """arcwise: 1
placement: {recipe: partitions, holders: [a, b, c], partitions: ["0,1 1,2 2,0 0,1 1,2 2,0", "0,1 1,2 2,0 0,1 1,2 2,0"]}
replicas: {count: 2}
nodes: [{name: a}, {name: b}, {name: c}]
"""
REDIS = str(SOURCE / "testdata/samples/redis/cluster-nodes.txt")
SWIFT = str(SOURCE / "testdata/samples/swift/small.ring.gz")


class Partitions(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")
        return str(self.folder / name)

    def said(self, *words, **more):
        return next(w["message"] for w in answer("plan", *words, **more)["warnings"] if w["rule"] == "parts-moved")

    def refused(self, why, *words, code=2):
        done = run(*words)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertIn(why.encode(), done.stderr)

    def owners(self, path):
        return [row["owners"] for row in answer("ranges", path)["ranges"]]

    def test_pins_and_exclusions_from_the_command_line_and_from_a_file_are_the_same(self):
        before, after = self.write("before.yaml", PARTITIONS), str(self.folder / "after.yaml")
        words = ["--pin", "0-1=c", "--exclude", "11=c"]
        plan = answer("plan", before, *words, "--write-map", after)
        owners = self.owners(after)
        self.assertIn("c", owners[0])
        self.assertIn("c", owners[1])
        self.assertNotIn("c", owners[11])
        pins = self.write("pins", "# of two tenants\npin 0-1 c\nexclude 11 c\n")
        self.assertEqual(plan["change"], words)
        self.assertEqual(plan["parts"]["moved"], plan["parts"]["least"])
        self.assertEqual(answer("plan", before, "--pins", pins), plan)

    def test_a_node_drains_in_parts_and_the_last_plan_leaves_it_empty(self):
        now = self.write("before.yaml", PARTITIONS.replace("nodes: [", "nodes: [{name: d}, "))
        for by, said in (("", "8 of 24"), ("25%", "2 of 24 copies move now and 6 later"), ("0.5", "4 of 24 copies move now and 4 later")):
            self.assertTrue(self.said(now, "--drain", "a" + (by and ",by=" + by)).startswith(said), by)
        for number, by in enumerate((",by=25%", ",by=50%", "")):
            after = str(self.folder / f"{number}.yaml")
            answer("plan", now, "--drain", "a" + by, "--write-map", after)
            now = after
        self.assertFalse(any("a" in owners for owners in self.owners(now)))
        self.assertIn("state: leaving", pathlib.Path(now).read_text(encoding="utf-8"))
        self.refused("nothing", "plan", now, "--drain", "a", code=4)
        self.assertEqual(answer("plan", now, "--remove", "a")["moved_share"], 0)

    def test_a_plan_file_holds_its_pins_and_can_be_verified(self):
        before, plan, after = self.write("before.yaml", PARTITIONS), str(self.folder / "plan.json"), str(self.folder / "after.yaml")
        pins = self.write("pins", "pin 0-1 c\n")
        answer("plan", before, "--pins", pins, "--rebalance", "-f", plan, "--write-map", after)
        (self.folder / "pins").unlink()
        self.assertIn(b"no step of 1 is done", run("plan", before, "--verify", plan).stdout)
        self.assertIn(b"the only step is done", run("plan", after, "--verify", plan).stdout)

    def test_copies_move_in_parts_until_nothing_is_left(self):
        now, moved = REDIS, []
        for number, change in enumerate((["--add", "new"], ["--rebalance"], ["--rebalance"])):
            after = str(self.folder / f"{number}.yaml")
            plan = answer("plan", now, *change, "--at-most", "1500", "--write-map", after)
            self.assertEqual(plan["parts"]["later"], max(0, 4096 - 1500 * (number + 1)))
            moved.append(round(plan["primary_moved_share"] * 16384))
            now = after
        self.assertEqual(moved, [1500, 1500, 1096])
        self.refused("would change nothing", "plan", now, "--rebalance", code=4)

    def test_swift_rings_drain_too(self):
        self.assertIn(" copies move", self.said(SWIFT, "--drain", "d3"))
        self.assertIn(" copies move now", self.said(SWIFT, "--drain", "d3", "--at-most", "3"))

    def test_what_cannot_be_meant_is_refused(self):
        before = self.write("before.yaml", PARTITIONS)
        self.refused("PART=NODE", "plan", before, "--pin", "a")
        self.refused("numbered from 0", "plan", before, "--pin", "12=a")
        self.refused("no node of this name", "plan", before, "--pin", "1=x")
        self.refused("no node of this name", "plan", before, "--drain", "x")
        self.refused("above 0 and at most 100%", "plan", before, "--drain", "a,by=120%")
        self.refused("number of copies", "plan", before, "--at-most", "0")
        self.refused("would still hold", "plan", before, "--add", "d", "--remove", "a", "--at-most", "1")
        self.refused("who holds each partition", "plan", self.write("ring.yaml", SMALL), "--drain", "a")
        self.refused("pins:2", "plan", before, "--pins", self.write("pins", "pin 1 a\npin x a\n"))
        self.refused("cannot read", "plan", before, "--pins", str(self.folder / "none"), code=3)

    def test_capacities_are_compared_and_a_malformed_file_names_its_line(self):
        ring = self.write("ring.yaml", SMALL.replace("tokens: 8", "tokens: 4096"))
        even = self.write("even", "a 4TB\nb 4000GB\nc 4e12\n")
        self.assertEqual(run("check", ring, "--capacity", even).returncode, 0)
        uneven = self.write("uneven.json", json.dumps({"a": "4TB", "b": "4TB", "c": "8TB"}))
        found = {f["rule"]: f for f in answer("check", ring, "--capacity", uneven, code=1)["findings"]}
        self.assertEqual(found["capacity-over"]["severity"], "error")
        self.assertEqual(found["capacity-drift"]["severity"], "warning")
        self.assertTrue(answer("check", ring, "--capacity", uneven, "--capacity-over", "1.5")["ok"])
        self.refused("bad:2:3", "check", ring, "--capacity", self.write("bad", "a 4TB\nb lots\n"))
        self.refused("factor from 1 to", "check", ring, "--capacity", even, "--capacity-over", "0.5")
        self.refused("cannot read", "check", ring, "--capacity", str(self.folder / "none"), code=3)


if __name__ == "__main__":
    unittest.main()
