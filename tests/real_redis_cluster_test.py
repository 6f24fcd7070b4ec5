#!/usr/bin/env python3
"""A live Redis Cluster of six nodes: `arcwise plan` beside `redis-cli --cluster rebalance`, and a master that is killed."""
# Plain build only: it starts the binary for its answers alone.
import json
import math
import os
import random
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from servers import Processes, Redis, free_ports, program, wait_until  # noqa: E402

SLOTS = 16384
TIMEOUT, SHORT = 2000, 500  # ms after which a silent node is suspected; the short one only when a node is to die, as machines may be slow


def output(*command, codes=(0,)):
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "TERM": "dumb"})
    if done.returncode not in codes:
        raise AssertionError(f"{' '.join(command)}: exit {done.returncode}: {done.stdout[-2000:]}{done.stderr[-1000:]}")
    return done.stdout


def arcwise(*words, codes=(0,)):
    return output(os.environ["ARCWISE"], *words, codes=codes)


def slots_of(text):
    """{slot: master} of CLUSTER NODES, and the number of ranges in which they are printed."""
    found, ranges = {}, 0
    for line in text.splitlines():
        words = line.split()
        for word in words[8:]:
            first, _, last = word.partition("-")
            found.update(dict.fromkeys(range(int(first), int(last or first) + 1), words[0]))
            ranges += 1
    return found, ranges


def ranges_of(text):
    """What each node's line says of slots, to compare two views."""
    return sorted((words[0], *words[8:]) for words in map(str.split, text.splitlines()) if words[8:])


def counts(slots):
    found = {}
    for owner in slots.values():
        found[owner] = found.get(owner, 0) + 1
    return found


def unevenness(slots, weights):
    """How many slots the node furthest from its share by weight is from that share, rounded either way; of equal weights the
    largest number of slots less the smallest, which is the same or one more."""
    held = counts(slots)
    if len(set(weights.values())) == 1:
        return max(held.get(node, 0) for node in weights) - min(held.get(node, 0) for node in weights)
    share = {node: SLOTS * weight / sum(weights.values()) for node, weight in weights.items()}
    return max(max(math.floor(share[node]) - held.get(node, 0), held.get(node, 0) - math.ceil(share[node]), 0) for node in weights)


