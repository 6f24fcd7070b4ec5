"""The command line as scripts meet it: exit codes, JSON keys, errors, streams, files."""

import json
import os
import pathlib
import pty
import re
import resource
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as xml

SOURCE = pathlib.Path(os.environ.get("ARCWISE_SOURCE") or pathlib.Path(__file__).resolve().parent.parent)
ARCWISE = os.environ.get("ARCWISE") or str(SOURCE / "build/bin/arcwise")
EXAMPLES = SOURCE / "examples"
CARTS = str(EXAMPLES / "carts.yaml")
RING = str(EXAMPLES / "nodetool-ring.txt")
SLOTS = str(EXAMPLES / "cluster-nodes.txt")
SANITIZED = "sanitize" in subprocess.run(["nm", "-D", ARCWISE], capture_output=True, text=True).stdout or \
    "asan" in subprocess.run(["ldd", ARCWISE], capture_output=True, text=True).stdout

SMALL = """arcwise: 1
cluster: small
epoch: 3
placement: {recipe: ring, tokens: 8}
replicas: {count: 2}
nodes: [{name: a}, {name: b}, {name: c}]
"""


def run(*words, stdin=b"", env=None, **more):
    return subprocess.run([ARCWISE, *words], input=stdin, capture_output=True, timeout=300,
                          env={**os.environ, **(env or {})}, **more)


def answer(*words, code=0, **more):
    """The JSON that a command prints."""
    done = run(*words, "--json", **more)
    assert done.returncode == code, (words, done.returncode, done.stderr.decode())
    return json.loads(done.stdout)


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


class ExitCodes(unittest.TestCase):
    def code(self, *words, **more):
        return run(*words, **more).returncode

    def test_fine(self):
        for words in (["status", CARTS], ["--help"], ["help"], ["help", "plan"], ["locate", "--help"], ["version"],
                      ["--version"], ["recipes"], ["check", "--rules"], ["fingerprint", CARTS, CARTS, "--agree"],
                      ["diff", CARTS, CARTS], ["status", RING], ["risk", SLOTS]):
            self.assertEqual(self.code(*words), 0, words)

    def test_a_finding_is_1(self):
        self.assertEqual(self.code("diff", CARTS, CARTS, "--replicas", "3", "--across", "node"), 0)
        self.assertEqual(self.code("fingerprint", CARTS, RING, "--agree"), 1)
        self.assertEqual(self.code("check", CARTS, "--replicas", "5"), 1)

    def test_usage_and_input_are_2_with_one_line(self):
        for words, said in ((["stauts", CARTS], "did you mean status?"),
                            (["status"], "MAP is missing"),
                            (["status", CARTS, "--bogus"], "--bogus"),
                            (["status", CARTS, "--sede", "1"], "did you mean --seed?"),
                            (["status", CARTS, "--replicas", "0"], "--replicas"),
                            (["status", CARTS, "--replicas", "three"], "three"),
                            (["status", CARTS, "--across", "row"], "node, host, rack or zone"),
                            (["status", CARTS, "--from", "riak"], "nutcracker"),
                            (["status", CARTS, "--seed"], "--seed"),
                            (["diff", CARTS], "B is missing"),
                            (["diff", CARTS, CARTS, CARTS], "one argument too many"),
                            (["diff", "-", "-"], "only once"),
                            (["locate", CARTS], "no key is given"),
                            (["locate", "-", "--keys", "-"], "standard input"),
                            (["risk", CARTS, "--down", "cache-99"], "no such node"),
                            (["risk", CARTS, "--level", "most"], "quorum, one, all or a number"),
                            (["allocate", CARTS], "one of --node, --bisect and --racks"),
                            (["allocate", "--node", "x"], "MAP is missing"),
                            (["allocate", CARTS, "--racks", "3,3"], "takes no map"),
                            (["allocate", "--racks", "3,x"], "3,3,3"),
                            (["allocate", CARTS, "--node", "x", "--tokens", "2000"], "1 to 1,536"),
                            (["allocate", CARTS, "--node", "x", "--weight", "0"], "a number above 0"),
                            (["allocate", CARTS, "--node", "x", "--extra-movement", "x%"], "10% or 0.1"),
                            (["plan", CARTS], "no change is given"),
                            (["plan", CARTS, "--add", "x,shelf=3"], "unknown field 'shelf'"),
                            (["plan", CARTS, "--weight", "cache-1=heavy"], "NAME=WEIGHT"),
                            (["plan", CARTS, "--remove", "nobody"], "nobody"),
                            (["plan", CARTS, "--add", "x,rack=r1", "--data", "many"], "24TB"),
                            (["plan", CARTS, "--add", "x,rack=r1", "--utilisation", "160%"], "60%"),
                            (["plan", CARTS, "--add", "x", "--to", RING], "exclude each other"),
                            (["risk", CARTS, "--down", "cache-1,"], '"cache-1,"'),
                            (["risk", CARTS, "--down", ",cache-1"], "a name is missing"),
                            (["risk", CARTS, "--down"], "--down: its value is missing; write --down NODE"),
                            (["draw", CARTS, "--kind"], "write --kind ring, for example"),
                            (["import", CARTS, "-o"], "--output: its value is missing; write --output FILE"),
                            (["fingerprint", CARTS, "--agree"], "two maps"),
                            (["simulate"], "balance, join or growth"),
                            (["simulate", "bogus", "--help"], "balance, join or growth"),
                            (["simulate", "balance", "--nodes", "3"], "--tokens is missing"),
                            (["simulate", "growth", "--racks", "2"], "--racks is 1, or the replica count"),
                            (["simulate", "growth", "--nodes", "20", "--stale-join", "20"], "--stale-join"),
                            (["simulate", "balance", "--nodes", "3", "--tokens", "1,,2"], "whole numbers"),
                            (["simulate", "join", "--nodes", "999999999", "--tokens", "1000000"], "too much"),
                            (["draw", CARTS, "--kind", "pie"], "ring, ownership or both"),
                            (["completion", "tcsh"], "bash, zsh or fish"),
                            (["--bogus"], "unknown option")):
            done = run(*words)
            error = done.stderr.decode()
            self.assertEqual(done.returncode, 2, (words, error))
            self.assertEqual(done.stdout, b"", words)
            self.assertIn(said, error, words)
            self.assertEqual(error.count("\n"), 1, (words, error))
            self.assertTrue(error.startswith("arcwise"), error)

    def test_no_arguments_show_help_and_2(self):
        done = run()
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertIn(b"usage: arcwise", done.stderr)

    def test_missing_files_and_unwritable_ones_are_3(self):
        self.assertEqual(self.code("status", "/nonexistent.yaml"), 3)
        self.assertEqual(self.code("locate", CARTS, "--keys", "/nonexistent"), 3)
        self.assertEqual(self.code("draw", CARTS, "-o", "/nonexistent/a.svg"), 3)

    def test_a_plan_that_changes_nothing_is_refused_with_4(self):
        for words in (["--to", CARTS], ["--weight", "cache-1=1"]):
            done = run("plan", CARTS, *words)
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertIn(b"would change nothing", done.stderr)

    def test_a_weight_that_moves_nothing_because_tokens_are_given_is_refused_with_4(self):
        done = run("plan", RING, "--weight", "10.1.1.11=2")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn(b"another weight moves no key here", done.stderr)


