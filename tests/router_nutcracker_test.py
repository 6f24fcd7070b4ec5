#!/usr/bin/env python3
"""The router beside nutcracker, on the same configuration."""
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from router import Connection, RouterTest, pool, redis_command  # noqa: E402
from servers import free_ports, program  # noqa: E402


HASHES = ["one_at_a_time", "md5", "crc16", "crc32", "crc32a", "fnv1_64", "fnv1a_64", "fnv1_32", "fnv1a_32", "hsieh", "murmur",
          "jenkins"]


class BesideNutcracker(RouterTest):
    def test_every_key_lands_on_the_same_server(self):
        count = 2 * (len(HASHES) * 2 + 1)
        ports = free_ports(2 * count + 9)
        memcached, redis, stats = ports[:4], ports[4:8], ports[8]
        for port in memcached:
            self.memcached(port)
        for port in redis:
            self.redis(port)
        pools, ours, theirs = [], "", ""
        at = 9
        for is_redis in (False, True):
            servers = [(port, i % 3 + 1, f"server{i}") for i, port in enumerate(redis if is_redis else memcached)]
            cases = [(d, h, {}, 150) for d in ("ketama", "modula") for h in HASHES] + [("ketama", "fnv1a_64", {"hash_tag": '"{}"'}, 5000)]
            for number, (distribution, name, more, keys) in enumerate(cases):
                settings = {"hash": name, "distribution": distribution, "timeout": 5000, **more}
                if is_redis:
                    settings["redis"] = "true"
                label = f"{'r' if is_redis else 'm'}{number}"
                ours += pool(label, ports[at], servers, **settings)
                theirs += pool(label, ports[at + 1], servers, **settings)
                pools.append((is_redis, label, ports[at], ports[at + 1], keys))
                at += 2
        self.router(self.write("ours.yml", ours), pools[-1][2])
        self.processes.start([program("nutcracker"), "-c", self.write("theirs.yml", theirs), "-s", str(stats)], pools[-1][3])
        for is_redis, label, our, their, count in pools:
            keys = [f"{label}:{{user{i % 97}}}:{i * 7919}" for i in range(count)]
            self.assertEqual(self.hits(is_redis, our, their, keys), count, label)

    def hits(self, is_redis, our, their, keys):
        """How many of the keys that nutcracker has stored the router finds."""
        writer, reader = Connection(their), Connection(our)
        self.addCleanup(writer.close)
        self.addCleanup(reader.close)
        found = 0
        for at in range(0, len(keys), 100):
            part = keys[at:at + 100]
            writer.say("".join(redis_command("SET", k, "1") if is_redis else f"set {k} 0 0 1\r\n1\r\n" for k in part))
            self.assertEqual(set(writer.lines(len(part))), {"+OK" if is_redis else "STORED"})
            reader.say("".join(redis_command("GET", k) if is_redis else f"get {k}\r\n" for k in part))
            for key in part:
                first = reader.line()
                if is_redis and first == "$1" or first == f"VALUE {key} 0 1":
                    found += 1
                    reader.lines(1 if is_redis else 2)
        return found


if __name__ == "__main__":
    unittest.main()
