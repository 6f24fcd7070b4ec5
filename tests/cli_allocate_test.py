"""allocate: where the joiner stands, what is refused, and tokens that go back in as they came out."""

import os
import pathlib
import tempfile
import unittest

from support.cli import RING, answer, run

HOSTS = """arcwise: 1
cluster: boxes
placement: {{recipe: cassandra-murmur3}}
replicas: {{count: 3, across: {across}}}
nodes:
"""


def boxes(across):
    """Three machines or racks with two nodes each, at even tokens."""
    step = 2**64 // 48
    text = HOSTS.format(across=across)
    for n in range(6):
        tokens = ", ".join(f'"{(i * 6 + n) * step:016x}"' for i in range(8))
        port = 9000 + n // 3
        text += (f"  - {{name: h{n % 3}p{n // 3}, address: 10.0.0.{n % 3}:{port}, rack: r{n % 3}, zone: dc1, "
                 f"tokens: [{tokens}]}}\n")
    return text.encode()


class Place(unittest.TestCase):
    def test_hosts_are_told_apart_as_racks_are(self):
        words = ["--node", "n", "--address", "10.0.0.0:9002"]
        hosts = answer("allocate", "-", *words, stdin=boxes("host"))
        racks = answer("allocate", "-", *words, "--rack", "r0", "--zone", "dc1", stdin=boxes("rack"))
        self.assertEqual(hosts["tokens"], racks["tokens"])
        named = answer("allocate", "-", "--node", "n", "--host", "10.0.0.0", stdin=boxes("host"))
        self.assertEqual(named["tokens"], hosts["tokens"])
        other = answer("allocate", "-", "--node", "n", "--host", "elsewhere", stdin=boxes("host"))
        self.assertNotEqual(other["tokens"], hosts["tokens"])

    def test_a_zone_left_out_is_the_only_one(self):
        whole = answer("allocate", RING, "--node", "x", "--rack", "rack2", "--zone", "dc1")
        taken = answer("allocate", RING, "--node", "x", "--rack", "rack2")
        self.assertEqual(taken["tokens"], whole["tokens"])
        self.assertEqual([w["rule"] for w in taken["warnings"]], ["zone-taken"])
        moved = [answer("plan", RING, "--add", f"x,rack=rack2{zone}")["transfers"] for zone in ("", ",zone=dc1")]
        self.assertEqual(moved[0], moved[1])

    def test_a_rack_of_one_zone_names_its_zone_and_one_of_several_must_be_told(self):
        two = boxes("rack").replace(b"rack: r1, zone: dc1", b"rack: r1, zone: dc2")
        found = answer("plan", "-", "--add", "x,rack=r1", stdin=two)["warnings"]
        self.assertIn("taken as 'dc2'", [w["message"] for w in found if w["rule"] == "zone-taken"][0])
        for words in (["plan", "-", "--add", "x,rack=r7"], ["allocate", "-", "--node", "x", "--rack", "r7"]):
            done = run(*words, stdin=two)
            self.assertEqual(done.returncode, 2)
            self.assertIn(b"dc1, dc2", done.stderr)

    def test_a_new_rack_is_warned_of(self):
        for words in (["allocate", RING, "--node", "x", "--rack", "rack9"], ["plan", RING, "--add", "x,rack=rack9"]):
            self.assertIn("new-rack", [w["rule"] for w in answer(*words)["warnings"]])

    def test_a_zone_that_holds_no_copy_is_refused(self):
        zones = boxes("rack").replace(b"{count: 3, across: rack}", b"{per_zone: {dc1: 3}, across: rack}")
        for words in (["allocate", "-", "--node", "x", "--rack", "r0", "--zone", "z3"],
                      ["plan", "-", "--add", "x,rack=r0,zone=z3"]):
            done = run(*words, stdin=zones)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn(b"there are: dc1", done.stderr)


