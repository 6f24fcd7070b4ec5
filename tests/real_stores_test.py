#!/usr/bin/env python3
"""Stores as they are installed, asked for clusters and keys made up from a seed: Arcwise names the same owners."""
# Plain build only: it starts the binary for its answers alone.
import json
import os
import re
import subprocess
import sys
import unittest
import warnings

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
import made_up  # noqa: E402
from compared import LISTS, Table, Tally, cluster_map, debian_version, locate, python_module  # noqa: E402
from servers import Processes, Redis, RedisError, free_ports, program, wait_until  # noqa: E402

TABLE = Table("stores")


def tearDownModule():
    TABLE.close()


def output(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(command)}: exit {done.returncode}: {done.stdout[-1000:]}{done.stderr[-1000:]}")
    return done.stdout


class RedisClusters(unittest.TestCase):
    def setUp(self):
        self.processes = Processes().__enter__()
        self.addCleanup(self.processes.__exit__)

    def cluster(self, rng, ports, buses):
        """Masters with slots in some hundred pieces; they are not acquainted with one another yet."""
        nodes = []
        for port, bus in zip(ports, buses):
            self.processes.start([program("redis-server"), "--port", str(port), "--cluster-port", str(bus), "--bind", "127.0.0.1", "--cluster-enabled", "yes",
                                  "--cluster-config-file", f"nodes-{port}.conf", "--dir", self.processes.folder, "--save", "", "--appendonly", "no"], port)
            nodes.append(Redis(port))
            self.addCleanup(nodes[-1].close)
        ends = sorted({*rng.sample(range(16383), rng.randrange(len(ports), 200)), 16383})
        owners = [*range(len(ports)), *(rng.randrange(len(ports)) for _ in ends)][:len(ends)]
        ranges = list(zip([0, *(end + 1 for end in ends)], ends, owners))
        for number, node in enumerate(nodes):
            node("CLUSTER", "SET-CONFIG-EPOCH", number + 1)
            node("CLUSTER", "ADDSLOTSRANGE", *(slot for first, last, owner in ranges if owner == number for slot in (first, last)))
        for port, bus in zip(ports[1:], buses[1:]):
            nodes[0]("CLUSTER", "MEET", "127.0.0.1", port, bus)
        return nodes, ranges

    def redirections(self, node, port, keys):
        """The port at which each key is, by the word of one node."""
        slots = node.replies([("CLUSTER", "KEYSLOT", key) for key in keys])
        found = []
        for reply, slot in zip(node.replies([("GET", key) for key in keys]), slots):
            if isinstance(reply, RedisError):
                word, moved, address = str(reply).split()
                self.assertEqual((word, int(moved)), ("MOVED", slot))
                found.append(int(address.rsplit(":", 1)[1]))
            else:
                found.append(port)
        return found

    def test_redis_cluster(self):
        rng = made_up.generator("redis-server")
        sizes = [2, 3] + [rng.randrange(2, 8) for _ in range(LISTS - 2)]
        ports = free_ports(2 * sum(sizes))
        clusters = []
        for size in sizes:
            mine, ports = ports[:2 * size], ports[2 * size:]
            clusters.append((mine[:size], *self.cluster(rng, mine[:size], mine[size:])))
        def formed(nodes):
            words = (b"cluster_state:ok", f"cluster_known_nodes:{len(nodes)}\r".encode())
            return all(word in node("CLUSTER", "INFO") for node in nodes for word in words)
        wait_until(lambda: all(formed(nodes) for _, nodes, _ in clusters), "the clusters form")
        tally = Tally("redis-server", re.search(r"v=([\d.]+)", output(program("redis-server"), "--version"))[1])
        for number, (mine, nodes, ranges) in enumerate(clusters):
            keys = made_up.keys(rng, raw=True, longest=20000)
            really = self.redirections(nodes[0], mine[0], keys)
            cluster = cluster_map("redis-cluster", [str(port) for port in mine],
                                  ranges=[{"upto": f"{last:x}", "owners": [str(mine[owner])]} for _, last, owner in ranges])
            tally.compare(f"cluster {number}", keys, [[str(port)] for port in really], locate(self.processes.folder, cluster, keys))
            ids = {port: node("CLUSTER", "MYID").decode() for port, node in zip(mine, nodes)}
            text = os.path.join(self.processes.folder, f"cluster-nodes-{number}.txt")
            with open(text, "wb") as file:
                file.write(nodes[-1]("CLUSTER", "NODES"))
            for path in (text, os.path.join(self.processes.folder, f"nodes-{mine[0]}.conf")):
                tally.compare(f"cluster {number} of {os.path.basename(path)}", keys, [[ids[port]] for port in really],
                              locate(self.processes.folder, path, keys))
        TABLE.check(self, tally)


