"""Real servers for tests: started on free loopback ports, stopped by their own process id."""
import os
import resource
import selectors
import shutil
import signal
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
    candidate = 20000 + os.getpid() * 97 % 9000  # scripts that start at once look in different places
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


def wait_until(holds, what, seconds=30, pause=0.05):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if holds():
            return
        time.sleep(pause)
    raise AssertionError(f"{what}: not within {seconds} s")


def connection(place, timeout):
    """To a port of this host, to (host, port), or to the path of a unix socket."""
    if isinstance(place, str):
        client = socket.socket(socket.AF_UNIX)
        client.settimeout(timeout)
        try:
            client.connect(place)
        except OSError:
            client.close()
            raise
        return client
    return socket.create_connection(place if isinstance(place, tuple) else ("127.0.0.1", place), timeout=timeout)


def listens(place):
    try:
        connection(place, 1).close()
        return True
    except OSError:
        return False


def stop(process):
    """Until all its threads stand still."""
    process.send_signal(signal.SIGSTOP)

    def stands(thread):
        with open(f"/proc/{process.pid}/task/{thread}/stat", encoding="utf-8") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] == "T"
    wait_until(lambda: all(map(stands, os.listdir(f"/proc/{process.pid}/task"))), "it is stopped", pause=0.001)


class Processes:
    """Started programs and a folder for their files; all gone when the `with` block ends."""

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="arcwise-servers-")
        self.started = []
        return self

    def start(self, command, place):
        """`place`: where it will listen, as connection() takes it."""
        name = ":".join(map(str, place)) if isinstance(place, tuple) else os.path.basename(str(place))
        log = open(os.path.join(self.folder, f"{name}.log"), "wb")
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder)
        log.close()
        self.started.append(process)
        wait_until(lambda: process.poll() is not None or listens(place), f"{command[0]} at {place}")
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


def many_sockets():
    """A proxy keeps a connection to each server of each list."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, 16384), most))


class FakeMemcached:
    """Servers that answer every `get` with where they listen, "host:port" or a path, so that whoever asks through a proxy learns
    which one was chosen. One thread serves them all."""

    def __init__(self, places):
        self.selector = selectors.DefaultSelector()
        self.sockets = []
        for place in places:
            if isinstance(place, str):
                listener = socket.socket(socket.AF_UNIX)
                listener.bind(place)
                listener.listen()
            else:
                listener = socket.create_server(place)
            self._watch(listener, place if isinstance(place, str) else f"{place[0]}:{place[1]}")
        self.wakes, self.wake = socket.socketpair()
        self._watch(self.wakes, None)
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def _watch(self, one, place, buffer=None):
        self.sockets.append(one)
        self.selector.register(one, selectors.EVENT_READ, (place, buffer))

    def _serve(self):
        while True:
            for event, _ in self.selector.select():
                place, buffer = event.data
                if place is None:
                    return
                if buffer is None:
                    self._watch(event.fileobj.accept()[0], place, bytearray())
                else:
                    self._answer(event.fileobj, place.encode(), buffer)

    def _answer(self, client, place, buffer):
        try:
            received = client.recv(1 << 16)
        except ConnectionError:
            received = b""
        if not received:
            self.selector.unregister(client)
            client.close()
            return
        buffer += received
        *lines, rest = buffer.split(b"\r\n")
        buffer[:] = rest
        values = [b"".join(b"VALUE %s 0 %d\r\n%s\r\n" % (key, len(place), place) for key in line.split()[1:]) for line in lines]
        client.sendall(b"".join(value + b"END\r\n" for value in values))

    def close(self):
        self.wake.close()
        self.thread.join()
        for one in self.sockets:
            one.close()
        self.selector.close()


class Pipeline:
    """A connection on which many requests are under way at once."""

    AT_ONCE = 100

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=120)
        self.lines = self.socket.makefile("rb")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.lines.close()
        self.socket.close()

    def answers(self, requests, read):
        found = []
        for start in range(0, len(requests), self.AT_ONCE):
            part = requests[start:start + self.AT_ONCE]
            self.socket.sendall(b"".join(part))
            found += [read(request) for request in part]
        return found

    def memcached_values(self, keys):
        """A value is None where the proxy could not reach its server."""
        def value(request):
            head = self.lines.readline()
            if head.startswith(b"SERVER_ERROR"):
                return None
            if not head.startswith(b"VALUE"):
                raise AssertionError(f"{request!r}: {head!r}")
            text = self.lines.readline().strip()
            self.lines.readline()
            return text.decode()
        return self.answers([b"get %s\r\n" % key for key in keys], value)

    def http_servers(self, requests):
        """What the header X-Server of each answer says."""
        def server(request):
            status, name = self.lines.readline(), None
            while line := self.lines.readline().strip():
                if line.lower().startswith(b"x-server:"):
                    name = line[9:].strip().decode()
            if b" 204 " not in status or name is None:
                raise AssertionError(f"{request!r}: {status!r}")
            return name
        return self.answers(requests, server)


class RedisError(Exception):
    pass


class Redis:
    """RESP2, as much as the tests ask for."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=10)
        self.lines = self.socket.makefile("rb")

    def __call__(self, *words):
        reply = self.replies([words])[0]
        if isinstance(reply, RedisError):
            raise reply
        return reply

    def replies(self, commands):
        """Sends all commands, then reads the replies; an error is a reply."""
        request = bytearray()
        for words in commands:
            words = [word if isinstance(word, bytes) else str(word).encode() for word in words]
            request += b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words)
        self.socket.sendall(request)
        return [self._reply() for _ in commands]

    def _reply(self):
        line = self.lines.readline()[:-2]
        kind, rest = line[:1], line[1:]
        if kind == b"-":
            return RedisError(rest.decode())
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
