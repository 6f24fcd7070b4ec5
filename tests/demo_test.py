"""The demo ends by itself, shows each command before its answer, and leaves well-formed pictures and plans."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as xml

SOURCE = pathlib.Path(os.environ.get("ARCWISE_SOURCE") or pathlib.Path(__file__).resolve().parent.parent)
ARCWISE = os.environ.get("ARCWISE") or str(SOURCE / "build/bin/arcwise")


class Demo(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.done = subprocess.run(["bash", str(SOURCE / "examples/demo.sh"), "--once"], cwd=cls.folder.name,
                                  env={**os.environ, "ARCWISE": ARCWISE}, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, timeout=600)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def commands(self):
        return re.findall(r"^\$ arcwise (\w+) (\S+)", self.done.stdout, re.MULTILINE)

    def test_it_ends_well(self):
        self.assertEqual(self.done.returncode, 0, self.done.stderr)

    def test_three_inputs_are_judged_weighed_planned_and_drawn(self):
        shown = self.commands()
        for verb in ("status", "risk", "plan"):
            self.assertEqual([where for v, where in shown if v == verb],
                             ["nutcracker.yml", "nodetool-ring.txt", "cluster-nodes.txt"], verb)
        self.assertEqual(len([v for v, _ in shown if v == "draw"]), 6)

    def test_it_says_what_is_the_matter(self):
        self.assertIn("sessions: healthy", self.done.stdout)
        self.assertIn("nodetool-ring.txt: needs attention: its data is uneven", self.done.stdout)
        self.assertIn("cluster-nodes.txt: healthy", self.done.stdout)
        self.assertIn("key space, not of traffic", self.done.stdout)

    def test_pictures_before_and_after(self):
        for name in ("nutcracker", "nodetool-ring", "cluster-nodes"):
            roots = [xml.parse(os.path.join(self.folder.name, "out", f"{name}-{when}.svg")).getroot()
                     for when in ("before", "after")]
            texts = ["".join(root.itertext()) for root in roots]
            self.assertNotEqual(texts[0], texts[1])

    def test_plans_move_keys_to_the_new_node(self):
        for name, joiner in (("nutcracker", "cache-f"), ("nodetool-ring", "10.1.1.13")):
            path = pathlib.Path(self.folder.name, "out", f"{name}-plan.json")
            plan = json.loads(path.read_text(encoding="utf-8"))
            self.assertIn(joiner, {t["to"] for t in plan["transfers"]})
            self.assertGreater(plan["cost"]["seconds"], 0)


if __name__ == "__main__":
    unittest.main()
