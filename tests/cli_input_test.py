"""What goes in: standard input, several files, streams of keys, nodes that are down."""

import os
import pathlib
import re
import resource
import subprocess
import tempfile
import unittest

from support.cli import SOURCE, ARCWISE, EXAMPLES, CARTS, RING, SLOTS, SANITIZED, SMALL, run, answer


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


if __name__ == "__main__":
    unittest.main()
