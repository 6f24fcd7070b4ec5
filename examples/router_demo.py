#!/usr/bin/env python3
"""The router at work: five memcached and two Redis servers, arcwised in front of them, a load that notices stale
values, a server that is killed and comes back, and a sixth that joins by a new map.

  examples/router_demo.py [--once]     --once ends by itself; else it goes on until Ctrl-C

$ARCWISE and $ARCWISED are the programs; build/bin/ is taken otherwise. Everything listens on 127.0.0.1 only.
"""
import argparse
import collections
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
ARCWISE = os.environ.get("ARCWISE") or str(HERE.parent / "build/bin/arcwise")
ARCWISED = os.environ.get("ARCWISED") or str(HERE.parent / "build/bin/arcwised")
KEYS_OF_A_WORKER = 1000


def bold(text):
    return f"\033[1m{text}\033[0m" if sys.stdout.isatty() and not os.environ.get("NO_COLOR") else text


def free_ports(count):
    """Below those that the kernel hands out by itself, which a connection may have by the time they are needed."""
    sockets, candidate = [], 20000 + os.getpid() * 97 % 9000
    while len(sockets) < count:
        candidate += 1
        try:
            sockets.append(socket.create_server(("127.0.0.1", candidate)))
        except OSError:
            pass
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def wait_for(port, process, seconds=10):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise SystemExit(f"router_demo: {process.args[0]} ended with {process.returncode}")
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.02)
    raise SystemExit(f"router_demo: nothing listens on port {port} after {seconds} s")


class Processes:
    """What was started, stopped by its own process id."""

    def __init__(self, folder):
        self.folder = folder
        self.running = []

    def start(self, command, port, log):
        with open(self.folder / log, "ab") as output:
            # Ctrl-C is for this program, which stops the others in their order.
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                       cwd=self.folder, start_new_session=True)
        self.running.append(process)
        wait_for(port, process)
        return process

    def stop(self, process, how=signal.SIGTERM):
        process.send_signal(how)
        try:
            process.wait(timeout=8)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        self.running.remove(process)

    def stop_all(self):
        for process in reversed(list(self.running)):
            self.stop(process)


class Worker(threading.Thread):
    """Writes and reads keys that nobody else writes, so that it knows what a read may give: what was acknowledged
    last, or what was sent after it and not acknowledged, or nothing."""

    def __init__(self, number, port, redis, counts):
        super().__init__(daemon=True)
        self.name_of = [f"{'cart' if redis else 'session'}:{number}:{i}" for i in range(KEYS_OF_A_WORKER)]
        self.acknowledged = [0] * KEYS_OF_A_WORKER
        self.version = 0
        self.port, self.redis, self.counts = port, redis, counts
        self.random = random.Random(number)
        self.filled, self.ending = threading.Event(), threading.Event()

    def run(self):
        try:
            self.go_on()
        except OSError as error:
            if not self.ending.is_set():
                self.counts["broken"] += 1
                print(f"router_demo: a client's connection broke: {error}", file=sys.stderr)

    def go_on(self):
        with socket.create_connection(("127.0.0.1", self.port)) as connection:
            self.connection, self.input = connection, connection.makefile("rb")
            for key in range(KEYS_OF_A_WORKER):
                self.write(key)
            self.filled.set()
            while not self.ending.is_set():
                key = self.random.randrange(KEYS_OF_A_WORKER)
                self.write(key) if self.random.random() < 0.2 else self.read(key)
                self.counts["requests"] += 1

    def say(self, *words):
        words = [word.encode() for word in words]
        if self.redis:
            self.connection.sendall(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in words))
        elif words[0] == b"SET":
            self.connection.sendall(b"set %s 0 0 %d\r\n%s\r\n" % (words[1], len(words[2]), words[2]))
        else:
            self.connection.sendall(b"get %s\r\n" % words[1])
        return self.input.readline()

    def write(self, key):
        self.version += 1
        if self.say("SET", self.name_of[key], str(self.version)) in (b"STORED\r\n", b"+OK\r\n"):
            self.acknowledged[key] = self.version
        else:
            self.counts["errors"] += 1

    def read(self, key):
        line = self.say("GET", self.name_of[key])
        if line in (b"END\r\n", b"$-1\r\n"):
            self.counts["misses"] += 1
        elif line.startswith((b"VALUE", b"$")):
            version = int(self.input.readline())
            if not self.redis:
                self.input.readline()
            self.counts["hits"] += 1
            self.counts["stale"] += version < self.acknowledged[key]
        else:
            self.counts["errors"] += 1
            if line == b"":
                raise ConnectionError("arcwised closed it")


