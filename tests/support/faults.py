"""The router before a few real servers with which something is the matter, for either protocol."""
import contextlib
import os
import signal

from router import RouterTest
from servers import stop

KEYS = [b"%d:user" % (i * 7919) for i in range(60)]


class Faults(RouterTest):
    """Of one protocol."""
    protocol = None

    def serve(self, servers=3, **settings):
        self.port, self.ports = self.one_pool(servers, redis=self.protocol.is_redis, **settings)
        return self.client()

    def begin(self, place):
        return (self.redis if self.protocol.is_redis else self.memcached)(place)

    def pool_text(self, servers, timeout=2000):
        return (f"cache:\n  listen: 127.0.0.1:{self.port}\n  hash: fnv1a_64\n  distribution: ketama\n  timeout: {timeout}\n" +
                "  redis: true\n" * self.protocol.is_redis + "  servers:\n" + "".join(f"   - {line}\n" for line in servers))

    def client(self):
        return self.speaker(self.port, self.protocol)

    def fill(self, client, keys=KEYS):
        client.say(b"".join(self.protocol.set(key, b"of " + key) for key in keys))
        for key in keys:
            self.assertTrue(client.heard().done, key)

    def failing(self, client):
        """The keys whose server does not answer, as the router says; the others have their own values, or none."""
        client.say(b"".join(self.protocol.get(key) for key in KEYS))
        failing = set()
        for key in KEYS:
            answer = client.heard()
            if answer.done:
                self.assertIn(answer.value, (None, b"of " + key))
            else:
                self.assertRegex(answer.why, r"^(ERR )?s\d: ")
                failing.add(key)
        return failing

    def keys_of(self, server):
        """Those that the server has itself, of a pool that was filled."""
        client = self.speaker(self.ports[server], self.protocol)
        return [key for key in KEYS if client.get(key).value]

    def processor_time(self):
        """Seconds that the router has computed."""
        with open(f"/proc/{self.process.pid}/stat", encoding="utf-8") as stat:
            return sum(map(int, stat.read().rsplit(")", 1)[1].split()[11:13])) / os.sysconf("SC_CLK_TCK")

    @contextlib.contextmanager
    def stopped(self, server):
        stop(self.started[server])
        try:
            yield
        finally:
            self.started[server].send_signal(signal.SIGCONT)