class RedisCluster(unittest.TestCase):
    def setUp(self):
        self.processes = Processes().__enter__()
        self.addCleanup(self.processes.__exit__)
        self.pid = {}

    def path(self, name):
        return os.path.join(self.processes.folder, name)

    def start(self, count):
        ports = free_ports(2 * count)
        for port, bus in zip(ports[:count], ports[count:]):
            self.processes.start([program("redis-server"), "--port", str(port), "--cluster-port", str(bus), "--bind", "127.0.0.1", "--cluster-enabled", "yes",
                                  "--cluster-config-file", f"nodes-{port}.conf", "--dir", self.processes.folder, "--save", "", "--appendonly", "no",
                                  "--cluster-node-timeout", str(TIMEOUT), "--repl-diskless-sync-delay", "0"], port)
            self.pid[port] = self.processes.started[-1]
        return ports[:count]

    def ask(self, port, *words):
        node = Redis(port)
        try:
            return node(*words)
        finally:
            node.close()

    def nodes(self, port):
        return self.ask(port, "CLUSTER", "NODES").decode()

    def wait_for(self, ports, what, holds):
        """Every node sees the cluster as `holds` wants."""
        wait_until(lambda: all(b"cluster_state:ok" in self.ask(port, "CLUSTER", "INFO") and holds(self.nodes(port)) for port in ports), what)

    def cluster(self, *words):
        return output(program("redis-cli"), "--cluster", *words)

    def create(self):
        """Six nodes by `--cluster create`: three masters with a replica each, and one node more that knows nobody."""
        ports = self.start(7)
        six = [f"127.0.0.1:{port}" for port in ports[:6]]
        self.cluster("create", *six, "--cluster-replicas", "1", "--cluster-yes")
        self.wait_for(ports[:6], "replicas follow", lambda text: text.count(" slave ") + text.count(",slave ") == 3)
        return ports[:6], ports[6]

    def saved(self, port, name):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(self.nodes(port))
        return self.path(name)

    def planned(self, before, *words):
        """What the plan moves, by its own word, and the slots after it; both counted anew from the map that it writes."""
        after = self.path("planned.yaml")
        plan = json.loads(arcwise("plan", before, *words, "--write-map", after, "--json"))
        said = next(w["message"] for w in plan["warnings"] if w["rule"] == "parts-moved")
        moved = round(plan["primary_moved_share"] * SLOTS)
        self.assertTrue(said.startswith(f"{moved} of {SLOTS} copies move, and {moved} is the proven least"), said)
        found, last = {}, -1
        rows = json.loads(arcwise("ranges", after, "--json"))["ranges"]
        for row in rows:
            found.update(dict.fromkeys(range(last + 1, int(row["upto"]) + 1), row["owners"][0]))
            last = int(row["upto"])
        with open(before, encoding="utf-8") as file:
            self.assertEqual(moved, sum(found[slot] != owner for slot, owner in slots_of(file.read())[0].items()))
        return moved, found, len(rows)

    def rebalanced(self, ports, before, weights, *words):
        """What redis-cli moves, by `arcwise diff` and counted here, and the slots after it."""
        self.cluster("rebalance", f"127.0.0.1:{ports[0]}", *words)
        with open(before, encoding="utf-8") as file:
            old, _ = slots_of(file.read())
        after = self.saved(ports[0], "after.txt")
        found, ranges = slots_of(self.nodes(ports[0]))
        moved = sum(found[slot] != owner for slot, owner in old.items())
        diff = json.loads(arcwise("diff", before, after, "--json", codes=(0, 1)))
        self.assertEqual(round(diff["primary_moved_share"] * SLOTS), moved)
        agreed = ranges_of(self.nodes(ports[0]))
        self.wait_for(ports, "all agree", lambda text: ranges_of(text) == agreed)
        return moved, found, ranges

    def compare(self, ports, what, weights, plan_words, cli_words, strictly):
        before = self.saved(ports[0], "before.txt")
        mine = self.planned(before, *plan_words)
        theirs = self.rebalanced(ports, before, weights, *cli_words, "--cluster-threshold", "1")
        (moved, uneven), (cli_moved, cli_uneven) = [(it[0], unevenness(it[1], weights)) for it in (mine, theirs)]
        print(f"{what}: arcwise moves {moved}, uneven by {uneven}, in {mine[2]} ranges; redis-cli moves {cli_moved}, uneven by {cli_uneven}, in {theirs[2]}")
        self.assertFalse(cli_moved <= moved and cli_uneven <= uneven and (cli_moved, cli_uneven) != (moved, uneven), what)
        if strictly:
            self.assertTrue(moved <= cli_moved and uneven <= cli_uneven and (moved, uneven) != (cli_moved, cli_uneven), what)
        return mine, theirs

    def weights_as_words(self, weights, format_):
        return [word for node, weight in weights.items() for word in (["--weight"] if format_ == "plan" else []) + [f"{node}={weight}"]]

    def test_plan_beside_rebalance_and_a_killed_master(self):
        ports, spare = self.create()
        masters = [self.ask(port, "CLUSTER", "MYID").decode() for port in ports[:3]]

        with self.subTest("nothing to do"):
            before = self.saved(ports[0], "before.txt")
            refused = subprocess.run([os.environ["ARCWISE"], "plan", before, "--rebalance"], capture_output=True, text=True, check=False)
            self.assertEqual(refused.returncode, 4, refused.stdout)
            self.assertIn("No rebalancing needed", self.cluster("rebalance", f"127.0.0.1:{ports[0]}", "--cluster-threshold", "1"))

        # Of three shares rounded down redis-cli gives all that is left to the only receiver.
        weights = dict(zip(masters, (1, 1, 1.3)))
        words = self.weights_as_words(weights, "plan")
        self.compare(ports, "weights 1, 1, 1.3", weights, words, ["--cluster-weight", *self.weights_as_words(weights, "cli")], strictly=True)
        self.compare(ports, "equal weights again", dict.fromkeys(masters, 1), ["--rebalance"], [], strictly=True)

        self.cluster("add-node", f"127.0.0.1:{spare}", f"127.0.0.1:{ports[0]}")
        self.wait_for([*ports, spare], "the new node is known", lambda text: len(text.splitlines()) == 7)
        new = self.ask(spare, "CLUSTER", "MYID").decode()
        weights = {**dict.fromkeys(masters, 1), new: 0.25}
        self.compare([*ports, spare], "an empty master of a quarter of the weight", weights, ["--weight", f"{new}=0.25"],
                     ["--cluster-use-empty-masters", "--cluster-weight", *self.weights_as_words(weights, "cli")], strictly=False)

        self.killed(ports, masters[1])

    def killed(self, ports, master):
        before = self.saved(ports[0], "before.txt")
        slots, _ = slots_of(self.nodes(ports[0]))
        for port in ports:
            self.ask(port, "CONFIG", "SET", "cluster-node-timeout", SHORT)
        victim = self.pid[ports[1]]
        victim.kill()
        victim.wait()
        self.wait_for([ports[0]], "a replica takes over", lambda text: master not in [words[0] for words in ranges_of(text)])
        after = self.saved(ports[0], "after.txt")
        now, _ = slots_of(self.nodes(ports[0]))
        promoted = {owner for slot, owner in now.items() if slots[slot] != owner}
        self.assertEqual(len(promoted), 1)
        self.assertEqual({slots[slot] for slot in slots if now[slot] != slots[slot]}, {master})
        diff = json.loads(arcwise("diff", before, after, "--json", codes=(1,)))
        self.assertEqual(diff["moved_share"], 0)
        self.assertEqual([(p["from"], p["to"]) for p in diff["promotions"]], [(master, *promoted)])
        self.assertEqual(round(diff["promotions"][0]["share"] * SLOTS), sum(owner == master for owner in slots.values()))
        said = " ".join(arcwise("diff", before, after, codes=(1,)).split())
        self.assertRegex(said, "no slot moved: \\S+ was promoted in place of \\S+ on ")

    def test_slots_in_many_fragments(self):
        ports = self.start(6)
        rng = random.Random(5)
        ends = [*sorted(rng.sample(range(SLOTS - 1), 400)), SLOTS - 1]
        owners = [rng.choice((0, 0, 0, 1, 1, 1, 2, 2, 2, 2)) for _ in ends]
        for number, port in enumerate(ports):
            self.ask(port, "CLUSTER", "SET-CONFIG-EPOCH", number + 1)
            mine = [slot for first, last, owner in zip([0, *(end + 1 for end in ends)], ends, owners) if owner == number for slot in (first, last)]
            if mine:
                self.ask(port, "CLUSTER", "ADDSLOTSRANGE", *mine)
        buses = {port: next(w for w in self.nodes(port).split() if "@" in w).split("@")[1].split(",")[0] for port in ports}
        for port in ports[1:]:
            self.ask(ports[0], "CLUSTER", "MEET", "127.0.0.1", port, buses[port])
        self.wait_for(ports, "the cluster forms", lambda text: len(text.splitlines()) == 6)
        masters = [self.ask(port, "CLUSTER", "MYID").decode() for port in ports[:3]]
        for replica, master in zip(ports[3:], masters):
            self.ask(replica, "CLUSTER", "REPLICATE", master)
        self.wait_for(ports, "replicas follow", lambda text: text.count(" slave ") + text.count(",slave ") == 3)
        mine, theirs = self.compare(ports, "many fragments", dict.fromkeys(masters, 1), ["--rebalance"], [], strictly=True)
        self.assertLess(mine[2], theirs[2])


if __name__ == "__main__":
    unittest.main()