class Errors(unittest.TestCase):
    def error(self, *words, **more):
        done = run(*words, "--json", **more)
        self.assertEqual(done.stdout, b"")
        said = json.loads(done.stderr)
        self.assertEqual(said["schema"], "arcwise/error/v1")
        self.assertEqual(set(said["error"]), {"file", "line", "column", "what", "why", "advice", "kind"})
        return done.returncode, said["error"]

    def test_error_names_the_place(self):
        bad = SMALL.replace("tokens: 8", "tokens: many").encode()
        code, e = self.error("status", "-", stdin=bad)
        self.assertEqual((code, e["kind"], e["file"], e["line"], e["what"]), (2, "input", "<stdin>", 4, "many"))
        text = run("status", "-", stdin=bad).stderr.decode()
        self.assertIn(f"<stdin>:4:{e['column']}:", text)

    def test_kinds(self):
        self.assertEqual(self.error("status", "/nonexistent")[1]["kind"], "io")
        self.assertEqual(self.error("status")[1]["kind"], "input")
        self.assertEqual(self.error("nonsense")[1]["kind"], "input")
        self.assertEqual(self.error("plan", CARTS, "--to", CARTS)[1]["kind"], "refused")

    def test_control_characters_do_not_reach_the_terminal(self):
        done = run("status", "\x1b[31mred")
        self.assertNotIn(b"\x1b[31m", done.stderr)


