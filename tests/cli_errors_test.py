"""Exit codes, and one clear error for each fault."""

import json
import unittest

from support.cli import CARTS, RING, SLOTS, SMALL, run


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
                            (["allocate", CARTS, "--node", "x", "--weight", "0"], "a weight from"),
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


class Numbers(unittest.TestCase):
    REMOVE = ["plan", RING, "--remove", "10.1.1.12"]
    JOIN = ["allocate", RING, "--node", "x", "--rack", "rack2", "--zone", "dc1"]

    def test_numbers_beyond_their_limits_are_refused_and_the_limits_told(self):
        for words, said in (([*self.REMOVE, "--data", "1e308"], "from 1B to 1000EB"),
                            ([*self.REMOVE, "--node-bandwidth", "1e-300B/s"], "from 1B to 1000EB"),
                            ([*self.REMOVE, "--requests", "1e308/s"], "from 0.001 to 1e15"),
                            ([*self.REMOVE, "--min-age", "99999999d"], "from 0 to 11574d"),
                            ([*self.REMOVE, "--at-most", "99999999999999999999999"], "from 1 to 1000000000000"),
                            ([*self.JOIN, "--weight", "1e10"], "from 0.000000001 to 4294967295"),
                            ([*self.JOIN, "--weight", "0x10"], "from 0.000000001 to 4294967295"),
                            (["plan", CARTS, "--weight", "cache-1=0x10"], "from 0.000000001 to 4294967295"),
                            (["plan", CARTS, "--add", "x,weight=inf"], "from 0.000000001 to 4294967295"),
                            (["plan", CARTS, "--drain", "cache-1,by=0x1p-2"], "above 0 and at most 100%"),
                            (["check", CARTS, "--capacity-over", "1.5TB"], "from 1 to 1000000"),
                            ([*self.JOIN, "--extra-movement", "101%"], "from 0 to 100%")):
            done = run(*words)
            self.assertEqual((done.returncode, done.stdout), (2, b""), words)
            self.assertIn(said, done.stderr.decode())
        for size in ("1e308", "1e-308"):
            done = run("check", CARTS, "--capacity", "-", stdin=f"cache-1 {size}\n".encode())
            self.assertEqual(done.returncode, 2)
            self.assertIn(b"from 0.001 to 1000EB", done.stderr)

    def test_zero_and_a_space_before_the_unit_are_read_alike_everywhere(self):
        for words in ([*self.REMOVE, "--min-age", "0"], [*self.REMOVE, "--min-age", "10 min"],
                      [*self.REMOVE, "--data", "5 TB"], [*self.REMOVE, "--requests", "50 k/s"],
                      [*self.JOIN, "--extra-movement", "0"], [*self.JOIN, "--extra-movement", "10 %"],
                      ["plan", RING, "--retoken", "10.1.1.11", "--extra-movement", "0"]):
            done = run(*words)
            self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
