#!/usr/bin/env python3
"""twemproxy_tests.py FOLDER: runs the functions `test_…` of twemproxy's own tests with arcwised in its place. What starts and stops
servers there is replaced by the classes here, which have the same names."""
import importlib
import os
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import types

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "tests", "support"))
from servers import listens, program, wait_until  # noqa: E402

MODULES = ["test_memcache.test_gets", "test_redis.test_auth", "test_redis.test_basic", "test_redis.test_commands",
           "test_redis.test_mget_large_binary", "test_redis.test_mget_mset", "test_redis.test_pipeline", "test_redis.test_protocol"]
# It leaves a server busy for seconds; what its timeout is told by are twemproxy's words.
LEFT_OUT = {"test_slow_req_lua"}
SCRATCH = tempfile.TemporaryDirectory(prefix="arcwise-suite-n-")


class Server:
    def __init__(self, host, port):
        self.args = {"host": host, "port": port}
        self.process = None

    def host(self):
        return self.args["host"]

    def port(self):
        return self.args["port"]

    def clean(self):
        pass

    deploy = clean

    def _alive(self):
        return bool(self.process) and self.process.poll() is None and listens((self.host(), self.port()))

    def start(self):
        if not self._alive():
            self.process = subprocess.Popen(self.command(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, cwd=SCRATCH.name)
            wait_until(self._alive, "it listens")

    def stop(self):
        if self.process:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(timeout=20)
            self.process = None


class RedisServer(Server):
    def __init__(self, host, port, path, cluster_name, server_name, auth=None):
        super().__init__(host, port)
        self.name, self.auth = server_name, auth

    def command(self):
        return [program("redis-server"), "--save", "", "--bind", self.host(), "--port", str(self.port())] + (
            ["--requirepass", self.auth] if self.auth else [])

    def slaveof(self, host, port):
        subprocess.run([program("redis-cli"), "-p", str(self.port()), "SLAVEOF", str(host), str(port)], check=True)


class Memcached(Server):
    def __init__(self, host, port, path, cluster_name, server_name):
        super().__init__(host, port)
        self.name = server_name

    def command(self):
        return [program("memcached"), "-u", "root", "-l", self.host(), "-p", str(self.port())]


class NutCracker(Server):
    def __init__(self, host, port, path, cluster_name, masters, mbuf=512, verbose=5, is_redis=True, redis_auth=None, sentinels=None):
        super().__init__(host, port)
        self.masters, self.redis, self.auth = masters, is_redis, redis_auth
        self.args["cluster_name"] = cluster_name

    def command(self):
        lines = ["ntest:", f"  listen: {self.host()}:{self.port()}", "  hash: fnv1a_64", "  distribution: modula", "  auto_eject_hosts: false",
                 f"  redis: {str(self.redis).lower()}", "  timeout: 400", "  preconnect: true", "  backlog: 512", "  client_connections: 0",
                 "  server_connections: 1", "  server_retry_timeout: 2000", "  server_failure_limit: 2"]
        lines += [f"  redis_auth: {self.auth}"] if self.auth else []
        lines += ["  servers:"] + [f"    - {each.host()}:{each.port()}:1 {each.name}" for each in self.masters]
        path = os.path.join(SCRATCH.name, f"{self.port()}.yml")
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        return [os.environ["ARCWISED"], "--config", path, "--timeout", "10s", "--set", "first_retry=10ms", "--set", "last_retry=10ms"]

    def signal(self, name):
        self.process.send_signal(getattr(signal, f"SIG{name}"))


def stand_ins():
    modules = {"server_modules": {each.__name__: each for each in (RedisServer, Memcached, NutCracker)}, "conf": {}, "nose": {},
               "nose.tools": {"nottest": lambda test: setattr(test, "__test__", False) or test}}
    for name, members in modules.items():
        module = types.ModuleType(name)
        vars(module).update(members)
        sys.modules[name] = module


def run(name):
    module = importlib.import_module(name)
    tests = {n: f for n, f in vars(module).items() if n.startswith("test_") and callable(f) and getattr(f, "__test__", True)
             and f.__module__ == name and n not in LEFT_OUT}
    module.setup()
    for test, function in tests.items():
        try:
            function()
            print(f"{name.rsplit('.')[1]}.{test} ok", flush=True)
        except Exception:  # noqa: BLE001: whatever fails in it
            print(f"{name.rsplit('.')[1]}.{test} failed", flush=True)
            traceback.print_exc()
    servers = [value for value in vars(module).values() if isinstance(value, Server)] + vars(module).get("all_redis", []) + vars(module).get("all_mc", [])
    for server in servers:
        server.stop()
    time.sleep(0.1)


if __name__ == "__main__":
    sys.path[:0] = [sys.argv[1], os.path.join(sys.argv[1], "lib")]
    stand_ins()
    for each in MODULES:
        try:
            run(each)
        except Exception:  # noqa: BLE001
            print(f"{each.rsplit('.')[1]}.setup failed", flush=True)
            traceback.print_exc()
