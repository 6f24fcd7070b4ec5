"""Asks libmemcached itself, through ctypes, which server a key belongs to. Nothing is connected to."""
import ctypes

# As libmemcached-1.0/types/*.h number them.
HASH = {name: number for number, name in enumerate(["one_at_a_time", "md5_ketama", "crc32_15bit", "fnv1_64_low32", "fnv1a_64_low32", "fnv1_32",
                                                    "fnv1a_32", "hsieh", "murmur2_seed_len", "jenkins", "murmur3_seed_len"])}
DISTRIBUTION = {"modula": 0, "consistent": 1, "ketama": 2, "spy": 4}
BEHAVIOR = {"hash": 2, "ketama": 3, "distribution": 9, "sort_hosts": 12, "ketama_weighted": 16, "hash_with_prefix": 25}
SUCCESS = 0

library = ctypes.CDLL("libmemcached.so.11")
library.memcached_lib_version.restype = ctypes.c_char_p
library.memcached_strerror.restype = ctypes.c_char_p
library.memcached_create.restype = library.memcached.restype = ctypes.c_void_p
library.memcached_server_instance_by_position.restype = ctypes.c_void_p
library.memcached_server_name.restype = ctypes.c_char_p
for function, arguments in {"memcached_create": [ctypes.c_void_p], "memcached": [ctypes.c_char_p, ctypes.c_size_t], "memcached_free": [ctypes.c_void_p],
                            "memcached_behavior_set": [ctypes.c_void_p, ctypes.c_int, ctypes.c_uint64],
                            "memcached_callback_set": [ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p],
                            "memcached_server_add_with_weight": [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint16, ctypes.c_uint32],
                            "memcached_server_add_unix_socket_with_weight": [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint32],
                            "memcached_server_instance_by_position": [ctypes.c_void_p, ctypes.c_uint32],
                            "memcached_server_name": [ctypes.c_void_p], "memcached_server_port": [ctypes.c_void_p],
                            "memcached_generate_hash": [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t],
                            "memcached_strerror": [ctypes.c_void_p, ctypes.c_int]}.items():
    getattr(library, function).argtypes = arguments
library.memcached_generate_hash.restype = ctypes.c_uint32


def version():
    return library.memcached_lib_version().decode()


class Client:
    """Made empty, or by a configuration string."""

    def __init__(self, configuration=None):
        self.configuration = configuration

    def __enter__(self):
        if self.configuration is None:
            self.handle = library.memcached_create(None)
        else:
            self.handle = library.memcached(self.configuration.encode(), len(self.configuration.encode()))
        if not self.handle:
            raise AssertionError(f"libmemcached refuses {self.configuration}")
        return self

    def __exit__(self, *_):
        library.memcached_free(self.handle)

    def _expect(self, code, what):
        if code != SUCCESS:
            raise AssertionError(f"libmemcached: {what}: {library.memcached_strerror(self.handle, code).decode()}")

    def set(self, behavior, value=1):
        number = {"hash": HASH, "distribution": DISTRIBUTION}.get(behavior, {}).get(value, value)
        self._expect(library.memcached_behavior_set(self.handle, BEHAVIOR[behavior], number), f"{behavior} {value}")

    def prefix(self, text):
        self.set("hash_with_prefix")
        self._expect(library.memcached_callback_set(self.handle, 0, text.encode()), f"prefix {text}")

    def add(self, server, weight):
        """A (host, port) pair, or a socket's path."""
        if isinstance(server, str):
            code = library.memcached_server_add_unix_socket_with_weight(self.handle, server.encode(), weight)
        else:
            code = library.memcached_server_add_with_weight(self.handle, server[0].encode(), server[1], weight)
        self._expect(code, f"server {server}")

    def servers_of(self, keys):
        """The server of each key, as "host:port" or a path. The library may have sorted its list."""
        names, found = {}, []
        for key in keys:
            place = library.memcached_generate_hash(self.handle, key, len(key))
            if place not in names:
                instance = library.memcached_server_instance_by_position(self.handle, place)
                port = library.memcached_server_port(instance)
                names[place] = library.memcached_server_name(instance).decode() + (f":{port}" if port else "")
            found.append(names[place])
        return found