class Input(unittest.TestCase):
    def test_map_from_standard_input(self):
        from_file = run("status", CARTS).stdout
        self.assertEqual(run("status", "-", stdin=pathlib.Path(CARTS).read_bytes()).stdout, from_file)

    def test_imported_map_places_alike(self):
        for words in ([RING], [SLOTS], [str(EXAMPLES / "nutcracker.yml"), "--pool", "sessions"]):
            native = run("import", *words).stdout
            self.assertEqual(answer("fingerprint", "-", stdin=native)["fingerprint"],
                             answer("fingerprint", *words)["fingerprint"])

    def test_importing_twice_gives_the_same_bytes(self):
        once = run("import", RING).stdout
        self.assertTrue(once.startswith(b"# Imported from nodetool-ring: "), once[:80])
        twice = run("import", "-", stdin=once).stdout
        self.assertEqual(twice, once.split(b"\n", 1)[1])
        self.assertEqual(run("import", "-", stdin=twice).stdout, twice)

    def test_racks_that_no_node_names_are_not_counted(self):
        text = SMALL.replace("{count: 2}", "{per_zone: {eu: 2, us: 1}}").replace("}, {", ", zone: eu}, {")
        heading = run("status", "-", stdin=text.replace("name: c", "name: c, zone: us").encode()).stdout.decode()
        self.assertIn("2 zones, 24 ring entries, 2 copies in eu and 1 in us;", heading)

    def test_several_files_of_one_cluster(self):
        samples = SOURCE / "testdata/samples/cassandra"
        ring, status = str(samples / "nodetool-ring-vnodes.txt"), str(samples / "nodetool-status-effective.txt")
        self.assertEqual(run("ownership", ring, status).stdout, run("ownership", ring, "--with", status).stdout)
        self.assertEqual(run("ownership", ring, "--from", "nodetool-ring", "--with", status).stdout,
                         run("ownership", ring, "--with", status).stdout)

    def test_outputs_that_are_not_read_say_what_to_bring(self):
        done = run("status", str(SOURCE / "testdata/samples/unsupported/cluster-info.txt"))
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertIn(b"this is the output of CLUSTER INFO", done.stderr)
        self.assertIn(b"CLUSTER NODES", done.stderr)