class Swift(unittest.TestCase):
    """RingBuilder makes a ring, Ring reads it."""

    def setUp(self):
        self.processes = Processes().__enter__()
        self.addCleanup(self.processes.__exit__)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the libraries it loads
            self.swift, self.utils = python_module("swift.common.ring"), python_module("swift.common.utils")
        self.version = python_module("swift").__version__

    def ring(self, rng, devices, name):
        builder = self.swift.RingBuilder(rng.randrange(6, 12), rng.choice([1, 2, 3, 3, 3, 2.5, 3.2]), 1)
        for device in range(devices):
            builder.add_dev({"id": device, "region": rng.randrange(1, 4), "zone": rng.randrange(1, 5), "ip": f"127.0.1.{rng.randrange(1, 2 + devices // 2)}",
                             "port": 6200, "device": f"sd{device}", "weight": rng.choice([1, 2, 3.5, 100]) if devices > 20 else 10, "meta": ""})
        builder.rebalance(seed=str(rng.getrandbits(32)))
        path = os.path.join(self.processes.folder, name + ".ring.gz")
        builder.get_ring().save(path)
        self.utils.HASH_PATH_SUFFIX = b"stands in for /etc/swift/swift.conf"
        return path, self.swift.Ring(path), self.swift.RingData.load(path).to_dict()

    def map(self, data, prefix, suffix):
        nodes = [{"name": f"d{dev['id']}", "zone": f"r{dev['region']}", "rack": f"z{dev['zone']}", "host": dev["ip"]} for dev in data["devs"]]
        rows = data["replica2part2dev_id"]
        ranges = [{"upto": f"{part:x}", "owners": [f"d{row[part]}" for row in rows if part < len(row)]} for part in range(len(rows[0]))]
        return cluster_map("swift", nodes, replicas={"count": len(rows)}, slots=len(rows[0]), ranges=ranges,
                           settings={"hash_path_prefix": prefix, "hash_path_suffix": suffix})

    def imported(self, ring, prefix, suffix):
        """A map made of the ring's own file and a swift.conf."""
        conf, made = (os.path.join(self.processes.folder, name) for name in ("swift.conf", "imported.yaml"))
        with open(conf, "w", encoding="utf-8") as file:
            file.write(f"[swift-hash]\nswift_hash_path_prefix = {prefix}\nswift_hash_path_suffix = {suffix}\n")
        with open(made, "w", encoding="utf-8") as file:
            file.write(output(os.environ["ARCWISE"], "import", ring, conf))
        return made

    def paths(self, rng):
        """{key: (account, container or None, object or None)}; half of the keys begin with a slash."""
        found = {}
        words = [key.decode().replace("/", "") or "x" for key in made_up.keys(rng, count=4 * made_up.KEYS, longest=60)]
        for account, container, name in zip(words[::3], words[1::3], words[2::3]):
            parts = [account, container, rng.choice(["", "dir/", "a//"]) + name + rng.choice(["", "", "/"])][:rng.choice([1, 2, 3, 3, 3])]
            found[(rng.choice(["", "/"]) + "/".join(parts)).encode()] = parts
            if len(found) == made_up.KEYS:
                break
        return found

    def test_swift(self):
        rng = made_up.generator("swift")
        tally = Tally("swift Ring", self.version)
        for number, devices in enumerate([6, 150] + [rng.randrange(4, 41) for _ in range(LISTS)]):
            path, ring, data = self.ring(rng, devices, f"ring{number}")
            prefix, suffix = rng.choice([("", "changeme"), ("pre", ""), ("été", "end")])
            self.utils.HASH_PATH_PREFIX, self.utils.HASH_PATH_SUFFIX = prefix.encode(), suffix.encode()
            paths = self.paths(rng)
            cluster, down = self.map(data, prefix, suffix), rng.randrange(devices)
            really, without = [], []
            for parts in paths.values():
                part, nodes = ring.get_nodes(*parts)
                ids = [node["id"] for node in nodes]
                really.append([f"d{device}" for device in ids])
                if down in ids:
                    ids = [device for device in ids if device != down] + [next(iter(ring.get_more_nodes(part)))["id"]]
                without.append([f"d{device}" for device in ids])
            tally.compare(f"ring {number}, {devices} devices", list(paths), really, locate(self.processes.folder, cluster, list(paths)))
            tally.compare(f"ring {number} without d{down}", list(paths), without,
                          locate(self.processes.folder, cluster, list(paths), "--down", f"d{down}"))
            tally.compare(f"ring {number} of its file", list(paths), really, locate(self.processes.folder, self.imported(path, prefix, suffix), list(paths)))
        TABLE.check(self, tally)


