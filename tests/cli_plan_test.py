"""plan: steps under limits, what they risk, what undoes them, and the file that is bound to its maps."""

import json
import os
import pathlib
import shlex
import shutil
import tempfile
import unittest

from support.cli import CARTS, RING, SLOTS, SMALL, run, answer

PARTITIONS = """arcwise: 1
cluster: parts
epoch: 3
placement: {recipe: partitions, holders: [a, b, c], partitions: ["0,1 1,2 2,0 0,1 1,2 2,0 0,1 1,2 2,0 0,1 1,2 2,0"]}
replicas: {count: 2}
nodes: [{name: a}, {name: b}, {name: c}]
"""
ONE_COPY = "arcwise: 1\nplacement: {recipe: ring}\nnodes: [{name: a}, {name: b}, {name: c}]\n"


class Steps(unittest.TestCase):
    def test_of_two_nodes_in_flight(self):
        words = ["plan", CARTS]
        for i in range(3):
            words += ["--add", f"x{i},rack=r{i + 1}"]
        self.assertEqual([s["actions"] for s in answer(*words)["steps"]], [["add x0"], ["add x1"], ["add x2"]])
        a = answer(*words, "--max-in-flight", "2")
        self.assertEqual([s["actions"] for s in a["steps"]], [["add x0", "add x1"], ["add x2"]])
        self.assertEqual(a["options"]["max_in_flight"], 2)
        self.assertEqual([s["before"] for s in a["steps"]] + [a["after"]],
                         [a["before"]] + [s["after"] for s in a["steps"]])

    def test_start_when_the_last_change_is_old_enough(self):
        a = answer("plan", CARTS, "--add", "x,rack=r1", "--add", "y,rack=r2", "--data", "2TB", "--node-bandwidth",
                   "250MB/s", "--min-age", "1h", "--last-change-age", "30min")
        first, second = a["steps"]
        self.assertEqual(first["start_seconds"], 1800)
        self.assertAlmostEqual(second["start_seconds"], 1800 + first["seconds"] + 3600)
        self.assertAlmostEqual(a["steps_seconds"], second["start_seconds"] + second["seconds"])

    def test_keep_the_limit_of_racks(self):
        a = answer("plan", CARTS, "--add", "x,rack=r4", "--data", "2TB", "--node-bandwidth", "250MB/s",
                   "--rack-bandwidth", "100MB/s")
        step, = a["steps"]
        self.assertEqual(step["pace"], "rack r4")
        self.assertLessEqual(max(r["rate"] for r in step["racks"]), 100.0001e6)
        self.assertAlmostEqual(step["bytes"] / step["seconds"], 100e6)
        self.assertIn("rack", answer_error("plan", RING.replace("nodetool-ring.txt", "nutcracker.yml"), "--pool",
                                           "sessions", "--remove", "cache-a", "--rack-bandwidth", "1GB/s"))

    def test_of_slots_and_partitions_sum_up_to_the_change_itself(self):
        for words in ([SLOTS, "--add", "x", "--add", "y"], ["-", "--add", "x", "--add", "y", "--remove", "a"]):
            a = answer("plan", *words, stdin=PARTITIONS.encode())
            self.assertGreater(len(a["steps"]), 1)
            self.assertEqual(sum(s["moved_share"] for s in a["steps"]), a["moved_share"])
            self.assertEqual(a["steps_moved_share"], a["moved_share"])

    def test_show_the_peaks_of_each_node(self):
        a = answer("plan", CARTS, "--add", "x,rack=r1", "--utilisation", "60%", "--requests", "90k/s", "--data", "2TB")
        names = [p["name"] for p in a["peaks"]]
        self.assertEqual(names, sorted(names))
        self.assertAlmostEqual(sum(p["requests_before"] or 0 for p in a["peaks"]), 90000)
        self.assertAlmostEqual(sum(p["requests_after"] or 0 for p in a["peaks"]), 90000)
        for p in a["peaks"]:
            self.assertGreaterEqual(p["first_peak"], max(p["first_before"], p["first_after"]))


    def test_want_figures_that_are_some(self):
        for option, value in (("--max-in-flight", "0"), ("--min-age", "soon"), ("--last-change-age", "-5"),
                              ("--hit-ratio", "0"), ("--hit-ratio", "120%"), ("--requests", "-5"),
                              ("--requests", "many/s"), ("--keys", "0"), ("--refill", "0"),
                              ("--rack-bandwidth", "0MB/s")):
            message = answer_error("plan", CARTS, "--remove", "cache-1", option, value)
            self.assertIn(option, message)
            self.assertIn(value, message)


