#!/usr/bin/env python3
"""The owners that `arcwise locate` names are those that running servers choose: twemproxy and Redis Cluster."""
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from servers import FakeMemcached, Memcached, Processes, Redis, RedisError, free_ports, program, wait_until  # noqa: E402

KEYS = ([f"key:{i}" for i in range(350)] + [f"{{user{i}}}:cart" for i in range(100)] + [f"a{{}}{i}{{b}}" for i in range(20)] +
        [f"été:{i}" for i in range(20)] + ["k" * length for length in range(1, 251, 25)])


def located(path, keys, *options):
    """{key: [owner...]} as `arcwise locate` prints it."""
    answer = subprocess.run([os.environ["ARCWISE"], "locate", path, "--keys", "-", *options], input="".join(key + "\n" for key in keys),
                            capture_output=True, text=True, check=False)
    if answer.returncode != 0:
        raise AssertionError(f"arcwise locate: exit {answer.returncode}: {answer.stderr}")
    pairs = [line.split("\t") for line in answer.stdout.splitlines()]
    return {key: owners.split(",") for key, owners in pairs}


class Twemproxy(unittest.TestCase):
    def setUp(self):
        self.ports = free_ports(8)
        self.backends = [FakeMemcached(port) for port in self.ports[:5]]
        self.processes = Processes().__enter__()
        self.config = os.path.join(self.processes.folder, "nutcracker.yml")

    def tearDown(self):
        self.processes.__exit__()
        for backend in self.backends:
            backend.close()

    def start(self, servers, extra=""):
        listen, stats = self.ports[6:8]
        with open(self.config, "w", encoding="utf-8") as file:
            file.write(f"cache:\n  listen: 127.0.0.1:{listen}\n  hash: md5\n  distribution: ketama\n{extra}  servers:\n")
            file.writelines(f"   - {server}\n" for server in servers)
        self.processes.start([program("nutcracker"), "-c", self.config, "-a", "127.0.0.1", "-s", str(stats)], listen)
        return Memcached(listen)

    def compare(self, servers, name_of_port, extra=""):
        client = self.start(servers, extra)
        owners = located(self.config, KEYS)
        wrong = [key for key in KEYS if owners[key] != [name_of_port[int(client.get(key))]]]
        client.close()
        self.assertEqual(len(owners), len(KEYS))
        self.assertEqual(len(set(name for names in owners.values() for name in names)), len(servers), "every server owns something")
        self.assertEqual(wrong, [])

    def test_equal_servers(self):
        ports = self.ports[:5]
        self.compare([f"127.0.0.1:{port}:1" for port in ports], {port: f"127.0.0.1:{port}" for port in ports})

    def test_weighted_and_named_servers_with_a_hash_tag(self):
        ports = self.ports[:4]
        servers = [f"127.0.0.1:{port}:{weight} shard-{number}" for number, (port, weight) in enumerate(zip(ports, (1, 3, 10, 2)))]
        self.compare(servers, {port: f"shard-{number}" for number, port in enumerate(ports)}, '  hash_tag: "{}"\n')


class RedisCluster(unittest.TestCase):
    SLOTS = [(0, 5460), (5461, 10922), (10923, 16383)]

    def setUp(self):
        self.processes = Processes().__enter__()
        ports = free_ports(6)
        self.ports, self.buses = ports[:3], ports[3:]
        for port, bus in zip(self.ports, self.buses):
            self.processes.start([program("redis-server"), "--port", str(port), "--cluster-port", str(bus), "--bind", "127.0.0.1", "--cluster-enabled",
                                  "yes", "--cluster-config-file", f"nodes-{port}.conf", "--dir", self.processes.folder, "--save", "", "--appendonly", "no"], port)
        self.nodes = [Redis(port) for port in self.ports]

    def tearDown(self):
        for node in self.nodes:
            node.close()
        self.processes.__exit__()

    def form_cluster(self):
        for epoch, (node, slots) in enumerate(zip(self.nodes, self.SLOTS), 1):
            node("CLUSTER", "SET-CONFIG-EPOCH", epoch)
            node("CLUSTER", "ADDSLOTSRANGE", *slots)
        for port, bus in zip(self.ports[1:], self.buses[1:]):
            self.nodes[0]("CLUSTER", "MEET", "127.0.0.1", port, bus)
        wait_until(lambda: all(b"cluster_state:ok" in node("CLUSTER", "INFO") and b"cluster_known_nodes:3" in node("CLUSTER", "INFO")
                               for node in self.nodes), "the cluster forms")

    def owner_by_redirection(self, key):
        try:
            self.nodes[0]("GET", key.encode())
            return self.ports[0]
        except RedisError as moved:
            word, slot, address = str(moved).split()
            self.assertEqual((word, int(slot)), ("MOVED", self.nodes[0]("CLUSTER", "KEYSLOT", key.encode())))
            return int(address.rsplit(":", 1)[1])

    def test_owners_are_where_the_cluster_redirects(self):
        self.form_cluster()
        ids = {node("CLUSTER", "MYID").decode(): port for node, port in zip(self.nodes, self.ports)}
        text = os.path.join(self.processes.folder, "cluster-nodes.txt")
        with open(text, "wb") as file:
            file.write(self.nodes[1]("CLUSTER", "NODES"))
        for path in (text, os.path.join(self.processes.folder, f"nodes-{self.ports[0]}.conf")):
            owners = located(path, KEYS)
            wrong = [key for key in KEYS if [ids[name] for name in owners[key]] != [self.owner_by_redirection(key)]]
            self.assertEqual(wrong, [], path)


if __name__ == "__main__":
    unittest.main()
