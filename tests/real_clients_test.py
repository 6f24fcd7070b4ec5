#!/usr/bin/env python3
"""Client libraries as they are installed, asked for lists and keys made up from a seed: Arcwise names the same servers."""
# Plain build only: it starts the binary for its answers alone, on some hundred lists.
import base64
import itertools
import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
import made_up  # noqa: E402
from compared import LISTS, SOURCE, Table, Tally, cluster_map, debian_version, locate, python_module  # noqa: E402
from servers import FakeMemcached, many_sockets, program  # noqa: E402

TABLE = Table("clients")
ASK = SOURCE / "tests/support/ask"
NODE_MODULES = SOURCE / "build-test/npm/node_modules"


def tearDownModule():
    TABLE.close()


def text(server):
    return server if isinstance(server, str) else f"{server[0]}:{server[1]}"


def bracketed(server):
    return f"[{server[0]}]:{server[1]}" if ":" in server[0] else text(server)


def ask(command, lists, **question):
    """Runs a script that answers lists of keys; (its version, the answers to each list)."""
    lists = [{**one, "keys": [base64.b64encode(key).decode() for key in one["keys"]]} for one in lists]
    done = subprocess.run(command, input=json.dumps({**question, "lists": lists}).encode(), capture_output=True, check=False,
                          env={**os.environ, "NODE_PATH": str(NODE_MODULES)})
    if done.returncode != 0:
        raise AssertionError(f"{command[-1]}: exit {done.returncode}: {(done.stderr or done.stdout).decode()[-2000:]}")
    found = json.loads(done.stdout)
    return found["version"], found["answers"]


