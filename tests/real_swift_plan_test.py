#!/usr/bin/env python3
"""Swift's own RingBuilder takes a new device in; so does `arcwise plan`, in one pass, with the fewest copies moved."""
# Plain build only: it starts the binary for its answers alone.
import collections
import json
import os
import re
import sys
import unittest
import warnings

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from compared import python_module  # noqa: E402
from servers import Processes  # noqa: E402
from support.cli import answer  # noqa: E402

PASSES = 3


class SwiftPlan(unittest.TestCase):
    def setUp(self):
        self.processes = Processes().__enter__()
        self.addCleanup(self.processes.__exit__)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the libraries it loads
            self.swift = python_module("swift.common.ring")

    def device(self, number, zones, weight=100):
        return {"id": number, "region": 1, "zone": number % zones + 1, "ip": f"127.0.1.{number // zones // 5 * zones + number % zones + 1}", "port": 6200,
                "device": f"sd{number}", "weight": weight, "meta": ""}

    def rows(self, builder):
        return [list(row) for row in builder.get_ring().to_dict()["replica2part2dev_id"]]

    def compare(self, power, devices, zones, weight=100):
        builder = self.swift.RingBuilder(power, 3, 0)
        for number in range(devices):
            builder.add_dev(self.device(number, zones))
        builder.rebalance(seed="7")
        path = os.path.join(self.processes.folder, "before.ring.gz")
        builder.get_ring().save(path)
        new = self.device(devices, zones, weight)
        builder.add_dev(new)
        moved, before = 0, self.rows(builder)
        for number in range(PASSES):
            builder.rebalance(seed=str(8 + number))
            after = self.rows(builder)
            moved += sum(a != b for old, now in zip(before, after) for a, b in zip(old, now))
            before = after
        written = os.path.join(self.processes.folder, "after.yaml")
        plan = answer("plan", path, "--add", f"d{devices},zone=r1,rack=z{new['zone']},host={new['ip']},weight={weight}", "--write-map", written)
        said = next(w["message"] for w in plan["warnings"] if w["rule"] == "parts-moved")
        mine, least = map(int, re.match(r"(\d+) of \d+ copies move, and (\d+) is the proven least", said).groups())
        print(f"2^{power} partitions, {devices} devices in {zones} zones, one more of weight {weight}: arcwise moves {mine}, RingBuilder {moved} in "
              f"{PASSES} passes, dispersion {builder.dispersion:.2f}, balance {builder.get_balance():.2f}")
        self.assertEqual(mine, least)
        self.assertEqual(round(plan["moved_share"] * 2 ** power), mine)
        self.dispersed(written, power, zones)
        return mine, moved

    def dispersed(self, path, power, zones):
        """Copies lie in as many zones and on as many servers as can be, and devices hold their share rounded."""
        held = collections.Counter()
        for row in answer("ranges", path)["ranges"]:
            parts = round(row["share"] * 2 ** power)
            for owner in row["owners"]:
                held[owner] += parts
            self.assertEqual(len(set(row["racks"])), min(zones, 3))
            self.assertEqual(len(set(row["hosts"])), 3)
        self.assertEqual(sum(held.values()), 3 * 2 ** power)

    def test_more_zones_than_copies(self):
        mine, moved = self.compare(12, 100, 5)
        self.assertLess(mine, 0.8 * moved)

    def test_as_many_zones_as_copies(self):
        mine, moved = self.compare(12, 99, 3)
        self.assertLessEqual(mine, moved)

    def test_a_zone_that_can_hold_no_second_copy(self):
        mine, moved = self.compare(10, 6, 3)
        self.assertLessEqual(mine, moved)

    def test_one_of_twice_the_weight(self):
        mine, moved = self.compare(12, 100, 5, 200)
        self.assertLess(mine, moved)


if __name__ == "__main__":
    unittest.main()