class Streams(unittest.TestCase):
    def test_keys_are_bytes(self):
        keys = b"plain\nwith tab\there\n\nnul\0inside\nreturn\r\n\xff\xfe\nno newline at the end"
        done = run("locate", CARTS, "--keys", "-", stdin=keys)
        self.assertEqual(done.returncode, 0)
        printed = [line.rsplit(b"\t", 1)[0] for line in done.stdout.split(b"\n")[:-1]]
        self.assertEqual(printed, keys.replace(b"with tab\there", b'"with tab\\u0009here"').split(b"\n"))
        self.assertIn(b"carriage return", done.stderr)
        found = answer("locate", CARTS, "--keys", "-", stdin=keys)["locate"]
        self.assertEqual(found[3]["key"], "nul\0inside")
        self.assertEqual(found[5]["key_hex"], "fffe")

    def test_a_record_is_one_line_of_two_fields(self):
        done = run("locate", CARTS, "a\nb", 'say "x"', "1,2", b"\xff,\xfe", "plain")
        keys = [line.split(b"\t")[0] for line in done.stdout.splitlines()]
        self.assertEqual(keys, [b'"a\\u000ab"', b'"say \\"x\\""', b'"1,2"', b'"\xff,\xfe"', b"plain"])

    def test_a_file_of_keys_answers_as_arguments_do(self):
        keys = [f"user:{i}" for i in range(500)]
        by_argument = run("locate", CARTS, *keys).stdout
        self.assertEqual(run("locate", CARTS, "--keys", "-", stdin="\n".join(keys).encode()).stdout, by_argument)

    def test_long_keys_and_block_borders(self):
        keys = [b"x" * n for n in (0, 1, 262143, 262144, 262145, 1_000_000)] + [b"end"]
        done = run("locate", CARTS, "--keys", "-", stdin=b"\n".join(keys))
        self.assertEqual([line.split(b"\t")[0] for line in done.stdout.split(b"\n")[:-1]], keys)

    @unittest.skipIf(SANITIZED, "shadow memory is counted with the program's own")
    def test_memory_does_not_grow_with_the_keys(self):
        with tempfile.TemporaryDirectory() as folder:
            keys = os.path.join(folder, "keys")
            with open(keys, "w", encoding="ascii") as file:
                for i in range(2_000_000):
                    file.write(f"user:{i:07d}:profile\n")
            script = ("import resource, subprocess, sys\n"
                      "subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)\n"
                      "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n")
            for json_flag in ([], ["--json"]):
                kilobytes = int(subprocess.run(["python3", "-c", script, ARCWISE, "locate", CARTS, "--keys", keys,
                                                *json_flag], capture_output=True, check=True).stdout)
                self.assertLess(kilobytes, 32 * 1024)

    def test_a_reader_that_leaves_ends_the_program_quietly(self):
        for words in (["ranges", CARTS], ["locate", CARTS, "--keys", "-"], ["draw", CARTS], ["--help"]):
            read, write = os.pipe()
            os.close(read)
            done = subprocess.run([ARCWISE, *words], input=b"key\n" * 500_000 if "--keys" in words else b"",
                                  stdout=write, stderr=subprocess.PIPE, timeout=60)
            os.close(write)
            self.assertEqual((done.returncode, done.stderr), (3, b""), words)

    def test_a_full_disk_is_3(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([ARCWISE, "ranges", CARTS], stdout=full, stderr=subprocess.PIPE, timeout=60)
        self.assertEqual(done.returncode, 3)
        self.assertIn(b"No space left", done.stderr)


class Colour(unittest.TestCase):
    def on_terminal(self, **env):
        leader, follower = pty.openpty()
        program = subprocess.Popen([ARCWISE, "status", CARTS], stdout=follower, stderr=follower,
                                   env={"PATH": os.environ["PATH"], "TERM": "xterm", **env})
        os.close(follower)
        out = b""
        while True:
            try:
                piece = os.read(leader, 65536)
            except OSError:
                break
            if not piece:
                break
            out += piece
        os.close(leader)
        self.assertEqual(program.wait(timeout=60), 0)
        return out

    def test_only_on_a_terminal_and_not_with_no_color(self):
        self.assertIn(b"\x1b[", self.on_terminal())
        self.assertNotIn(b"\x1b[", self.on_terminal(NO_COLOR="1"))
        self.assertNotIn(b"\x1b[", run("status", CARTS).stdout)

    def test_colour_changes_no_text(self):
        coloured = self.on_terminal().replace(b"\r\n", b"\n")
        self.assertEqual(re.sub(rb"\x1b\[\d*m", b"", coloured), run("status", CARTS).stdout)


class Seeds(unittest.TestCase):
    def test_same_seed_same_answer(self):
        for words in (["status", CARTS], ["simulate", "join", "--nodes", "5", "--tokens", "2"]):
            self.assertEqual(run(*words, "--seed", "4").stdout, run(*words, "--seed", "4").stdout)
            self.assertNotEqual(run(*words, "--seed", "4").stdout, run(*words, "--seed", "5").stdout)
            self.assertIn(b"seed 4", run(*words, "--seed", "4").stdout)


class Down(unittest.TestCase):
    def test_masked_nodes_are_skipped_by_locate_and_explain(self):
        before = answer("locate", CARTS, "k1")["locate"][0]["owners"]
        after = answer("locate", CARTS, "k1", "--down", before[0])["locate"][0]["owners"]
        self.assertNotIn(before[0], after)
        self.assertLessEqual(set(before[1:]), set(after))  # the other racks keep their copies
        explained = answer("explain", CARTS, "k1", "--down", before[0])
        self.assertEqual(explained["owners"], after)

    def test_names_with_commas_are_told_from_lists(self):
        nodes = "nodes: [{name: a}, {name: 'b,c'}, {name: d}, {name: 'a,d'}]"
        odd = SMALL.replace("nodes: [{name: a}, {name: b}, {name: c}]", nodes).encode()
        for given, down in (("b,c", ["b,c"]), ('"b,c"', ["b,c"]), ('a,"b,c"', ["a", "b,c"]), ('"a,d"', ["a,d"])):
            self.assertEqual(answer("risk", "-", "--down", given, stdin=odd)["down"], down, given)
        done = run("risk", "-", "--down", "a,d", stdin=odd)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"one node's name, and a list of others", done.stderr)
        owners = {f for line in run("locate", "-", *map(str, range(40)), stdin=odd).stdout.decode().splitlines()
                  for f in re.findall(r'"[^"]*"|[^,]+', line.split("\t")[1])}
        self.assertEqual(owners, {"a", '"b,c"', "d", '"a,d"'})

    def test_nodes_may_be_named_by_address(self):
        self.assertEqual(answer("risk", CARTS, "--down", "10.0.1.11:11211")["down"], ["cache-1"])


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def test_drawing_is_well_formed(self):
        odd = SMALL.replace("name: a", "name: 'a<b>&\"é'").encode()
        for kind in ("ring", "ownership", "both"):
            for stdin in (odd, pathlib.Path(RING).read_bytes(), pathlib.Path(SLOTS).read_bytes()):
                root = xml.fromstring(run("draw", "-", "--kind", kind, stdin=stdin).stdout)
                self.assertEqual(root.tag, "{http://www.w3.org/2000/svg}svg")
                self.assertTrue(root.find("{http://www.w3.org/2000/svg}title").text)
        self.assertIn('a<b>&"é', "".join(xml.fromstring(run("draw", "-", stdin=odd).stdout).itertext()))

    def test_large_rings_stay_small_pictures(self):
        nodes = ", ".join(f"{{name: n{i}}}" for i in range(200))
        text = f"arcwise: 1\nplacement: {{recipe: ring, tokens: 256}}\nreplicas: {{count: 3}}\nnodes: [{nodes}]\n"
        svg = run("draw", "-", stdin=text.encode()).stdout
        xml.fromstring(svg)
        self.assertLess(len(svg), 1_000_000)

    def test_written_files_replace_whole_files(self):
        path = os.path.join(self.folder, "a.svg")
        pathlib.Path(path).write_text("old")
        os.chmod(path, 0o640)
        self.assertEqual(run("draw", CARTS, "-o", path).returncode, 0)
        xml.parse(path)
        self.assertEqual(os.stat(path).st_mode & 0o777, 0o640)
        self.assertEqual(os.listdir(self.folder), ["a.svg"])

    def test_a_failed_write_leaves_the_old_file(self):
        path = os.path.join(self.folder, "plan.json")
        pathlib.Path(path).write_text("old")
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        done = run("plan", CARTS, "--remove", "cache-1", "-f", path, preexec_fn=limit)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual(pathlib.Path(path).read_text(), "old")
        self.assertEqual(os.listdir(self.folder), ["plan.json"])

    def test_plan_writes_the_map_that_it_plans(self):
        path = os.path.join(self.folder, "after.yaml")
        p = answer("plan", CARTS, "--replace", "cache-1=cache-x,address=10.9.9.9:11211,rack=r1", "--weight",
                   "cache-2=2", "--write-map", path)
        self.assertEqual(answer("fingerprint", path)["fingerprint"], p["after"])


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


