#!/usr/bin/env python3
"""Drivers that place keys by themselves, as they are installed, asked for clusters and keys made up from a seed: Arcwise names the
same owners."""
# Plain build only: it starts the binary for its answers alone.
import ctypes
import os
import sys
import tempfile
import unittest
import uuid

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
import made_up  # noqa: E402
from compared import LISTS, Table, Tally, cluster_map, locate, python_module  # noqa: E402

TABLE = Table("drivers")


def tearDownModule():
    TABLE.close()


class Drivers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="arcwise-drivers-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_librdkafka(self):
        try:
            library = ctypes.CDLL("librdkafka.so.1")
        except OSError as error:
            raise AssertionError(f"{error} (packaging/apt-packages.txt lists librdkafka1)") from error
        library.rd_kafka_version_str.restype = ctypes.c_char_p
        rng = made_up.generator("librdkafka")
        tally = Tally("librdkafka", library.rd_kafka_version_str().decode())
        for recipe, name in (("kafka", "murmur2"), ("kafka-librdkafka", "consistent")):
            partitioner = getattr(library, "rd_kafka_msg_partitioner_" + name)
            partitioner.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p]
            for partitions in [3, 1000] + [rng.randrange(2, 200) for _ in range(LISTS)]:
                keys = made_up.keys(rng, raw=True)
                really = [[f"p{partitioner(None, key, len(key), partitions, None, None)}"] for key in keys]
                numbers = range(partitions)
                cluster = cluster_map(recipe, [f"p{number}" for number in numbers], slots=partitions,
                                      ranges=[{"upto": f"{number:x}", "owners": [f"p{number}"]} for number in numbers])
                tally.compare(f"{name}, {partitions} partitions", keys, really, locate(self.folder, cluster, keys))
        TABLE.check(self, tally)

    def test_cassandra_driver(self):
        metadata = python_module("cassandra.metadata")
        rng = made_up.generator("cassandra driver")
        tally = Tally("cassandra driver", python_module("cassandra").__version__)
        shapes = [("murmur3", metadata.Murmur3Token, "rack")] * LISTS + [("murmur3", metadata.Murmur3Token, "node"), ("random", metadata.MD5Token, "node")] * 2
        for partitioner, token, across in shapes:
            wide = ["text", "blob", "bigint", "varint", "uuid"]  # types with thousands of values
            key_format = ",".join([rng.choice(wide), *rng.choices(list(COLUMNS), k=rng.randrange(4))])
            ring = CassandraRing(rng, metadata, token, across)
            keys = cassandra_keys(rng, key_format)
            really = [ring.owners(token.from_key(routing_key)) for routing_key in keys.values()]
            cluster = ring.map("cassandra-" + partitioner, key_format)
            arcwise = locate(self.folder, cluster, list(keys))
            if len(ring.counts) > 1:  # the driver lists data center by data center, Cassandra in the order of the ring
                really, arcwise = [sorted(owners) for owners in really], [sorted(owners) for owners in arcwise]
            tally.compare(f"{partitioner}, {ring.counts} across {across}, {key_format}", list(keys), really, arcwise)
        TABLE.check(self, tally)


# Types of columns: a value, and how a person writes it.
COLUMNS = {"text": lambda rng: (made_up.keys(rng, count=1, without="\\")[0].decode(),) * 2,
           "blob": lambda rng: ((value := rng.randbytes(rng.randrange(1, 40))), "0x" + value.hex()),
           "boolean": lambda rng: ((value := rng.random() < 0.5), str(value).lower()),
           "tinyint": lambda rng: (rng.randrange(-2**7, 2**7),) * 2,
           "smallint": lambda rng: (rng.randrange(-2**15, 2**15),) * 2,
           "int": lambda rng: (rng.randrange(-2**31, 2**31),) * 2,
           "bigint": lambda rng: (rng.randrange(-2**63, 2**63),) * 2,
           "timestamp": lambda rng: (rng.randrange(2**42),) * 2,
           "varint": lambda rng: (rng.choice([-1, 1]) * rng.randrange(10**rng.randrange(1, 39)),) * 2,
           "uuid": lambda rng: (uuid.UUID(int=rng.getrandbits(128)),) * 2}


def cassandra_keys(rng, key_format):
    """{key as a person writes it: partition key's bytes as the driver makes them}."""
    types = python_module("cassandra.cqltypes")
    column = {"text": types.UTF8Type, "blob": types.BytesType, "boolean": types.BooleanType, "tinyint": types.ByteType, "smallint": types.ShortType,
              "int": types.Int32Type, "bigint": types.LongType, "timestamp": types.DateType, "varint": types.IntegerType, "uuid": types.UUIDType}
    statement = python_module("cassandra.query").SimpleStatement("")
    kinds = key_format.split(",")
    found = {}
    while len(found) < made_up.KEYS:
        values = [COLUMNS[kind](rng) for kind in kinds]
        packed = [column[kind].serialize(value, 4) for kind, (value, _) in zip(kinds, values)]
        statement.routing_key = packed if len(packed) > 1 else packed[0]
        written = [str(text).replace(":", "\\:") if len(kinds) > 1 else str(text) for _, text in values]
        found[":".join(written).encode()] = statement.routing_key
    return found


class CassandraRing:
    """Hosts with random tokens in one to three data centers; each has as many racks as copies or more."""

    def __init__(self, rng, metadata, token, across):
        pool, policies = python_module("cassandra.pool"), python_module("cassandra.policies")
        self.across, self.counts, self.hosts, owner_of = across, {}, {}, {}
        for dc in range(rng.randrange(1, 4) if across == "rack" else 1):
            self.counts[f"dc{dc}"] = rng.randrange(1, 4)
            racks = self.counts[f"dc{dc}"] + rng.randrange(3)
            for number in range(rng.randrange(racks, 21)):
                host = pool.Host(f"127.{dc + 1}.0.{number + 1}", policies.SimpleConvictionPolicy)
                host.set_location_info(f"dc{dc}", f"r{number % racks}")
                self.hosts[host] = [rng.randrange(2**127) if token is metadata.MD5Token else rng.randrange(-2**63 + 1, 2**63)
                                    for _ in range(rng.choice([1, 4, 16, 100]))]
                owner_of.update({token(value): host for value in self.hosts[host]})
        strategy = (metadata.NetworkTopologyStrategy({dc: str(count) for dc, count in self.counts.items()}) if across == "rack" else
                    metadata.SimpleStrategy({"replication_factor": str(self.counts["dc0"])}))
        self.tokens = metadata.TokenMap(token, owner_of, sorted(owner_of), None)
        self.tokens.tokens_to_hosts_by_ks["made_up"] = strategy.make_token_replica_map(owner_of, self.tokens.ring)

    def owners(self, token):
        return [host.address for host in self.tokens.get_replicas("made_up", token)]

    def map(self, recipe, key_format):
        width = 32 if recipe == "cassandra-random" else 16
        nodes = [{"name": host.address, "zone": host.datacenter, "rack": host.rack, "tokens": [f"{value % 2**(4 * width):0{width}x}" for value in values]}
                 for host, values in self.hosts.items()]
        replicas = ({"per_zone": self.counts, "across": "rack", "when_short": "repeat"} if self.across == "rack" else
                    {"count": self.counts["dc0"], "across": "node"})
        return cluster_map(recipe, nodes, replicas=replicas, allocation="given", settings={"key_format": key_format})


if __name__ == "__main__":
    unittest.main()
