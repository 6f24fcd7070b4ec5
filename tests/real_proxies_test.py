#!/usr/bin/env python3
"""Proxies as they are installed, asked over loopback for lists and keys made up from a seed: Arcwise names the same servers."""
# Plain build only: it starts the binary for its answers alone, on some hundred lists.
import os
import re
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
import made_up  # noqa: E402
from compared import LISTS, Table, Tally, cluster_map, locate  # noqa: E402
from servers import FakeMemcached, Pipeline, Processes, free_ports, many_sockets, program, wait_until  # noqa: E402

TABLE = Table("proxies")
MANY = 150


def setUpModule():
    many_sockets()


def tearDownModule():
    TABLE.close()


def version(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return re.search(r"\d+\.\d+\.\d+", done.stdout)[0]


class Proxies(unittest.TestCase):
    def setUp(self):
        self.processes = Processes().__enter__()
        self.addCleanup(self.processes.__exit__)
        self.folder = self.processes.folder

    def write(self, name, lines):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        return path

    def compare(self, tally, what, cluster, keys, names, *options):
        tally.compare(what, keys, [[name] for name in names], locate(self.folder, cluster, keys, *options))

    # twemproxy: its name of each hash, and Arcwise's.
    HASHES = {"one_at_a_time": "one_at_a_time", "md5": "md5_ketama", "crc16": "crc16_32", "crc32": "crc32_15bit", "crc32a": "crc32",
              "fnv1_64": "fnv1_64_low32", "fnv1a_64": "fnv1a_64_low32", "fnv1_32": "fnv1_32", "fnv1a_32": "fnv1a_32", "hsieh": "hsieh",
              "murmur": "murmur2_seed_len", "jenkins": "jenkins"}

    def test_nutcracker(self):
        rng = made_up.generator("nutcracker")
        places = made_up.loopback(rng, MANY) + [os.path.join(self.folder, f"mc{number}.sock") for number in range(3)]
        backends = FakeMemcached(places)
        self.addCleanup(backends.close)
        sizes = [rng.randrange(2, 41) for _ in range(LISTS - 1)] + [MANY]
        cases = [(distribution, name, rng.randrange(2, 20)) for distribution in ("ketama", "modula") for name in self.HASHES]
        cases += [(distribution, name, size) for distribution, name in (("ketama", "md5"), ("modula", "fnv1a_64")) for size in sizes]
        pools = [NutcrackerPool(rng, f"pool{number}", *case, places) for number, case in enumerate(cases)]
        dead = made_up.loopback(rng, 3)
        pools += [NutcrackerPool(rng, f"eject{number}", distribution, "fnv1a_64", 20, places, dead)
                  for number, distribution in enumerate(["ketama", "modula"])]
        ports = free_ports(len(pools) + 1)
        config = self.write("nutcracker.yml", [line for pool, port in zip(pools, ports) for line in pool.lines(port)])
        command = [program("nutcracker"), "-c", config, "-a", "127.0.0.1", "-s", str(ports[-1])]
        self.processes.start(command, ports[len(pools) - 1])
        tally = Tally("nutcracker", version([program("nutcracker"), "--help"]))
        for pool, port in zip(pools, ports):
            keys = made_up.keys(rng, raw=True)
            with Pipeline(port) as client:
                if pool.dead:
                    wait_until(lambda: None not in client.memcached_values(keys), "dead servers are ejected")
                names = [pool.names[place] for place in client.memcached_values(keys)]
            cluster = cluster_map("twemproxy-" + pool.distribution, pool.alive(), hash=self.HASHES[pool.hash], **pool.placement)
            self.compare(tally, f"{pool.name}: {pool.distribution} {pool.hash}, {len(pool.nodes)} servers", cluster, keys, names)
            if not pool.dead:
                self.compare(tally, f"{pool.name} of nutcracker.yml", config, keys, names, "--pool", pool.name)
        TABLE.check(self, tally)

    def test_nginx(self):
        rng = made_up.generator("nginx")
        places = made_up.loopback(rng, MANY)
        texts = [f"{host}:{port}" for host, port in places] + [f"unix:{self.folder}/web{number}.sock" for number in range(3)]
        lists = []
        for recipe, word in (("nginx-hash", ""), ("nginx-consistent", " consistent")):
            for size in [2, MANY] + [rng.randrange(2, 41) for _ in range(LISTS + 2)]:
                servers = rng.sample(texts, size)
                weights = made_up.weights(rng, size, heaviest=300 if size < 10 else 20)
                down = set(rng.sample(servers, size // 4 if len(lists) % 2 else 0))
                lists.append((recipe, word, list(zip(servers, weights)), down))
        port = free_ports(1)[0]
        config = self.write("nginx.conf", nginx_conf(port, texts, lists))
        self.processes.start([program("nginx"), "-p", self.folder, "-c", config, "-e", os.path.join(self.folder, "error.log")], port)
        tally = Tally("nginx", version([program("nginx"), "-v"]))
        for number, (recipe, _, servers, down) in enumerate(lists):
            keys = made_up.keys(rng, raw=True, longest=5000)
            with Pipeline(port) as client:
                names = client.http_servers([b"GET /%d HTTP/1.1\r\nHost: a\r\nX-Key: %s\r\n\r\n" % (number, key) for key in keys])
            cluster = cluster_map(recipe, [{"name": name, "weight": weight} for name, weight in servers])
            names = [name.rstrip(":") for name in names]
            skipped = ["--down", ",".join(sorted(down))] if down else []
            self.compare(tally, f"{recipe}, {len(servers)} servers, down: {sorted(down)}", cluster, keys, names, *skipped)
            self.compare(tally, f"upstream u{number} of nginx.conf", config, keys, names, "--pool", f"u{number}", *skipped)
        TABLE.check(self, tally)

    def test_haproxy(self):
        rng = made_up.generator("haproxy")
        functions = [None] + [name + modifier for name in ("sdbm", "djb2", "wt6", "crc32") for modifier in ("", " avalanche")]
        lists = [HaproxyList(rng, kind, function, rng.randrange(2, 41)) for kind in ("map-based", "consistent") for function in functions]
        for kind in ("map-based", "consistent"):
            lists += [HaproxyList(rng, kind, None, MANY)]
            lists += [HaproxyList(rng, kind, rng.choice(functions), rng.randrange(2, 41), balance) for balance in ("uri", "source", "hash-src")]
        port, answering = free_ports(2)
        config = self.write("haproxy.cfg", haproxy_cfg(port, answering, lists))
        self.processes.start([program("haproxy"), "-db", "-f", config], port)
        tally = Tally("haproxy", version([program("haproxy"), "-v"]))
        for number, one in enumerate(lists):
            keys = one.keys(rng)
            with Pipeline(port) as client:
                names = client.http_servers([one.request(b"%d" % number, key) for key in keys])
            self.compare(tally, f"{one.lines()[:2]}, {len(one.nodes)} servers", one.map(), keys, names)
            self.compare(tally, f"backend list{number} of haproxy.cfg", config, keys, names, "--pool", f"list{number}")
        TABLE.check(self, tally)


class NutcrackerPool:
    """Some of the places in a random order, with and without names of their own. Those where nobody listens are ejected, which
    equals a map without them."""

    def __init__(self, rng, name, distribution, hash_name, size, places, dead=()):
        self.name, self.distribution, self.hash = name, distribution, hash_name
        self.placement = {"hash_tag": rng.choice(["{}", "$$", "::"])} if rng.randrange(2) else {}
        self.servers, self.nodes, self.names = [], [], {}
        self.dead = [f"{host}:{port}" for host, port in dead]
        named = rng.randrange(3)  # none, some, all
        places = rng.sample(places, size) + list(dead)
        rng.shuffle(places)
        for place, weight in zip(places, made_up.weights(rng, len(places), shares=distribution == "ketama")):
            text = place if isinstance(place, str) else f"{place[0]}:{place[1]}"
            own = f"shard{rng.choice(['-', ':', '.'])}{len(self.nodes)}" if rng.randrange(2) < named else None
            self.servers.append(f"{text}:{weight}" + (f" {own}" if own else ""))
            self.nodes.append({"name": own or text, "weight": weight})
            self.names[text] = own or text

    def alive(self):
        return [node for node in self.nodes if node["name"] not in {self.names[text] for text in self.dead}]

    def lines(self, port):
        eject = ["  auto_eject_hosts: true", "  server_failure_limit: 2", "  server_retry_timeout: 3600000"] if self.dead else []
        tag = self.placement.get("hash_tag")
        return [f"{self.name}:", f"  listen: 127.0.0.1:{port}", f"  hash: {self.hash}", f"  distribution: {self.distribution}", *eject,
                *([f'  hash_tag: "{tag}"'] if tag else []), "  servers:", *(f"   - {server}" for server in self.servers)]


def nginx_conf(port, texts, lists):
    """Upstreams, and servers that say which of them was chosen."""
    lines = ["daemon off;", "master_process off;", "pid nginx.pid;", "error_log error.log;", "worker_rlimit_nofile 8192;",
             "events { worker_connections 4096; }", "http {", " access_log off;", " keepalive_requests 1000000;",
             *(f" {kind}_temp_path {kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))]
    for number, (_, word, servers, down) in enumerate(lists):
        lines += [f" upstream u{number} {{", f"  hash $http_x_key{word};",
                  *(f"  server {name} weight={weight} max_fails=0{' down' if name in down else ''};" for name, weight in servers), "  keepalive 16;", " }"]
    lines += [" server {", f"  listen 127.0.0.1:{port};", "  proxy_http_version 1.1;", '  proxy_set_header Connection "";',
              *(f"  location = /{number} {{ proxy_pass http://u{number}; }}" for number in range(len(lists))), " }",
              " server {", *(f"  listen {text};" for text in texts), "  add_header X-Server $server_addr:$server_port;", "  return 204;", " }", "}"]
    return lines


class HaproxyList:
    """A backend. All its servers are one and the same: HAProxy says by name which it chose."""

    BALANCE = {"value": "hdr(x-key)", "uri": "uri", "source": "source", "hash-src": "hash src"}

    def __init__(self, rng, kind, function, size, balance="value"):
        self.kind, self.function, self.balance, self.disabled = kind, function, balance, set()
        self.settings = {"balance": balance}
        if balance == "uri":
            self.settings.update(uri_len=rng.choice([0, 10, 30]), uri_depth=rng.choice([0, 1, 2]))
        weights = made_up.weights(rng, size, heaviest=256 if size < 20 else 20)
        if size > 5 and rng.randrange(3) == 0:
            weights[rng.randrange(size)] = 0
        numbers = rng.sample(range(1, 3 * size + 10), size)  # some servers have numbers of their own
        numbered = rng.randrange(3)
        if size > 3 and rng.randrange(3) == 0:  # disabled servers are as if not listed, but the others keep their numbers
            numbered, self.disabled = 2, set(rng.sample(range(size), size // 3))
        self.nodes = [{"name": f"{rng.choice(['web', 'app', 'x'])}{place}", "weight": weight, **({"bucket": number} if rng.randrange(2) < numbered else {})}
                      for place, (weight, number) in enumerate(zip(weights, numbers))]

    def lines(self):
        words = "".join(f" {name[4:]} {value}" for name, value in self.settings.items() if name.startswith("uri_") and value)
        kind = [] if (self.kind, self.function) == ("map-based", None) else [f" hash-type {self.kind} {self.function or ''}".rstrip()]
        return [f" balance {self.BALANCE[self.balance]}{words}", *kind]

    def map(self):
        placement = {"hash": self.function.replace(" ", "_")} if self.function else {}
        usable = [node for place, node in enumerate(self.nodes) if place not in self.disabled]
        return cluster_map("haproxy-" + self.kind, usable, settings=self.settings, **placement)

    def keys(self, rng):
        if self.balance == "value":  # a comma ends a header's value
            return made_up.keys(rng, raw=True, without=",", longest=5000)
        if self.balance == "uri":
            return [b"/" + key for key in made_up.keys(rng, ascii_only=True, without='#<>"\\^`{|}')]
        found = {}
        while len(found) < made_up.KEYS:
            groups = [f"{rng.randrange(1, 65536):x}" for _ in range(8)]
            found[":".join(groups) if rng.randrange(3) == 0 else ".".join(str(rng.randrange(1, 255)) for _ in range(4))] = None
        return [key.encode() for key in found]

    def request(self, name, key):
        target, header = (key, b"") if self.balance == "uri" else (b"/", b"X-Key: %s\r\n" % key if self.balance == "value" else b"X-Source: %s\r\n" % key)
        return b"GET %s HTTP/1.1\r\nHost: a\r\nX-List: %s\r\n%s\r\n" % (target, name, header)


def haproxy_cfg(port, answering, lists):
    lines = ["global", " nbthread 1", " maxconn 2000", "defaults", " mode http", " timeout connect 10s", " timeout client 60s", " timeout server 60s",
             " http-reuse always", "frontend asked", f" bind 127.0.0.1:{port}", " http-request set-src req.hdr(x-source) if { req.hdr(x-source) -m found }",
             " use_backend list%[req.hdr(x-list)]", "frontend answering", f" bind 127.0.0.1:{answering}", " http-request return status 204"]
    for number, one in enumerate(lists):
        lines += [f"backend list{number}", *one.lines(), " http-response set-header X-Server %s"]
        for place, node in enumerate(one.nodes):
            number = f" id {node['bucket']}" if "bucket" in node else ""
            lines.append(f" server {node['name']} 127.0.0.1:{answering} weight {node['weight']}{number}{' disabled' * (place in one.disabled)}")
    return lines


if __name__ == "__main__":
    unittest.main()