class Demo:
    def __init__(self, folder):
        self.folder = folder
        self.processes = Processes(folder)
        *self.cache_ports, self.redis_a, self.redis_b, self.memcached, self.redis, self.admin = free_ports(11)
        self.counts = collections.Counter()
        self.caches = {}
        self.workers = []

    def map_of(self, name, epoch, nodes):
        lines = [f"arcwise: 1\ncluster: {name}\nepoch: {epoch}\nplacement:\n  recipe: ring\n  tokens: 160\nnodes:"]
        lines += [f'  - {{name: {node}, address: "127.0.0.1:{port}", rack: r{i % 3 + 1}}}'
                  for i, (node, port) in enumerate(nodes)]
        # Replaced as a whole, as every map that a router watches should be.
        path = self.folder / f"{name}.yaml"
        new = path.with_suffix(".new")
        new.write_text("\n".join(lines) + "\n", encoding="utf-8")
        os.replace(new, path)
        return path

    def cache_nodes(self, count):
        return [(f"cache-{i + 1}", port) for i, port in enumerate(self.cache_ports[:count])]

    def start_cache(self, number):
        port = self.cache_ports[number - 1]
        self.caches[number] = self.processes.start(
            ["memcached", "-l", "127.0.0.1", "-p", str(port), "-U", "0", "-m", "64", "-u", "nobody"], port,
            f"cache-{number}.log")

    def start(self):
        for number in range(1, 6):
            self.start_cache(number)
        for name, port in (("store-1", self.redis_a), ("store-2", self.redis_b)):
            self.processes.start(["redis-server", "--bind", "127.0.0.1", "--port", str(port), "--save", "", "--daemonize", "no"],
                                 port, f"{name}.log")
        self.map_of("caches", 1, self.cache_nodes(5))
        self.map_of("stores", 1, [("store-1", self.redis_a), ("store-2", self.redis_b)])
        (self.folder / "arcwised.yaml").write_text(f"""arcwised: 1
admin: 127.0.0.1:{self.admin}
pools:
  caches:
    listen: 127.0.0.1:{self.memcached}
    protocol: memcached
    map: caches.yaml
    timeout: 250ms
    clients: 100
    on_failure: miss
  stores:
    listen: 127.0.0.1:{self.redis}
    protocol: redis
    map: stores.yaml
    timeout: 250ms
    clients: 100
""", encoding="utf-8")
        self.processes.start([ARCWISED, "--config", str(self.folder / "arcwised.yaml")], self.memcached, "arcwised.log")
        for number in range(4):
            redis = number == 3
            worker = Worker(number, self.redis if redis else self.memcached, redis, self.counts)
            worker.start()
            self.workers.append(worker)
        for worker in self.workers:
            worker.filled.wait(timeout=20)

    def phase(self, what, seconds, moved):
        """What the load meets from now on."""
        self.counts.clear()
        time.sleep(seconds)
        seen = dict(self.counts)
        reads = seen.get("hits", 0) + seen.get("misses", 0)
        hit = f"{100 * seen.get('hits', 0) / reads:.1f} %" if reads else "–"
        print(f"{what:<44}{seen.get('requests', 0):>9,}{hit:>11}{seen.get('errors', 0):>9,}"
              f"{seen.get('stale', 0):>8,}{moved:>18}", flush=True)
        return seen

    def owners(self):
        keys = "\n".join(name for worker in self.workers if not worker.redis for name in worker.name_of)
        done = subprocess.run([ARCWISE, "locate", str(self.folder / "caches.yaml"), "--keys", "-"], input=keys, text=True,
                              capture_output=True, check=True)
        return done.stdout.splitlines()

    def run(self, once):
        seconds = 2.5 if once else 5
        print(f"{bold('page')}       http://127.0.0.1:{self.admin}/")
        print(f"{bold('memcached')}  127.0.0.1:{self.memcached}     {bold('redis')}  127.0.0.1:{self.redis}\n")
        print(bold(f"{'':<44}{'requests':>9}{'hit ratio':>11}{'errors':>9}{'stale':>8}{'keys moved':>18}"))
        seen = [self.phase("five caches", seconds, "")]
        before = self.owners()
        self.processes.stop(self.caches[3], signal.SIGKILL)
        seen.append(self.phase("cache-3 is killed: its keys miss, others stay", seconds, self.moved(before)))
        self.start_cache(3)
        seen.append(self.phase("cache-3 is back, empty", seconds, self.moved(before)))
        self.start_cache(6)
        self.map_of("caches", 2, self.cache_nodes(6))
        seen.append(self.phase("cache-6 joins by a new map, epoch 2", seconds, self.moved(before)))
        stale, broken = (sum(one.get(what, 0) for one in seen) for what in ("stale", "broken"))
        print(f"\n{stale} stale values read, {broken} connections broken.")
        print("Errors are writes to the server that is away, each answered at once; its reads are misses (`on_failure: miss`).")
        print(f"\n{bold('What arcwised said')}")
        print((self.folder / "arcwised.log").read_text(encoding="utf-8").rstrip())
        if not once:
            print(f"\nThe load goes on; the page is at http://127.0.0.1:{self.admin}/. Ctrl-C stops everything.")
            while True:
                self.phase("six caches", 10, self.moved(before))
        return 1 if stale or broken else 0

    def moved(self, before):
        now = self.owners()
        moved = sum(a != b for a, b in zip(before, now))
        return f"{moved:,} of {len(now):,}"

    def stop(self):
        for worker in self.workers:
            worker.ending.set()
        for worker in self.workers:
            worker.join(timeout=5)
        self.processes.stop_all()


def main():
    parser = argparse.ArgumentParser(prog="router_demo.py", description=__doc__.split("\n\n")[0])
    parser.add_argument("--once", action="store_true", help="end by itself")
    options = parser.parse_args()
    for name in ("memcached", "redis-server", ARCWISE, ARCWISED):
        if not shutil.which(name):
            raise SystemExit(f"router_demo: {name} is not there; ./dev demo installs and builds what is needed")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    folder = pathlib.Path(tempfile.mkdtemp(prefix="arcwise-demo-"))
    demo = Demo(folder)
    try:
        demo.start()
        return demo.run(options.once)
    except KeyboardInterrupt:
        return 0
    finally:
        demo.stop()
        shutil.rmtree(folder, ignore_errors=True)
        print("\nEverything that was started has been stopped.")


if __name__ == "__main__":
    sys.exit(main())