class Ceph(unittest.TestCase):
    """osdmaptool says which group an object is in, crushtool which devices a group is on."""

    OBJECTS = 25  # osdmaptool takes one at a time

    def setUp(self):
        self.processes = Processes().__enter__()
        self.addCleanup(self.processes.__exit__)

    def path(self, name):
        return os.path.join(self.processes.folder, name)

    def groups(self, tree, pool, groups):
        text = self.path("crush.txt")
        with open(text, "w", encoding="utf-8") as file:
            file.write(tree.text())
        output(program("crushtool"), "-c", text, "-o", self.path("crush"))
        weights = [word for device, weight in tree.reweights.items() for word in ("--weight", str(device), str(weight))]
        shown = output(program("crushtool"), "-i", self.path("crush"), "--test", "--show-mappings", "--rule", "0", "--num-rep", str(tree.count), "--min-x",
                       "0", "--max-x", str(groups - 1), "--pool-id", str(pool), *weights)
        found = re.findall(r"^CRUSH rule 0 x (\d+) \[([\d,]*)\]$", shown, re.MULTILINE)
        self.assertEqual(len(found), groups)
        return [[f"osd.{device}" for device in devices.split(",")] for _, devices in found]

    def groups_of(self, keys):
        """By Arcwise's word, with the map that `locate` was asked with."""
        with open(self.path("keys"), "wb") as file:
            file.writelines(key + b"\n" for key in keys)
        said = json.loads(output(os.environ["ARCWISE"], "locate", self.path("map.yaml"), "--keys", self.path("keys"), "--json"))
        return [int(answer["hash"]) for answer in said["locate"]]

    def expect_groups_of_objects(self, number, osds, bits, objects):
        osdmap = self.path(f"osdmap{number}")
        output(program("osdmaptool"), osdmap, "--createsimple", str(osds), "--pg-bits", str(bits), "--with-default-pool")
        for name, group in objects:
            said = output(program("osdmaptool"), osdmap, "--test-map-object", name)
            self.assertIn(f"object '{name}' -> 1.{int(group):x} ->", said)

    def test_crushtool(self):
        rng = made_up.generator("crushtool")
        tally = Tally("crushtool", debian_version("ceph-base"))
        shapes = [["host"], ["host"], ["rack", "host"], ["rack", "host"]] + 2 * [["zone", "rack", "host"]]
        for number, (levels, per_zone) in enumerate([(levels, False) for levels in shapes] + 2 * [(["zone", "rack", "host"], True)]):
            tree = CrushTree(rng, levels, 150 if number == 0 else rng.randrange(12, 41), per_zone)
            pool, osds, bits = rng.randrange(1, 1000), rng.randrange(20, 200), rng.randrange(4, 7)
            groups = osds << bits
            keys = made_up.keys(rng)
            cluster = cluster_map("ceph", tree.nodes(), replicas=tree.replicas(), slots=groups,
                                  settings={"pool": pool, "bucket_ids": " ".join(f"{name}={id}" for name, id in tree.ids.items()),
                                            "reweight": " ".join(f"osd.{device}={weight}" for device, weight in tree.reweights.items())})
            devices = self.groups(tree, pool, groups)
            arcwise, group_of = locate(self.processes.folder, cluster, keys), self.groups_of(keys)
            tally.compare(f"{levels}, {tree.replicas()}, {len(tree.devices)} devices, {groups} groups", keys, [devices[group] for group in group_of], arcwise)
            objects = [(key.decode(), group) for key, group in zip(keys, group_of) if not key.startswith(b"-")]
            self.expect_groups_of_objects(number, osds, bits, objects[:self.OBJECTS])
        TABLE.check(self, tally)


