"""Real servers for tests: started on free loopback ports, stopped by their own process id."""
import os
import shutil
import socket
import subprocess
import tempfile
import threading
import time

PATH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"


def program(name):
    """The program's path. A missing one fails the test: an answer that was not asked for is not a pass."""
    found = shutil.which(name, path=PATH)
    if not found:
        raise AssertionError(f"{name} is not installed (packaging/apt-packages.txt lists it)")
    return found


def free_ports(count):
    """Ports that were free a moment ago, below the range that the kernel hands out by itself."""
    sockets, ports = [], []
    candidate = 20000 + os.getpid() % 9000
    while len(ports) < count:
        candidate += 1
        probe = socket.socket()
        try:
            probe.bind(("127.0.0.1", candidate))
        except OSError:
            probe.close()
            continue
        sockets.append(probe)
        ports.append(candidate)
    for probe in sockets:
        probe.close()
    return ports


def wait_until(holds, what, seconds=30):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if holds():
            return
        time.sleep(0.05)
    raise AssertionError(f"{what}: not within {seconds} s")


def listens(port):
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
        return True
    except OSError:
        return False


class Processes:
    """Started programs and a folder for their files; all gone when the `with` block ends."""

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="arcwise-servers-")
        self.started = []
        return self

    def start(self, command, port):
        log = open(os.path.join(self.folder, f"{port}.log"), "wb")
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder)
        log.close()
        self.started.append(process)
        wait_until(lambda: process.poll() is not None or listens(port), f"{command[0]} on port {port}")
        if process.poll() is not None:
            with open(log.name, "rb") as text:
                raise AssertionError(f"{command[0]} ended: {text.read().decode(errors='replace')[-2000:]}")

    def __exit__(self, *_):
        for process in self.started:
            process.terminate()
        for process in self.started:
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class FakeMemcached:
    """Answers every `get` with its own port, so that whoever asks through a proxy learns which backend was chosen."""

    def __init__(self, port):
        self.port = port
        self.listener = socket.create_server(("127.0.0.1", port))
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        answer = str(self.port).encode()
        with client, client.makefile("rb") as lines:
            for line in lines:
                words = line.split()
                if words and words[0] == b"get":
                    for key in words[1:]:
                        client.sendall(b"VALUE %s 0 %d\r\n%s\r\n" % (key, len(answer), answer))
                    client.sendall(b"END\r\n")

    def close(self):
        self.listener.close()


class Memcached:
    """A memcached client that can only ask."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=10)
        self.lines = self.socket.makefile("rb")

    def get(self, key):
        self.socket.sendall(b"get %s\r\n" % key.encode())
        head = self.lines.readline()
        if not head.startswith(b"VALUE"):
            raise AssertionError(f"get {key}: {head!r}")
        value = self.lines.readline().strip()
        self.lines.readline()
        return value.decode()

    def close(self):
        self.lines.close()
        self.socket.close()


class RedisError(Exception):
    pass


class Redis:
    """RESP2, as much as the tests ask for."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=10)
        self.lines = self.socket.makefile("rb")

    def __call__(self, *words):
        words = [word if isinstance(word, bytes) else str(word).encode() for word in words]
        self.socket.sendall(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words))
        return self._reply()

    def _reply(self):
        line = self.lines.readline()[:-2]
        kind, rest = line[:1], line[1:]
        if kind == b"-":
            raise RedisError(rest.decode())
        if kind == b":":
            return int(rest)
        if kind == b"$":
            return None if rest == b"-1" else self.lines.read(int(rest) + 2)[:-2]
        if kind == b"*":
            return [self._reply() for _ in range(int(rest))]
        return rest

    def close(self):
        self.lines.close()
        self.socket.close()
