"""The JSON of each verb has the keys that scripts rely on, and one seed gives one answer."""

import json
import os
import pathlib
import tempfile
import unittest

from support.cli import CARTS, RING, SLOTS, SMALL, run, answer


class Keys(unittest.TestCase):
    """Each verb's JSON has the keys that scripts rely on."""

    def has(self, value, *keys):
        self.assertLessEqual(set(keys), set(value), f"missing: {set(keys) - set(value)}")

    def test_status_and_ownership(self):
        for verb in ("status", "ownership"):
            a = answer(verb, CARTS)
            self.assertEqual(a["schema"], f"arcwise/{verb}/v1")
            self.has(a, "cluster", "epoch", "recipe", "fingerprint", "token_digest", "replicas", "ring_entries",
                     "replica_sets", "nodes", "balance")
            for node in a["nodes"]:
                self.has(node, "name", "address", "host", "weight", "rack", "zone", "tokens", "share",
                         "effective_share", "target_share")
            self.has(a["balance"], "max_over_target", "min_over_target", "stddev_over_target", "usable_capacity")
            self.has(a["balance"]["by_chance"], "median", "p99", "trials")
            self.assertEqual(sum(n["share"] for n in a["nodes"]), 1)
            self.assertEqual(sum(n["effective_share"] for n in a["nodes"]), 3)
            self.assertEqual((a["cluster"], a["epoch"], a["ring_entries"]), ("carts", 7, 9 * 64))
        self.assertIsNone(answer("status", RING)["epoch"])

    def test_ranges_sum_to_exactly_one(self):
        for path in (CARTS, RING, SLOTS):
            ranges = answer("ranges", path)["ranges"]
            for r in ranges:
                self.has(r, "after", "upto", "share", "owners", "hosts", "racks")
                self.assertEqual(len(r["owners"]), len(r["racks"]))
            self.assertEqual(sum(r["share"] for r in ranges), 1)
            self.assertEqual([r["after"] for r in ranges[1:]], [r["upto"] for r in ranges[:-1]])

    def test_locate(self):
        a = answer("locate", CARTS, "k1", "k2")
        self.assertEqual(a["schema"], "arcwise/locate/v1")
        self.assertEqual([k["key"] for k in a["locate"]], ["k1", "k2"])
        for k in a["locate"]:
            self.has(k, "key", "hash", "owners")
            self.assertEqual(len(set(k["owners"])), 3)
            self.assertIsInstance(k["hash"], str)

    def test_explain_agrees_with_locate(self):
        a = answer("explain", CARTS, "k1")
        self.has(a, "key", "routing_key", "hash", "region", "candidates")
        self.has(a["region"], "after", "upto")
        for c in a["candidates"]:
            self.has(c, "node", "token", "taken", "reason")
        taken = [c["node"] for c in a["candidates"] if c["taken"]]
        self.assertEqual(taken, answer("locate", CARTS, "k1")["locate"][0]["owners"])

    def test_check(self):
        a = answer("check", CARTS)
        self.assertIs(a["ok"], True)
        b = answer("check", CARTS, "--replicas", "4", code=1)
        self.assertIs(b["ok"], False)
        for f in b["findings"]:
            self.has(f, "severity", "rule", "subject", "message", "advice")

    def test_check_of_keys(self):
        keys = "".join(f"user:{i}\n" for i in range(3000)).encode()
        a = answer("check", CARTS, "--keys", "-", stdin=keys)["keys"]
        self.has(a, "keys", "distinct", "max_over_target", "fullest", "factors", "nodes", "hottest")
        self.assertEqual(sum(node["keys"] for node in a["nodes"]), 3000)
        for node in a["nodes"]:
            self.has(node, "name", "keys", "share", "hash_share", "target_share", "ratio")
        self.assertEqual(set(a["factors"]), {"weights", "arcs", "hash_pattern", "hot_keys"})

    def test_identify_reads_what_locate_prints(self):
        keys = "".join(f"user:{i}\n" for i in range(300)).encode()
        samples = run("locate", CARTS, "--keys", "-", stdin=keys).stdout
        a = answer("identify", "--nodes", CARTS, "--samples", "-", stdin=samples)
        self.assertEqual(a["schema"], "arcwise/identify/v1")
        self.has(a, "samples", "chosen_by", "held_out", "tried", "chance", "seed", "near_misses", "tell_apart",
                 "wrong_samples", "left_out", "findings")
        self.assertEqual(a["chosen_by"] + a["held_out"], 300)
        self.assertEqual(a["found"][0]["recipe"], "ring")
        for key in ("recipe", "hash", "settings", "mismatches", "mismatch_share", "held_out_mismatches"):
            self.assertIn(key, a["found"][0])
        self.assertEqual(a["found"][0]["mismatches"], 0)

    def test_identify_of_nothing_is_1_and_of_faults_2(self):
        nodes = "10.0.0.1:11211,10.0.0.2:11211,10.0.0.3:11211"
        lots = "".join(f"user:{i}\t10.0.0.{1 + i * i * 7 % 11 % 3}:11211\n" for i in range(300)).encode()
        a = answer("identify", "--nodes", nodes, "--samples", "-", stdin=lots, code=1)
        self.assertEqual(a["found"], [])
        for words, stdin in ((("--nodes", nodes, "--samples", "-"), b"user:1,10.0.0.1:11211\n"),
                             (("--nodes", nodes, "--samples", "-"), b"user:1\t10.0.0.9:11211\n"),
                             (("--nodes", "nofile.txt", "--samples", "-"), b"user:1\t10.0.0.9:11211\n"),
                             (("--nodes", nodes, "--samples", "-", "--tokens", "x"), b""), (("--nodes", nodes), b"")):
            done = run("identify", *words, stdin=stdin)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertEqual(done.stderr.decode().count("\n"), 1, done.stderr)

    def test_risk(self):
        a = answer("risk", CARTS)
        self.has(a, "replica_sets", "co_owner_pairs", "scatter_width", "failures")
        self.has(a["scatter_width"], "min", "mean", "max")
        for f in a["failures"]:
            self.has(f, "down", "any_quorum_lost", "expected_share_lost", "any_data_lost")
        b = answer("risk", CARTS, "--down", "cache-1,cache-4")
        self.assertEqual(b["down"], ["cache-1", "cache-4"])
        self.has(b, "share_below_quorum", "share_lost", "example_keys")

    def test_diff_and_plan(self):
        with tempfile.TemporaryDirectory() as folder:
            after = os.path.join(folder, "after.yaml")
            plan_file = os.path.join(folder, "plan.json")
            p = answer("plan", CARTS, "--add", "cache-10,rack=r1", "--data", "24TB", "--node-bandwidth", "250MB/s",
                       "--joiner-bandwidth", "1GB/s", "--utilisation", "60%", "-f", plan_file, "--write-map", after)
            keys = ("before", "after", "moved_share", "least_share", "transfers", "donors", "example_keys", "steps",
                    "cost", "warnings")
            self.has(p, *keys)
            self.has(p["cost"], "seconds", "bytes")
            for t in p["transfers"]:
                self.has(t, "from", "to", "share", "bytes")
            self.assertEqual(json.loads(pathlib.Path(plan_file).read_text()), p)
            d = answer("diff", CARTS, after, code=1)
            self.has(d, *keys)
            self.assertEqual((d["before"], d["after"], d["moved_share"]), (p["before"], p["after"], p["moved_share"]))
            self.assertEqual({t["to"] for t in p["transfers"]}, {"cache-10"})
            self.assertEqual(p["epoch_after"], 8)

    def test_allocate(self):
        with tempfile.TemporaryDirectory() as folder:
            ring, after = os.path.join(folder, "ring.yaml"), os.path.join(folder, "after.yaml")
            a = answer("allocate", "--racks", "2,2,2", "--tokens", "4", "--write-map", ring)
            self.assertEqual([n["rack"] for n in a["nodes"]], ["rack0", "rack1", "rack2"] * 2)
            b = answer("allocate", ring, "--node", "node6", "--rack", "rack0", "--write-map", after)
            self.has(b, "node", "tokens", "fingerprint", "epoch", "balance_before", "balance_after")
            self.assertEqual(len(b["tokens"]), 4)
            same = ("allocate", "--node", "node7", "--rack", "rack1", "--fingerprint", b["fingerprint"])
            self.assertEqual(run(*same, ring).returncode, 0)
            self.assertEqual(run(*same, after).returncode, 4)
            shifted = answer("allocate", ring, "--node", "node6", "--rack", "rack0", "--extra-movement", "10%")
            self.has(shifted, "moved_share", "moved_beside", "shifts")
            c = answer("allocate", ring, "--bisect", "b")
            self.assertEqual([(n["node"], n["of"]) for n in c["nodes"]][:2], [("node0b", "node0"), ("node1b", "node1")])
            text = run("allocate", ring, "--node", "x", "--rack", "rack0", "--relieve", "node0").stdout.decode()
            self.assertRegex(text, r"\nnum_tokens: 4\ninitial_token: -?\d+(,-?\d+){3}\n$")

    def test_fingerprint(self):
        a = answer("fingerprint", CARTS)
        self.has(a, "fingerprint", "token_digest", "membership", "epoch")
        both = answer("fingerprint", CARTS, RING)
        self.assertEqual(len(both["maps"]), 2)

    def test_simulate(self):
        a = answer("simulate", "balance", "--nodes", "10", "--tokens", "4", "--trials", "20", "--seed", "5")
        self.has(a, "nodes", "tokens", "trials", "seed", "max_over_mean", "min_over_mean", "stddev_over_mean",
                 "max_over_min")
        self.assertEqual((a["nodes"], a["tokens"], a["trials"], a["seed"]), (10, 4, 20, 5))
        b = answer("simulate", "join", "--nodes", "10", "--tokens", "1,4", "--trials", "20")
        self.assertEqual([r["tokens"] for r in b["rows"]], [1, 4])
        self.has(b["rows"][0], "joiner_share", "donors", "moved_share")
        self.has(b["rows"][0]["joiner_share"], "mean", "p5", "p95", "above_twice_fair", "below_tenth_fair")

    def test_the_rest(self):
        self.assertIn("ring", [r["name"] for r in answer("recipes")["recipes"]])
        self.assertRegex(answer("version")["version"], r"^\d+\.\d+\.\d+$")
        imported = answer("import", RING)
        self.assertEqual(imported["format"], "nodetool-ring")
        self.assertIn("arcwise: 1", imported["map"])


