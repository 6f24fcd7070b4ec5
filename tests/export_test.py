"""Exported configurations, asked of the programs that read them: `nutcracker -t`, `nginx -t`, `haproxy -c`.

A configuration that parses need not place keys alike, so each also reads back to the map's own fingerprint; whether
the programs then answer as the map does is asked by the tests of real programs.
"""
# Plain build only: it starts other programs, which need no second pass.

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

ARCWISE = os.environ["ARCWISE"]

MAPS = {
    "nutcracker": [
        "placement: {recipe: twemproxy-ketama, hash: md5_ketama, hash_tag: \"{}\"}\nnodes:\n"
        "  - {name: \"10.0.0.1:11211\", weight: 2}\n  - {name: shard-2, address: \"10.0.0.2:11300\"}\n"
        "  - {name: \"/tmp/a.sock\"}\n  - {name: \"::1:24001\", address: \"[::1]:24001\"}\n",
        "placement: {recipe: twemproxy-modula, hash: crc32}\nnodes:\n  - {name: \"b:1\"}\n  - {name: \"a:1\"}\n",
    ],
    "nginx": [
        "placement: {recipe: nginx-consistent}\nnodes:\n  - {name: \"10.0.0.1:8080\", weight: 3}\n"
        "  - {name: \"[2001:db8::1]:80\"}\n  - {name: \"unix:/tmp/a.sock\"}\n  - {name: \"10.0.0.2\"}\n",
        "placement: {recipe: nginx-hash}\nnodes:\n  - {name: a, address: \"10.0.0.1:8080\", weight: 2}\n"
        "  - {name: b, address: /tmp/b.sock}\n",
    ],
    "haproxy": [
        "placement: {recipe: haproxy-consistent, hash: wt6_avalanche}\nnodes:\n"
        "  - {name: web1, address: \"10.0.0.1:80\", bucket: 7}\n  - {name: web2, address: \"[::1]:80\", weight: 0}\n"
        "  - {name: web3, address: /tmp/c.sock, weight: 256}\n",
        "placement: {recipe: haproxy-map-based, settings: {balance: uri, uri_len: 20, uri_depth: 2}}\nnodes:\n"
        "  - {name: \"10.0.0.1:80\"}\n  - {name: \"10.0.0.2:80\", weight: 3}\n",
        "placement: {recipe: haproxy-consistent, settings: {balance: hash-src}}\nnodes:\n"
        "  - {name: \"10.0.0.1:80\"}\n",
    ],
}


def run(*words, text=None, check=True):
    done = subprocess.run(words, input=text, capture_output=True, text=True, timeout=120)
    if check and done.returncode:
        raise AssertionError(f"{words}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def check_nutcracker(path):
    run("nutcracker", "-t", "-c", path)


def check_nginx(path):
    folder = pathlib.Path(path).parent
    whole = folder / "nginx.conf"
    whole.write_text(f"events {{}}\npid {folder}/pid;\nhttp {{\n  access_log off;\n  include {path};\n}}\n")
    run("nginx", "-t", "-q", "-e", f"{folder}/errors", "-c", whole)


def check_haproxy(path):
    front = pathlib.Path(path).parent / "front.cfg"
    front.write_text("defaults\n  mode http\n  timeout client 1s\n  timeout server 1s\n  timeout connect 1s\n"
                     "frontend f\n  bind 127.0.0.1:1\n")
    run("haproxy", "-c", "-q", "-f", front, "-f", path)


CHECKS = {"nutcracker": check_nutcracker, "nginx": check_nginx, "haproxy": check_haproxy}


class Exports(unittest.TestCase):
    def fingerprint(self, path):
        return json.loads(run(ARCWISE, "fingerprint", path, "--json").stdout)["fingerprint"]

    def test_the_programs_take_what_is_written_for_them_and_it_reads_back_alike(self):
        for system, maps in MAPS.items():
            for number, text in enumerate(maps):
                with self.subTest(system=system, map=number), tempfile.TemporaryDirectory() as folder:
                    source, exported = pathlib.Path(folder, "map.yaml"), pathlib.Path(folder, f"{system}.out")
                    source.write_text(f"arcwise: 1\ncluster: carts {number}\n{text}")
                    run(ARCWISE, "export", source, "--to", system, "-o", exported)
                    CHECKS[system](exported)
                    again = pathlib.Path(folder, "again.yaml")
                    again.write_text(run(ARCWISE, "import", exported).stdout)
                    if "address: \"10.0.0.1:8080\"" not in text:  # there the name is not the address
                        self.assertEqual(self.fingerprint(source), self.fingerprint(again))

    def test_a_refusal_writes_nothing_and_exits_2(self):
        with tempfile.TemporaryDirectory() as folder:
            source, exported = pathlib.Path(folder, "map.yaml"), pathlib.Path(folder, "out")
            source.write_text("arcwise: 1\nplacement: {recipe: ring}\nnodes: [{name: a}]\n")
            done = run(ARCWISE, "export", source, "--to", "nginx", "-o", exported, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn("ring", done.stderr)
            self.assertFalse(exported.exists())

    def test_json_carries_the_text(self):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder, "map.yaml")
            source.write_text("arcwise: 1\nplacement: {recipe: nginx-hash}\nnodes: [{name: \"a:1\"}]\n")
            answer = json.loads(run(ARCWISE, "export", source, "--to", "nginx", "--json").stdout)
            self.assertEqual(answer["schema"], "arcwise/export/v1")
            self.assertEqual(answer["format"], "nginx")
            self.assertIn("upstream arcwise {", answer["text"])


if __name__ == "__main__":
    unittest.main()