class Refused(unittest.TestCase):
    def test_another_number_of_tokens_is_refused_as_in_plan(self):
        with tempfile.TemporaryDirectory() as folder:
            after = os.path.join(folder, "after.yaml")
            words = ["allocate", RING, "--node", "x", "--rack", "rack2", "--zone", "dc1", "--tokens", "8"]
            done = run(*words, "--write-map", after)
            self.assertEqual(done.returncode, 4)
            self.assertIn(b"another number of tokens, 8 where its peers have 16", done.stderr)
            self.assertIn(b"nodetool rebuild -- dc1", done.stdout)
            self.assertFalse(os.path.exists(after))
            self.assertEqual(answer(*words, code=4)["refused"], "token-count")
        answer("allocate", RING, "--node", "x", "--rack", "r1", "--zone", "dc9", "--tokens", "8")

    def test_an_empty_value_is_no_guard(self):
        for words in (["allocate", RING, "--node", "x", "--rack", "rack2", "--fingerprint", ""],
                      ["plan", RING, "--remove", "10.1.1.11", "-f", ""], ["plan", RING, "--to", ""],
                      ["plan", RING, "--verify", "", "--remove", "10.1.1.11"]):
            done = run(*words)
            self.assertEqual((done.returncode, done.stdout), (2, b""), words)
            self.assertIn(b"its value is empty", done.stderr)

    def test_options_that_would_be_ignored_are_named(self):
        racks, twins = ["--racks", "5,3,4"], [RING, "--bisect", "b"]
        for words in ([*racks, "--algorithm", "random"], [*racks, "--algorithm", "cassandra"],
                      [*racks, "--fingerprint", "0c7fa905158428af"], [*racks, "--epoch", "1"],
                      [*racks, "--zone", "z"], [*twins, "--tokens", "3"], [*twins, "--algorithm", "random"],
                      [*twins, "--rack", "r"], [*twins, "--will-grow"]):
            done = run("allocate", *words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(words[2], done.stderr.decode())
            self.assertIn("--racks" if words[0] == "--racks" else "--bisect", done.stderr.decode())


class Tokens(unittest.TestCase):
    def test_allocated_tokens_go_into_plan_as_they_are_printed(self):
        with tempfile.TemporaryDirectory() as folder:
            one, two = (os.path.join(folder, name) for name in ("one.yaml", "two.yaml"))
            words = ["--node", "x", "--rack", "rack2", "--zone", "dc1", "--write-map", one]
            tokens = answer("allocate", RING, *words)["tokens"]
            self.assertTrue(any(int(t) < 0 for t in tokens))
            answer("plan", RING, "--add", "x,rack=rack2,zone=dc1,tokens=" + ";".join(tokens), "--write-map", two)
            self.assertEqual(pathlib.Path(one).read_text(), pathlib.Path(two).read_text())
            hexes = ";".join(f"0x{int(t) % 2**64:016x}" for t in tokens)
            answer("plan", RING, "--add", "x,rack=rack2,zone=dc1,tokens=" + hexes, "--write-map", two)
            self.assertEqual(pathlib.Path(one).read_text(), pathlib.Path(two).read_text())

    def test_digits_alone_are_decimal_where_the_system_writes_decimals(self):
        a = answer("plan", RING, "--retoken", "10.1.1.11")["retoken"]["tokens"]
        with tempfile.TemporaryDirectory() as folder:
            after = pathlib.Path(folder, "after.yaml")
            tokens = ["1234567890123456", *a[1:]]
            answer("plan", RING, "--add", "x,rack=rack1,zone=dc1,tokens=" + ";".join(tokens), "--write-map", str(after))
            self.assertIn(f"{1234567890123456:016x}", after.read_text())
        done = run("plan", RING, "--add", "x,rack=rack1,zone=dc1,tokens=9223372036854775808")
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"from -9223372036854775808 to 9223372036854775807", done.stderr)


if __name__ == "__main__":
    unittest.main()