class Caches(unittest.TestCase):
    def test_show_the_dip_and_the_database(self):
        words = ["plan", "-", "--add", "d", "--hit-ratio", "95%", "--requests", "100k/s"]
        step, = answer(*words, "--database-limit", "10k/s", stdin=ONE_COPY.encode())["steps"]
        cache = step["cache"]
        self.assertAlmostEqual(cache["hit_ratio_after"], 0.95 * (1 - step["moved_share"]))
        self.assertAlmostEqual(cache["database_after"], 1e5 * (1 - cache["hit_ratio_after"]))
        self.assertAlmostEqual(cache["database_factor"], cache["database_after"] / 5000)
        self.assertGreaterEqual(cache["pieces"], 2)
        self.assertIsNone(answer(*words[:4], stdin=ONE_COPY.encode())["steps"][0]["cache"])

    def test_a_limit_needs_both_figures(self):
        self.assertIn("--hit-ratio", answer_error("plan", "-", "--add", "d", "--database-limit", "10k/s",
                                                  stdin=ONE_COPY.encode()))


class Safety(unittest.TestCase):
    def test_data_that_would_be_gone_needs_force(self):
        words = ["plan", "-", "--replace", "a=d"]
        done = run(*words, stdin=ONE_COPY.encode())
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn(b"without any node that holds it", done.stderr)
        self.assertIn(b"--force", done.stderr)
        self.assertEqual(run(*words, "--force", stdin=ONE_COPY.encode()).returncode, 0)
        self.assertEqual(run(*words, "--hit-ratio", "90%", stdin=ONE_COPY.encode()).returncode, 0)
        self.assertEqual(run("plan", "-", "--remove", "a", stdin=ONE_COPY.encode()).returncode, 0)

    def test_nodes_down_count(self):
        a = answer("plan", CARTS, "--replace", "cache-1=x,rack=r1", "--down", "cache-4")
        safety = a["steps"][0]["safety"]
        self.assertEqual([safety[p]["fewest_owners"] for p in ("before", "during", "after")], [2, 1, 2])
        self.assertGreater(safety["during"]["share_below_quorum"], 0)
        self.assertIn("below-quorum", [w["rule"] for w in a["warnings"]])
        self.assertEqual(run("plan", CARTS, "--remove", "cache-1", "--down", "nobody").returncode, 2)

    def test_nodes_seen_down_count_too(self):
        down = pathlib.Path(RING).read_text().replace("Up      Normal  180.87", "Down    Normal  180.87")
        words = ["plan", "-", "--replace", "10.1.3.12=10.1.3.19"]
        a = answer(*words, stdin=down.encode())
        self.assertEqual(a["options"]["seen_down"], ["10.1.1.12"])
        self.assertEqual(a["steps"][0]["safety"]["during"]["fewest_owners"], 1)
        b = answer(*words, stdin=pathlib.Path(RING).read_bytes())
        self.assertEqual(b["steps"][0]["safety"]["during"]["fewest_owners"], 2)


