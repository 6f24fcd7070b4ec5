"""What is down, moving or contradictory before a change: nothing goes to it, nothing comes from it, and it is said."""

import json
import pathlib
import tempfile
import unittest

from support.cli import CARTS, SLOTS, answer, run

MASTER, OTHER = "31ac5e08fe82aa1717ba7968ab8fdd63e715365e", "00e39e56a864ce09d8d946bae8261c64d6736bd7"
REPLICA = "871dcd30a1ce0f05eb3c4be0da4f37bf3bac9557"
NUTCRACKER = str(pathlib.Path(CARTS).parent / "nutcracker.yml")
SWIFT = str(pathlib.Path(CARTS).parent.parent / "testdata/samples/swift/small.ring.gz")


class Down(unittest.TestCase):
    def slots(self, work, *edits):
        text = pathlib.Path(SLOTS).read_text()
        for old, new in edits:
            self.assertIn(old, text)
            text = text.replace(old, new)
        path = pathlib.Path(work) / "nodes.txt"
        path.write_text(text)
        return str(path)

    def rules(self, plan):
        return [w["rule"] for w in plan["warnings"]]

    def refused(self, why, *words, code):
        done = run(*words)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(why.encode(), done.stderr)

    def test_slots_neither_go_to_a_failed_master_nor_come_from_it(self):
        with tempfile.TemporaryDirectory() as work:
            file = self.slots(work, ("myself,master", "master,fail"))
            plan = answer("plan", file, "--add", "new")
            self.assertIn("parts-on-down-nodes", self.rules(plan))
            for t in plan["transfers"]:
                self.assertNotIn(MASTER, (t["from"], t["to"]))
            self.assertTrue(plan["transfers"])
        plan = answer("plan", SLOTS, "--weight", f"{OTHER}=2", "--down", MASTER)
        for t in plan["transfers"]:
            self.assertNotIn(MASTER, (t["from"], t["to"]))

    def test_data_without_a_live_owner_is_not_promised_to_anybody(self):
        with tempfile.TemporaryDirectory() as work:
            file = self.slots(work, ("myself,master", "master,fail"), (f"slave {MASTER}", f"slave,fail {MASTER}"))
            self.refused("every owner of it is down", "plan", file, "--remove", MASTER, code=4)
            plan = answer("plan", file, "--remove", MASTER, "--force")
            self.assertAlmostEqual(plan["steps"][0]["safety"]["share_unfillable"], 5461 / 16384)
            self.assertEqual(plan["collapsed"]["replaced_share"], 0)
        everybody = ",".join(f"cache-{i}" for i in range(1, 10))
        self.refused("every owner of it is down", "plan", CARTS, "--down", everybody, "--add", "c,rack=r1", code=4)

    def test_another_change_under_way_is_warned_of(self):
        with tempfile.TemporaryDirectory() as work:
            file = self.slots(work, ("0-5460", f"0-5460 [866->-{OTHER}]"))
            self.assertIn("slots-moving", self.rules(answer("plan", file, "--add", "new")))
            self.assertNotIn("slots-moving", self.rules(answer("plan", SLOTS, "--add", "new")))
            path = pathlib.Path(work) / "joining.yaml"
            path.write_text("arcwise: 1\nplacement: {recipe: ring}\n"
                            "nodes: [{name: a}, {name: b}, {name: j, state: joining}]\n")
            self.assertIn("node-joining", self.rules(answer("plan", str(path), "--add", "new")))

    def test_a_replica_leaves_without_moving_a_slot_and_has_nothing_to_drain(self):
        plan = answer("plan", SLOTS, "--remove", REPLICA)
        self.assertEqual(plan["moved_share"], 0)
        self.refused("nothing", "plan", SLOTS, "--drain", REPLICA, code=4)

    def test_two_wishes_for_one_node_are_refused_by_name(self):
        for first, second in ((("--weight", "cache-1=2"), ("--weight", "cache-1=3")),
                              (("--remove", "cache-1"), ("--weight", "cache-1=2")),
                              (("--remove", "cache-1"), ("--remove", "cache-1")),
                              (("--replace", "cache-1=x"), ("--remove", "cache-1")),
                              (("--add", "new"), ("--drain", "new"))):
            for words in ((*first, *second), (*second, *first)):
                done = run("plan", CARTS, *words)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(first[0].encode(), done.stderr)
                self.assertIn(second[0].encode(), done.stderr)
        answer("plan", CARTS, "--add", "x,rack=r1", "--weight", "x=2")

    def test_new_tokens_that_even_nothing_out_are_refused(self):
        self.refused("no more even", "plan", CARTS, "--retoken", "cache-1", code=4)
        answer("plan", CARTS, "--retoken", "cache-1", "--force")

    def test_a_new_device_unlike_the_others_is_warned_of(self):
        rules = self.rules(answer("plan", SWIFT, "--add", "d9"))
        self.assertIn("weight-outlier", rules)
        self.assertIn("alone-in-zone", self.rules(answer("plan", SWIFT, "--add", "d9,zone=r2")))
        rules = self.rules(answer("plan", SWIFT, "--add", "d9,zone=r1,rack=z1,weight=100"))
        self.assertNotIn("weight-outlier", rules)
        self.assertNotIn("alone-in-zone", rules)

    def test_rolling_restarts_count_what_is_down_and_keep_a_majority_of_masters(self):
        told = json.loads(run("risk", SLOTS, "--rolling", "--json").stdout)
        self.assertEqual(told["masters"], {"all": 3, "may_restart_at_once": 1})
        self.assertEqual(max(g["masters"] for g in told["groups"]), 1)
        told = json.loads(run("risk", CARTS, "--rolling", "--down", "cache-1", "--json").stdout)
        self.assertEqual(told["down"], ["cache-1"])
        for group in told["groups"]:
            self.assertNotIn("cache-1", group["nodes"])
            self.assertTrue(group["share_below_level"] == 0 or len(group["nodes"]) == 1)
        told = json.loads(run("risk", NUTCRACKER, "--pool", "sessions", "--rolling", "--json").stdout)
        self.assertTrue(all(g["share_lost"] > 0 and len(g["nodes"]) == 1 for g in told["groups"]))


if __name__ == "__main__":
    unittest.main()