class CrushTree:
    """Hosts with one to four devices each, under racks and zones where there are such levels."""

    TYPES = {"host": 1, "rack": 3, "zone": 9, "root": 11}

    def __init__(self, rng, levels, hosts, per_zone):
        self.levels = levels
        self.across = rng.choice(levels[1:] if per_zone else levels)
        self.per_zone = {"z1": 2, "z3": 1, "z4": 1} if per_zone else {}
        self.count = sum(self.per_zone.values()) or rng.choice([2, 3])
        spread = {"zone": 5, "rack": 12}
        self.hosts = {}
        for host in range(hosts):
            zone = host % spread["zone"] if "zone" in levels else 0
            rack = f"r{zone}-{host % spread['rack'] // (4 if 'zone' in levels else 1)}" if "rack" in levels else ""
            self.hosts[f"h{host}"] = (f"z{zone}" if "zone" in levels else "", rack)
        numbers = iter(rng.sample(range(4 * hosts + 50), 4 * hosts))
        self.devices = {}  # number: (host, weight)
        for host in self.hosts:
            for _ in range(rng.randrange(1, 5)):
                self.devices[next(numbers)] = (host, rng.choice([1.0, 1.0, round(rng.uniform(0.1, 16), 3)]))
        self.reweights = {device: rng.choice([0, 0.5, 0.85]) for device in rng.sample(sorted(self.devices), rng.randrange(3))}
        names = ["default", *dict.fromkeys(name for places in self.hosts.values() for name in places if name), *self.hosts]
        self.ids = {"default": -1, **dict(zip(names[1:], rng.sample(range(-5000, -1), len(names) - 1)))}

    def replicas(self):
        return {"across": self.across, **({"per_zone": self.per_zone} if self.per_zone else {"count": self.count})}

    def nodes(self):
        """Grouped as the text lists them: the order of items counts where draws are equal."""
        found = []
        for host, (zone, rack) in sorted(self.hosts.items(), key=lambda item: item[1]):
            for device, (on, weight) in self.devices.items():
                if on == host:
                    found.append({"name": f"osd.{device}", "bucket": device, "host": host, "weight": weight,
                                  **({"rack": rack} if rack else {}), **({"zone": zone} if zone else {})})
        return found

    def text(self):
        nodes = self.nodes()
        lines = ["tunable choose_local_tries 0", "tunable choose_local_fallback_tries 0", "tunable choose_total_tries 50",
                 "tunable chooseleaf_descend_once 1", "tunable chooseleaf_vary_r 1", "tunable chooseleaf_stable 1", "tunable straw_calc_version 1",
                 "tunable allowed_bucket_algs 54", *(f"device {node['bucket']} {node['name']}" for node in nodes),
                 "type 0 osd", *(f"type {number} {name}" for name, number in self.TYPES.items())]
        below = [(node["name"], f"{node['name']} weight {node['weight']:.3f}") for node in nodes]
        place = {node["name"]: node for node in nodes}
        for level in [*reversed(self.levels), "root"]:
            buckets = {}
            for name, item in below:
                buckets.setdefault(place[name][level] if level != "root" else "default", []).append((name, item))
            for bucket, items in buckets.items():
                lines += [f"{level} {bucket} {{", f" id {self.ids[bucket]}", " alg straw2", " hash 0", *(f" item {item}" for _, item in items), "}"]
                place[bucket] = place[items[0][0]]
            below = [(bucket, bucket) for bucket in buckets]
        lines += ["rule replicated_rule {", " id 0", " type replicated", " min_size 1", " max_size 10"]
        for bucket, count in (self.per_zone or {"default": 0}).items():
            lines += [f" step take {bucket}", f" step chooseleaf firstn {count} type {self.across}", " step emit"]
        lines.append("}")
        return "\n".join(lines) + "\n"


if __name__ == "__main__":
    unittest.main()
