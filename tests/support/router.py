"""arcwised before real servers, as tests start it."""
import os
import unittest

from servers import Processes, connection, free_ports, program

# A sanitized router is measured as well: what it has freed is not to be kept for long.
os.environ["ASAN_OPTIONS"] = ":".join(filter(None, [os.environ.get("ASAN_OPTIONS"), "quarantine_size_mb=1"]))
ARCWISED = os.path.abspath(os.environ.get("ARCWISED") or "build/bin/arcwised")


class Connection:
    """A client that says bytes and reads lines."""

    def __init__(self, place, timeout=20):
        self.socket = connection(place, timeout)
        self.file = self.socket.makefile("rb")

    def say(self, data):
        self.socket.sendall(data if isinstance(data, bytes) else data.encode())
        return self

    def line(self):
        return self.file.readline().decode().rstrip("\r\n")

    def lines(self, count):
        return [self.line() for _ in range(count)]

    def close(self):
        self.file.close()
        self.socket.close()


class Speaker(Connection):
    """A client that speaks a protocol."""

    def __init__(self, place, protocol, timeout=20):
        super().__init__(place, timeout)
        self.protocol = protocol

    def heard(self):
        """The next answer; None where the connection ended instead."""
        return self.protocol.read(self.file)

    def ask(self, request):
        return self.say(request).heard()

    def set(self, key, value):
        return self.ask(self.protocol.set(key, value))

    def get(self, key):
        return self.ask(self.protocol.get(key))


def redis_command(*words):
    return f"*{len(words)}\r\n" + "".join(f"${len(w)}\r\n{w}\r\n" for w in words)


def pool(name, listen, servers, **settings):
    lines = [f"{name}:", f"  listen: 127.0.0.1:{listen}"]
    lines += [f"  {key}: {value}" for key, value in settings.items()]
    return "\n".join(lines + ["  servers:"] + [f"   - 127.0.0.1:{port}:{weight} {label}" for port, weight, label in servers]) + "\n"


def host_of(place):
    return place if isinstance(place, tuple) else ("127.0.0.1", place)


class RouterTest(unittest.TestCase):
    options = ()

    def setUp(self):
        self.processes = Processes().__enter__()
        self.addCleanup(lambda: self.processes.__exit__())

    def write(self, name, text):
        path = os.path.join(self.processes.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def memcached(self, place, *more):
        at = ["-s", place] if isinstance(place, str) else ["-l", host_of(place)[0], "-p", str(host_of(place)[1])]
        self.processes.start([program("memcached"), "-u", "root", "-m", "64", *at, *more], place)
        return self.processes.started[-1]

    def redis(self, place):
        at = ["--port", "0", "--unixsocket", place] if isinstance(place, str) else ["--bind", host_of(place)[0], "--port",
                                                                                   str(host_of(place)[1])]
        self.processes.start([program("redis-server"), "--save", "", "--dir", self.processes.folder, *at], place)
        return self.processes.started[-1]

    def router(self, config, port):
        self.processes.start([ARCWISED, "--config", config, *self.options], port)
        return self.processes.started[-1]

    def one_pool(self, servers, redis=False, **settings):
        """The router before so many servers; its port, and theirs."""
        ports = free_ports(servers + 1)
        self.started = [(self.redis if redis else self.memcached)(port) for port in ports[1:]]
        if redis:
            settings["redis"] = "true"
        listed = [(port, 1, f"s{i}") for i, port in enumerate(ports[1:])]
        settings = {"hash": "fnv1a_64", "distribution": "ketama", "timeout": 400, **settings}
        self.process = self.router(self.write("pool.yml", pool("cache", ports[0], listed, **settings)), ports[0])
        return ports[0], ports[1:]

    def speaker(self, place, protocol):
        client = Speaker(place, protocol)
        self.addCleanup(client.close)
        return client

    def resident(self):
        """MB of memory that the router has."""
        with open(f"/proc/{self.process.pid}/status", encoding="utf-8") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) // 1000

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))
