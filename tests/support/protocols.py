"""What memcached and Redis are asked, and what they answer, as much of either as tests need."""
import collections
import io

Answer = collections.namedtuple("Answer", "done value why", defaults=(None, None))


class Memcached:
    is_redis = False
    EMPTY = b"flush_all\r\n"

    @staticmethod
    def set(key, value):
        return b"set %s 0 0 %d\r\n%s\r\n" % (key, len(value), value)

    @staticmethod
    def delete(key):
        return b"delete %s\r\n" % key

    @staticmethod
    def get(key):
        return b"get %s\r\n" % key

    @staticmethod
    def read(file):
        """The next answer, or None where it is cut short."""
        line = file.readline()
        if line.startswith(b"VALUE ") and line.endswith(b"\n"):
            size = int(line.split()[3])
            rest = file.read(size + 7)
            return Answer(True, rest[:size]) if rest[size:] == b"\r\nEND\r\n" else None
        return refusal(line, b"SERVER_ERROR ", (b"END\r\n", b"OK\r\n", b"STORED\r\n", b"DELETED\r\n", b"NOT_FOUND\r\n"))


class Redis:
    is_redis = True
    EMPTY = b"FLUSHALL\r\n"

    @staticmethod
    def command(*words):
        return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words)

    @classmethod
    def set(cls, key, value):
        return cls.command(b"SET", key, value)

    @classmethod
    def delete(cls, key):
        return cls.command(b"DEL", key)

    @classmethod
    def get(cls, key):
        return cls.command(b"GET", key)

    @staticmethod
    def read(file):
        line = file.readline()
        if line.startswith(b"$") and line.endswith(b"\n") and line != b"$-1\r\n":
            size = int(line[1:])
            rest = file.read(size + 2)
            return Answer(True, rest[:size]) if rest[size:] == b"\r\n" else None
        return refusal(line, b"-", (b"+OK\r\n", b":0\r\n", b":1\r\n", b"$-1\r\n"))


def refusal(line, begins, done):
    if not line.endswith(b"\r\n"):
        return None
    if line in done:
        return Answer(True)
    if line.startswith(begins):
        return Answer(False, None, line[len(begins):-2].decode())
    raise AssertionError(f"not an answer: {line!r}")


def answer(protocol, said):
    """What these bytes say, all of them; None: more is to come."""
    return protocol.read(io.BytesIO(said)) if said.endswith(b"\n") else None