class WayBack(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def test_each_command_leads_to_the_map_before(self):
        prefix = os.path.join(self.folder, "step")
        words = ["plan", CARTS, "--add", "x,rack=r1", "--weight", "cache-2=2", "--replace",
                 "cache-5=y,address=10.9.9.9:1", "--remove", "cache-9", "--write-steps", prefix]
        a = answer(*words)
        text = run(*words).stdout.decode()
        lines = [line.split(". ", 1)[1].rsplit(": moves", 1)[0] for line in text.split("way back\n")[1].splitlines()
                 if ". arcwise plan " in line]
        self.assertEqual(len(lines), len(a["steps"]))
        self.assertNotIn("--to", text.split("way back\n")[1])
        for line, step in zip(lines, a["steps"]):
            back = answer(*shlex.split(line)[1:])
            self.assertEqual((back["before"], back["after"]), (step["after"], step["before"]))
            self.assertEqual(back["moved_share"], step["back"]["moved_share"])

    def test_of_partitions_is_the_map_before(self):
        path = os.path.join(self.folder, "parts.yaml")
        pathlib.Path(path).write_text(PARTITIONS)
        prefix = os.path.join(self.folder, "step")
        text = run("plan", path, "--add", "x", "--remove", "a", "--write-steps", prefix).stdout.decode()
        self.assertIn(f"arcwise plan {prefix}1.yaml --to {path}: moves", text)
        self.assertIn(f"arcwise plan {prefix}2.yaml --to {prefix}1.yaml: moves", text)


class PlanFile(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.plan = os.path.join(self.folder, "plan.json")
        self.prefix = os.path.join(self.folder, "step")
        self.answer = answer("plan", CARTS, "--add", "x,rack=r1", "--add", "y,rack=r2", "--remove", "cache-9", "-f",
                             self.plan, "--write-steps", self.prefix)

    def verify(self, path, code=0):
        done = run("plan", path, "--verify", self.plan)
        self.assertEqual(done.returncode, code, done.stderr)
        return (done.stdout if code == 0 else done.stderr).decode()

    def test_is_the_answer_and_binds_every_state(self):
        written = json.loads(pathlib.Path(self.plan).read_text())
        self.assertEqual(written, self.answer)
        self.assertEqual([s["fingerprint"] for s in written["states"]],
                         [answer("fingerprint", path)["fingerprint"]
                          for path in [CARTS] + [f"{self.prefix}{i}.yaml" for i in (1, 2, 3)]])
        self.assertEqual([s["epoch"] for s in written["states"]], [7, 8, 9, 10])

    def test_says_where_a_map_stands(self):
        self.assertIn("no step of 3 is done, next: add x", self.verify(CARTS))
        self.assertIn("step 1 of 3 is done, next: add y", self.verify(self.prefix + "1.yaml"))
        self.assertIn("steps 1–2 of 3 are done, next: remove cache-9", self.verify(self.prefix + "2.yaml"))
        self.assertIn("all 3 steps are done", self.verify(self.prefix + "3.yaml"))
        self.assertEqual(answer("plan", self.prefix + "2.yaml", "--verify", self.plan)["steps_done"], 2)

    def test_refuses_a_map_that_it_does_not_lead_over(self):
        other = os.path.join(self.folder, "other.yaml")
        run("plan", CARTS, "--remove", "cache-1", "--write-map", other)
        message = self.verify(other, code=4)
        self.assertIn(self.answer["before"], message)
        self.assertIn("plan anew", message)

    def test_refuses_a_change_that_gives_another_map_now(self):
        text = pathlib.Path(self.plan).read_text().replace('"x,rack=r1"', '"x,rack=r1,weight=3"')
        pathlib.Path(self.plan).write_text(text)
        self.assertIn("another map now", self.verify(CARTS, code=4))

    def test_malformed_ones_name_the_place(self):
        good = pathlib.Path(self.plan).read_text()
        for old, new, where, why in (
                ('"schema": "arcwise/plan/v1"', '"schema": "arcwise/diff/v1"', ":2:", "no plan"),
                ('"states": [', '"states": 5, "more": [', "", "not a list"),
                (self.answer["states"][1]["fingerprint"], "5", "", "16 hex digits"),
                ('"steps": [', '"steps": [5,', "", "one state more"),
                ("{", "{]", ":1:", "not valid"),
                ('"change": [', '"change": [[1],', "", "not a text")):
            self.assertIn(old, good)
            pathlib.Path(self.plan).write_text(good.replace(old, new, 1))
            message = self.verify(CARTS, code=2)
            self.assertIn(self.plan + (where or ":"), message)
            self.assertIn(why, message)
        os.remove(self.plan)
        self.verify(CARTS, code=3)

    def test_of_drains_and_pins_is_the_same_change_when_it_is_made_anew(self):
        path = os.path.join(self.folder, "parts.yaml")
        pathlib.Path(path).write_text(PARTITIONS)
        a = answer("plan", path, "--add", "x", "--drain", "a,by=50%", "--pin", "3=b", "--rebalance", "-f", self.plan)
        self.assertEqual([s["actions"][0] for s in a["steps"]], ["add x", "drain a by 50.0 %"])
        self.assertEqual(a["steps_moved_share"], a["moved_share"])
        self.assertIn("no step of 2 is done", self.verify(path))

    def test_takes_no_change_beside_it(self):
        self.assertEqual(run("plan", CARTS, "--verify", self.plan, "--add", "z,rack=r1").returncode, 2)


def answer_error(*words, **more):
    """The message of a command that exits 2."""
    done = run(*words, **more)
    assert done.returncode == 2, (words, done.returncode, done.stderr)
    return done.stderr.decode()


if __name__ == "__main__":
    unittest.main()
