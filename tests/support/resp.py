"""Redis's protocol, both versions, as exactly as tests compare it: replies as bytes and as values."""
import socket


def command(*words):
    words = [word if isinstance(word, bytes) else str(word).encode() for word in words]
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words)


class Map(tuple):
    """Pairs, in their order."""


class Set(tuple):
    """Members, in their order."""


class Failure(str):
    """An error."""


class Nil:
    """Each nil is one of its kind: `*-1`, `$-1`, `_`."""

    def __init__(self, text):
        self.text = text

    def __eq__(self, other):
        return isinstance(other, Nil) and self.text == other.text

    def __hash__(self):
        return hash(self.text)

    def __repr__(self):
        return f"Nil({self.text})"


class Resp:
    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=20)
        self.file = self.socket.makefile("rb")

    def __call__(self, *words):
        return self.replies([words])[0]

    def replies(self, commands):
        """All are sent before the first is read."""
        self.socket.sendall(b"".join(command(*words) for words in commands))
        return [self.reply() for _ in commands]

    def reply(self):
        line = self.file.readline()
        if not line.endswith(b"\r\n"):
            raise AssertionError(f"the connection ended: {line!r}")
        kind, rest = line[:1], line[1:-2]
        if kind in b"*$" and rest == b"-1" or kind == b"_":
            return Nil(line.decode().strip())
        if kind in b"$=!":
            text = self.file.read(int(rest) + 2)[:-2]
            return Failure(text) if kind == b"!" else text if kind == b"$" else ("text", text)
        if kind in b"*~>":
            items = [self.reply() for _ in range(int(rest))]
            return items if kind == b"*" else Set(items) if kind == b"~" else ("push", items)
        if kind == b"%":
            return Map([(self.reply(), self.reply()) for _ in range(int(rest))])
        if kind == b":":
            return int(rest)
        if kind == b"-":
            return Failure(rest.decode())
        return (kind.decode(), rest.decode())  # a status, a boolean, a double, a big number

    def close(self):
        self.file.close()
        self.socket.close()