class Seeds(unittest.TestCase):
    def test_same_seed_same_answer(self):
        for words in (["status", CARTS], ["simulate", "join", "--nodes", "5", "--tokens", "2"]):
            self.assertEqual(run(*words, "--seed", "4").stdout, run(*words, "--seed", "4").stdout)
            self.assertNotEqual(run(*words, "--seed", "4").stdout, run(*words, "--seed", "5").stdout)
            self.assertIn(b"seed 4", run(*words, "--seed", "4").stdout)


class Disagreement(unittest.TestCase):
    def test_agree_names_the_first_range_and_a_key_in_it(self):
        other = SMALL.replace("{name: c}", "{name: d}")
        with tempfile.TemporaryDirectory() as folder:
            one, two = os.path.join(folder, "one"), os.path.join(folder, "two")
            pathlib.Path(one).write_text(SMALL)
            pathlib.Path(two).write_text(other)
            d = answer("fingerprint", one, two, "--agree", code=1)["disagreement"]
            after, upto = (int(d["region"][k], 16) for k in ("after", "upto"))
            at = answer("locate", one, d["key"])["locate"][0]
            position = int(at["hash"], 16)
            inside = after < position <= upto if after < upto else position > after or position <= upto
            self.assertTrue(inside)
            self.assertEqual(at["owners"], d["owners_first"])
            self.assertEqual(answer("locate", two, d["key"])["locate"][0]["owners"], d["owners_second"])
            self.assertNotEqual(d["owners_first"], d["owners_second"])


if __name__ == "__main__":
    unittest.main()