class Completion(unittest.TestCase):
    def script(self, shell):
        done = run("completion", shell)
        self.assertEqual(done.returncode, 0)
        return done.stdout.decode()

    def test_bash_accepts_it_and_completes(self):
        script = self.script("bash")
        subprocess.run(["bash", "-n"], input=script.encode(), check=True)

        def complete(*words):
            line = script + "COMP_WORDS=(" + " ".join(f"'{w}'" for w in words) + "); COMP_CWORD=$((${#COMP_WORDS[@]}-1)); " \
                "_arcwise; printf '%s\\n' \"${COMPREPLY[@]}\""
            return subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=True).stdout.split()

        self.assertEqual(complete("arcwise", "fing"), ["fingerprint"])
        self.assertEqual(complete("arcwise", "simulate", "ba"), ["balance"])
        self.assertEqual(complete("arcwise", "plan", "--node"), ["--node-bandwidth"])
        self.assertEqual(complete("arcwise", "simulate", "join", "--tr"), ["--trials"])
        self.assertEqual(complete("arcwise", "status", "--across", "r"), ["rack"])
        self.assertEqual(complete("arcwise", "completion", "z"), ["zsh"])

    def test_other_shells_accept_theirs(self):
        for shell in ("zsh", "fish"):
            script = self.script(shell)
            self.assertIn("fingerprint", script)
            self.assertIn("joiner-bandwidth", script)
            if shutil.which(shell):
                subprocess.run([shell, "-n"], input=script.encode(), check=True)

    def test_every_verb_of_help_is_completed(self):
        verbs = re.findall(r"^  (\w+)", run("--help").stdout.decode(), re.MULTILINE)
        self.assertGreater(len(set(verbs)), 12)
        for shell in ("bash", "zsh", "fish"):
            script = self.script(shell)
            for verb in verbs:
                self.assertIn(verb, script)


class Help(unittest.TestCase):
    def test_a_word_that_starts_two_verbs_explains_both(self):
        done = run("simulate", "--help")
        self.assertEqual(done.returncode, 0, done.stderr)
        for verb in ("balance", "join"):
            self.assertIn(run("simulate", verb, "--help").stdout, done.stdout)
        self.assertEqual(run("help", "simulate").stdout, done.stdout)

    def test_every_verb_explains_itself(self):
        for name in re.findall(r"^  (\w+(?: \w+)?)  ", run("--help").stdout.decode(), re.MULTILINE):
            done = run(*name.split(), "--help")
            self.assertEqual(done.returncode, 0, name)
            text = done.stdout.decode()
            self.assertIn(f"usage: arcwise {name}", text)
            for line in text.splitlines():
                self.assertLessEqual(len(line), 120, line)


if __name__ == "__main__":
    unittest.main()
