#!/usr/bin/env python3
"""The router beside nutcracker, on the same configuration: what nutcracker has stored is found, so each key lands on the same
server."""
# Plain build only: it is about where keys go.

import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from protocols import Memcached, Redis  # noqa: E402
from router import ARCWISED, Connection, RouterTest  # noqa: E402
from servers import free_ports, program  # noqa: E402

HASHES = ["one_at_a_time", "md5", "crc16", "crc32", "crc32a", "fnv1_64", "fnv1a_64", "fnv1_32", "fnv1a_32", "hsieh", "murmur",
          "jenkins"]
BOTH = ["ketama", "modula"]
KEYS = 5000
AT_ONCE = 500


def keys_like(label, tag="{}"):
    """Keys with and without a tag, and with what only looks like one."""
    a, b = tag
    odd = [f"{a}{b}x", f"{a}", f"{b}{a}y{b}", f"x{a}y", f"{a}{a}y{b}{b}", f"x{a}y{b}{a}z{b}", f"{a}y{b}", f"x{b}y", "y"]
    keys = [f"{label}:{key}" for key in odd] + [f"{label}:{a}user{i % 97}{b}:{i * 7919}" if i % 2 else f"{label}:{i}:user"
                                               for i in range(KEYS - len(odd))]
    return [key.encode() for key in keys]


class BesideNutcracker(RouterTest):
    def setUp(self):
        super().setUp()
        self.ours, self.theirs, self.pools = "", "", []
        self.free = iter(free_ports(100))

    def ports(self, count):
        return [next(self.free) for _ in range(count)]

    def servers(self, protocol, places):
        for place in places:
            (self.redis if protocol.is_redis else self.memcached)(place)

    def add(self, protocol, listed, listen=None, **settings):
        """A pool of both, with these lines of servers."""
        label = f"pool{len(self.pools)}"
        settings = {"timeout": 5000, **({"redis": "true"} if protocol.is_redis else {}), **settings}
        ports = listen or self.ports(2)

        def text(port):
            at = port if isinstance(port, str) else f"127.0.0.1:{port}"
            return "\n".join([f"{label}:", f"  listen: {at}", *(f"  {k}: {v}" for k, v in settings.items()), "  servers:",
                              *(f"   - {line}" for line in listed)]) + "\n"
        self.ours += text(ports[0])
        self.theirs += text(ports[1])
        self.pools.append((protocol, ports, keys_like(label, settings.get("hash_tag", '"{}"')[1:3])))

    def check(self):
        self.router(self.write("ours.yml", self.ours), self.pools[-1][1][0])
        stats = self.ports(1)[0]
        self.processes.start([program("nutcracker"), "-c", self.write("theirs.yml", self.theirs), "-s", str(stats)],
                             self.pools[-1][1][1])
        for protocol, (our, their), keys in self.pools:
            writer, reader = Connection(their), Connection(our)
            for at in range(0, len(keys), AT_ONCE):
                part = keys[at:at + AT_ONCE]
                stored = b"".join(b"+OK\r\n" if protocol.is_redis else b"STORED\r\n" for _ in part)
                writer.say(b"".join(protocol.set(key, key) for key in part))
                self.assertEqual(writer.file.read(len(stored)), stored)
                found = b"".join(b"$%d\r\n%s\r\n" % (len(key), key) if protocol.is_redis else
                                 b"VALUE %s 0 %d\r\n%s\r\nEND\r\n" % (key, len(key), key) for key in part)
                reader.say(b"".join(protocol.get(key) for key in part))
                self.assertEqual(reader.file.read(len(found)), found)
            writer.close()
            reader.close()

    def hashes(self, protocol):
        ports = self.ports(4)
        self.servers(protocol, ports)
        listed = [f"127.0.0.1:{port}:{i % 3 + 1} server{i}" for i, port in enumerate(ports)]
        for distribution in BOTH:
            for name in HASHES:
                self.add(protocol, listed, hash=name, distribution=distribution)
        self.check()

    def test_every_hash_and_distribution_before_memcached(self):
        self.hashes(Memcached)

    def test_every_hash_and_distribution_before_redis(self):
        self.hashes(Redis)

    def test_hash_tags(self):
        for protocol in (Memcached, Redis):
            ports = self.ports(4)
            self.servers(protocol, ports)
            listed = [f"127.0.0.1:{port}:1 server{i}" for i, port in enumerate(ports)]
            for tag in ("{}", "[]", "$$", "ab"):
                for distribution in BOTH:
                    self.add(protocol, listed, hash="fnv1a_64", distribution=distribution, hash_tag=f'"{tag}"')
        self.check()

    def test_servers_without_names_weights_and_the_default_port(self):
        for protocol in (Memcached, Redis):
            ports = self.ports(3)
            # twemproxy hashes a server at this port without it.
            hosts = [(f"127.{os.getpid() % 200 + 20}.{2 + protocol.is_redis}.{i + 1}", 11211) for i in range(3)]
            self.servers(protocol, [*ports, *hosts])
            for distribution in BOTH:
                for name in ("fnv1a_64", "md5"):
                    self.add(protocol, [f"127.0.0.1:{port}:1" for port in ports], hash=name, distribution=distribution)
                    self.add(protocol, [f"127.0.0.1:{port}:{i * 7 + 1}" for i, port in enumerate(ports)], hash=name,
                             distribution=distribution)
                    self.add(protocol, [f"{host}:{port}:{i + 1}" for i, (host, port) in enumerate(hosts)], hash=name,
                             distribution=distribution)
        self.check()

    def test_unix_sockets(self):
        folder = self.processes.folder
        for protocol, name in ((Memcached, "m"), (Redis, "r")):
            paths = [os.path.join(folder, f"{name}{i}.sock") for i in range(3)]
            self.servers(protocol, paths)
            for distribution in BOTH:
                self.add(protocol, [f"{path}:{i + 1}" for i, path in enumerate(paths)], hash="fnv1a_64", distribution=distribution)
                self.add(protocol, [f"{path}:1 named{i}" for i, path in enumerate(paths)], hash="md5", distribution=distribution,
                         listen=[os.path.join(folder, f"{who}{len(self.pools)}.sock") for who in ("our", "their")])
        self.check()

    def test_the_distribution_random_is_refused_with_its_line_and_why(self):
        path = self.write("random.yml", "cache:\n  listen: 127.0.0.1:1\n  hash: md5\n  distribution: random\n  servers:\n   - 127.0.0.1:2:1\n")
        for more in ([], ["--check"]):
            done = subprocess.run([ARCWISED, "--config", path, *more], capture_output=True, text=True, check=False, timeout=20)
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, r"random.yml:4:.*random.*no key has an owner")


if __name__ == "__main__":
    unittest.main()