class Clients(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="arcwise-clients-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def compare(self, tally, what, cluster, keys, really):
        """`really` names a server, or is its place in the map."""
        names = [node["name"] for node in cluster["nodes"]]
        really = [[names[server] if isinstance(server, int) else server] for server in really]
        tally.compare(what, keys, really, locate(self.folder, cluster, keys))

    def test_libmemcached(self):
        sys.path.insert(0, str(ASK))
        try:
            import libmemcached  # pylint: disable=import-outside-toplevel
        except OSError as error:
            raise AssertionError(f"{error} (packaging/apt-packages.txt lists libmemcached11)") from error
        rng = made_up.generator("libmemcached")
        tally = Tally("libmemcached", libmemcached.version())
        hashes = sorted(set(libmemcached.HASH) - {"hsieh"})  # Debian builds the library without it
        for case in libmemcached_cases(rng, hashes):
            servers = made_up.addresses(rng, case["size"] or rng.randrange(2, 41))
            if not case["size"] and "sort_hosts" not in case["settings"]:
                servers += [f"/run/mc{rng.randrange(1000)}.sock"]
            weights = made_up.weights(rng, len(servers), zero=True, shares=case["recipe"] != "libmemcached-modula") if case["weighted"] else [1] * len(servers)
            if case["weighted"] == "really":
                weights[0] = 7
            keys = made_up.keys(rng, raw=True)
            with libmemcached.Client() as client:
                for option in case["before"]:
                    client.set(*option)
                if "prefix" in case["settings"]:
                    client.prefix(case["settings"]["prefix"])
                for server, weight in zip(servers, weights):
                    client.add(server, weight)
                for option in case["after"]:
                    client.set(*option)
                really = client.servers_of(keys)
            nodes = [{"name": text(server), "weight": weight} for server, weight in zip(servers, weights)]
            cluster = cluster_map(case["recipe"], nodes, hash=case["hash"], settings=case["settings"])
            self.compare(tally, f"{case}, {len(servers)} servers", cluster, keys, really)
        for number in range(4 * LISTS):
            words, keys = libmemcached_words(rng), made_up.keys(rng, raw=True)
            with libmemcached.Client(" ".join(words)) as client:
                really = client.servers_of(keys)
            path = self.write(f"options{number}.txt", " ".join(words) + "\n")
            tally.compare(" ".join(words), keys, [[server] for server in really], locate(self.folder, path, keys))
        TABLE.check(self, tally)

    def test_php_memcached(self):
        rng = made_up.generator("php-memcached")
        consistent = ["OPT_DISTRIBUTION", "DISTRIBUTION_CONSISTENT"]
        compatible, md5, crc = ["OPT_LIBKETAMA_COMPATIBLE", True], ["OPT_HASH", "HASH_MD5"], ["OPT_HASH", "HASH_CRC"]
        prefixed = [["OPT_PREFIX_KEY", "'app:"], ["OPT_HASH_WITH_PREFIX_KEY", True]]
        cases = 2 * [  # options before and after addServers; weights; recipe and what it is told
            ([], [], True, "libmemcached-modula", {}),
            ([], [["OPT_SORT_HOSTS", True]], True, "libmemcached-modula", {"settings": {"sort_hosts": "true"}}),
            (prefixed, [], True, "libmemcached-modula", {"settings": {"prefix": "app:"}}),
            ([consistent], [], False, "libmemcached-consistent", {}),
            ([], [consistent], True, "libmemcached-consistent", {}),
            ([], [consistent, md5], True, "libmemcached-consistent", {"hash": "md5_ketama", "settings": {"point_hash": "one_at_a_time"}}),
            ([consistent], [], "really", "libmemcached-ketama-weighted", {"hash": "one_at_a_time"}),
            ([compatible], [], True, "libmemcached-ketama-weighted", {}),
            ([], [compatible], True, "libmemcached-ketama-weighted", {}),
            ([compatible], [crc], True, "libmemcached-ketama-weighted", {"hash": "crc32_15bit"})]
        for name, ours in (("MD5", "md5_ketama"), ("CRC", "crc32_15bit"), ("FNV1_64", "fnv1_64_low32"), ("FNV1A_64", "fnv1a_64_low32"),
                           ("FNV1_32", "fnv1_32"), ("FNV1A_32", "fnv1a_32"), ("MURMUR", "murmur2_seed_len")):
            chosen = ["OPT_HASH", "HASH_" + name]
            cases += [([chosen], [], True, "libmemcached-modula", {"hash": ours}),
                      ([chosen, consistent], [], False, "libmemcached-consistent", {"hash": ours})]
        lists, maps = [], []
        for before, after, weighted, recipe, placement in cases:
            servers = made_up.addresses(rng, rng.randrange(2, 41))
            weights = made_up.weights(rng, len(servers), zero=True, shares=True) if weighted else [1] * len(servers)
            if weighted == "really":
                weights[0] = 7
            nodes = [{"name": text(server), "weight": weight} for server, weight in zip(servers, weights)]
            maps.append(cluster_map(recipe, nodes, **placement))
            code = self.write(f"client{len(lists)}.php", php_code(before, zip(servers, weights), after))
            lists.append({"code": code, "keys": made_up.keys(rng, raw=True)})
        version, answers = ask([program("php"), str(ASK / "php_memcached.php")], lists)
        tally = Tally("php-memcached", version)
        for (before, after, *_), one, cluster, answer in zip(cases, lists, maps, answers):
            self.compare(tally, f"{before}, then {after}", cluster, one["keys"], answer)
            tally.compare(f"{before}, then {after}, by its code", one["keys"], [[server] for server in answer],
                          locate(self.folder, one["code"], one["keys"]))
        TABLE.check(self, tally)

    def test_dalli(self):
        rng = made_up.generator("dalli")
        lists, maps = [], []
        for size in [1, 2, 5, 12, 40, 150] + [rng.randrange(2, 41) for _ in range(LISTS)]:
            servers = [bracketed(server) for server in made_up.addresses(rng, size)] + [f"/run/mc{rng.randrange(1000)}.sock"]
            weights = made_up.weights(rng, len(servers), zero=True, shares=True)
            maps.append(cluster_map("dalli", [{"name": server, "weight": weight} for server, weight in zip(servers, weights)]))
            lists.append({"servers": [f"{server}:{weight}" for server, weight in zip(servers, weights)], "keys": made_up.keys(rng, raw=True)})
        version, answers = ask([program("ruby"), str(ASK / "dalli.rb")], lists)
        tally = Tally("dalli", version)
        for one, cluster, answer in zip(lists, maps, answers):
            self.compare(tally, f"{len(one['servers'])} servers", cluster, one["keys"], answer)
        TABLE.check(self, tally)

    def test_pymemcache(self):
        python_module("pymemcache")
        client = python_module("pymemcache.client.hash")
        rng = made_up.generator("pymemcache")
        tally = Tally("pymemcache", python_module("pymemcache").__version__)
        sizes = [2, 3, 120] + [rng.randrange(2, 20) for _ in range(2 * LISTS - 2)]  # it hashes every server with every key, in Python
        for size, key_type in zip(sizes, itertools.cycle(["str", "bytes"])):
            servers = [bracketed(server) for server in made_up.addresses(rng, size)] + ["/run/mc.sock", "unix:/run/other.sock", "memcached"]
            names = {"/run/other.sock": "unix:/run/other.sock", "memcached:11211": "memcached"}  # where the client has another text
            hasher = client.HashClient(servers).hasher
            keys = made_up.keys(rng, raw=key_type == "bytes")
            really = [hasher.get_node(key if key_type == "bytes" else key.decode()) for key in keys]
            names.update({server.replace("[", "").replace("]", ""): server for server in servers if "[" in server})
            cluster = cluster_map("pymemcache-rendezvous", servers, settings={"key_type": key_type})
            self.compare(tally, f"{len(servers)} servers, {key_type}", cluster, keys, [names.get(node, node) for node in really])
        TABLE.check(self, tally)

    def test_python_memcached(self):
        memcache = python_module("memcache")
        rng = made_up.generator("python-memcached")
        tally = Tally("python-memcached", memcache.__version__)
        for size in [2, 150] + [rng.randrange(2, 41) for _ in range(LISTS)]:
            servers = [text(server) for server in made_up.addresses(rng, size, ipv6=False)]
            weights = made_up.weights(rng, size)
            client = memcache.Client(list(zip(servers, weights)))
            for server in client.servers:
                server.connect = lambda: True  # none runs: all are said to
            keys = made_up.keys(rng, raw=True)
            really = [client._get_server(key)[0].address for key in keys]  # pylint: disable=protected-access
            cluster = cluster_map("python-memcached", [{"name": server, "weight": weight} for server, weight in zip(servers, weights)])
            self.compare(tally, f"{size} servers", cluster, keys, [f"{host}:{port}" for host, port in really])
        TABLE.check(self, tally)

    def perl(self, module, cases, places):
        """cases: (recipe, options)."""
        rng = made_up.generator(module)
        lists, maps = [], []
        for recipe, options in cases:
            for size in [2, min(100, len(places))] + [rng.randrange(2, 41) for _ in range(LISTS)]:
                servers = [text(place) for place in rng.sample(places, size)]
                weights = made_up.weights(rng, size)
                maps.append(cluster_map(recipe, [{"name": server, "weight": weight} for server, weight in zip(servers, weights)]))
                lists.append({"servers": list(zip(servers, weights)), "options": options, "keys": made_up.keys(rng, raw=True)})
        version, answers = ask([program("perl"), str(ASK / "perl_memcached.pl")], lists, module=module)
        tally = Tally(module, version)
        for one, cluster, answer in zip(lists, maps, answers):
            self.compare(tally, f"{one['options']}, {len(one['servers'])} servers", cluster, one["keys"], answer)
        TABLE.check(self, tally)

    def test_perl_cache_memcached(self):
        self.perl("Cache::Memcached", [("nginx-hash", {})], made_up.addresses(made_up.generator("Cache::Memcached servers"), 150, ipv6=False))

    def test_perl_cache_memcached_fast(self):
        many_sockets()
        places = made_up.loopback(made_up.generator("Cache::Memcached::Fast servers"), 100)
        backends = FakeMemcached(places)
        self.addCleanup(backends.close)
        self.perl("Cache::Memcached::Fast", [("nginx-hash", {}), ("nginx-consistent", {"ketama_points": 160})], places)

    def test_uhashring(self):
        uhashring = python_module("uhashring")
        rng = made_up.generator("uhashring")
        tally = Tally("uhashring", debian_version("python3-uhashring"))
        for recipe, placement, options in (("uhashring", {}, {}), ("uhashring", {"tokens": 23}, {"vnodes": 23}),
                                           ("uhashring-ketama", {}, {"hash_fn": "ketama"}),
                                           ("uhashring-ketama", {"tokens": 23}, {"hash_fn": "ketama", "vnodes": 23})):
            for size in [2, 7, 25, 150] + [rng.randrange(2, 41) for _ in range(LISTS)]:
                servers = [text(server) for server in made_up.addresses(rng, size)]
                weights = made_up.weights(rng, size, zero=True, shares=recipe == "uhashring-ketama")
                ring = uhashring.HashRing(nodes=dict(zip(servers, weights)), **options)
                keys = made_up.keys(rng, longest=5000)
                really = [ring.get_node(key.decode()) for key in keys]
                nodes = [{"name": server, "weight": weight} for server, weight in zip(servers, weights)]
                self.compare(tally, f"{recipe}, {size} servers, {options}", cluster_map(recipe, nodes, **placement), keys, really)
        TABLE.check(self, tally)

    def npm(self, module, cases, own_digests=False):
        """cases: (recipe, placement, algorithm, options); with `own_digests`, servers with `vnodes` are among them."""
        if not (NODE_MODULES / module).is_dir():
            raise AssertionError(f"npm {module} is not installed: `./dev test` does it, by `npm ci` in build-test/npm")
        rng = made_up.generator("npm " + module)
        lists, maps = [], []
        for recipe, placement, algorithm, options in cases:
            for size in [2, 7, 14, 25, 150] + [rng.randrange(2, 41) for _ in range(LISTS)]:
                servers = [text(server) for server in made_up.addresses(rng, size, ipv6=False)]  # it cuts at every colon
                weights = made_up.weights(rng, size, zero=True, shares=True)
                digests = [rng.randrange(1, 60) if own_digests and rng.randrange(2) else 0 for _ in servers]
                nodes = [{"name": server, "weight": weight, **({"bucket": own} if own else {})}
                         for server, weight, own in zip(servers, weights, digests)]
                given = {server: {"weight": weight, "vnodes": own} if own else weight for server, weight, own in zip(servers, weights, digests)}
                maps.append(cluster_map(recipe, nodes, **placement))
                lists.append({"servers": given, "algorithm": algorithm, "options": options, "keys": made_up.keys(rng, longest=5000)})
        version, answers = ask([program("node"), str(ASK / "hashring.js")], lists, module=module)
        tally = Tally("npm " + module, version)
        for one, cluster, answer in zip(lists, maps, answers):
            self.compare(tally, f"{one['algorithm']} {one['options']}, {len(one['servers'])} servers", cluster, one["keys"], answer)
        TABLE.check(self, tally)

    def test_npm_hashring(self):
        self.npm("hashring", [("hashring", {}, "md5", {}), ("hashring", {"hash": "sha1_le32"}, "sha1", {}),
                              ("hashring", {"settings": {"default_port": 11211}}, "md5", {"default port": 11211}),
                              ("hashring", {"tokens": 17}, "md5", {"vnode count": 17}),
                              ("hashring", {"settings": {"replicas": 2}}, "md5", {"replicas": 2}),
                              ("hashring-hash-ring", {}, "md5", {"compatibility": "hash_ring"})], own_digests=True)

    def test_npm_memcached(self):
        self.npm("memcached", [("npm-memcached", {}, "", {}), ("npm-memcached", {"hash": "sha1_le32"}, "", {"algorithm": "sha1"}),
                               ("hashring-hash-ring", {}, "", {"compatibility": "hash_ring"})], own_digests=True)


def php_code(before, servers, after):
    def option(name, value):
        value = f"{value}'" if str(value).startswith("'") else "true" if value is True else f"Memcached::{value}"
        return f"$m->setOption(Memcached::{name}, {value});\n"
    added = ",\n  ".join(f"['{host}', {port}, {weight}]" for (host, port), weight in servers)
    return ("<?php\n$m = new Memcached();\n" + "".join(option(*one) for one in before) + f"$m->addServers([\n  {added}]);\n" +
            "".join(option(*one) for one in after))


def libmemcached_words(rng):
    """A configuration string: servers and options in any order, which counts."""
    servers = made_up.addresses(rng, rng.randrange(2, 41), ipv6=False)
    words = [f"--SERVER={host}" + ("" if port == 11211 and rng.randrange(2) else f":{port}") + (f"/?{weight}" if weight != 1 else "")
             for (host, port), weight in zip(servers, made_up.weights(rng, len(servers), heaviest=rng.choice([20, 1000, 99999])))]  # beyond five digits it refuses
    words += [f'--SOCKET="/run/mc{rng.randrange(1000)}.sock"', rng.choice(["--TCP-NODELAY", "--CONNECT-TIMEOUT=100"])]
    options = [rng.choice(["--DISTRIBUTION=CONSISTENT", "--DISTRIBUTION=CONSISTENT,MD5", "--DISTRIBUTION=MODULA"]),
               "--HASH=" + rng.choice(["MD5", "CRC", "FNV1_64", "FNV1A_64", "FNV1_32", "FNV1A_32", "MURMUR", "JENKINS"]),
               "--SORT-HOSTS", '--NAMESPACE="app1:" --HASH-WITH-NAMESPACE']
    for option in rng.sample(options, rng.randrange(1, len(options) + 1)):
        words.insert(rng.choice([0, len(words), rng.randrange(len(words))]), option)
    return words


def libmemcached_cases(rng, hashes):
    """Options before and after the servers are added, and the recipe that then holds."""
    def case(recipe, hash_name, before, after=(), weighted=False, size=None, **settings):
        return {"recipe": "libmemcached-" + recipe, "hash": hash_name, "before": list(before), "after": list(after), "weighted": weighted,
                "size": size, "settings": settings}
    consistent, ketama, spy = (("distribution", name) for name in ("consistent", "ketama", "spy"))
    for name in hashes:
        chosen, other = ("hash", name), rng.choice(hashes)
        yield case("modula", name, [chosen], weighted=True)
        yield case("consistent", name, [chosen, rng.choice([consistent, ketama, ("ketama",)])])
        yield case("consistent", name, [chosen], [rng.choice([consistent, ketama])], weighted=True)
        yield case("consistent", name, [("hash", other), consistent], [chosen], point_hash=other)
        yield case("ketama-weighted", name, [("ketama_weighted",)], [chosen], weighted=True)
        yield case("ketama-weighted", name, [chosen, consistent], weighted="really")
        yield case("spy", name, [chosen, spy])
        yield case("spy-weighted", name, [("ketama_weighted",), spy, chosen], weighted=True)
    yield case("modula", "one_at_a_time", [], size=150)
    yield case("ketama-weighted", "md5_ketama", [("ketama_weighted",)], weighted=True, size=100)  # with 101 it aborts
    for _ in range(LISTS):
        yield case("ketama-weighted", "md5_ketama", [("ketama_weighted",)], weighted=True)
        yield case("modula", "one_at_a_time", [("sort_hosts",)], weighted=True, sort_hosts="true")
        yield case("modula", "one_at_a_time", [], prefix="app" + "x" * rng.randrange(60) + ":")


if __name__ == "__main__":
    unittest.main()
