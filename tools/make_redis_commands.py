#!/usr/bin/env python3
"""Writes src/router/redis_commands.inc: where the keys of each command stand, as a running Redis itself says.

Usage: make_redis_commands.py PORT > src/router/redis_commands.inc
"""

import socket
import sys

# What Redis knows by a function of its own, and its specifications leave out.
UNSAID = {"sort": ['{"STORE", 2, false, 0, 1, 0}']}


def read_reply(stream):
    line = stream.readline()[:-2]
    kind, value = line[:1], line[1:]
    if kind == b"*":
        return None if int(value) < 0 else [read_reply(stream) for _ in range(int(value))]
    if kind == b"$":
        return None if int(value) < 0 else stream.read(int(value) + 2)[:-2].decode()
    return int(value) if kind == b":" else value.decode()


def commands(port):
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(b"*1\r\n$7\r\nCOMMAND\r\n")
        return read_reply(connection.makefile("rb"))


def pairs(flat):
    return dict(zip(flat[::2], flat[1::2]))


def spec(flat):
    """One place where keys stand, or None where Redis does not know it either."""
    fields = pairs(flat)
    begin, find = pairs(fields["begin_search"]), pairs(fields["find_keys"])
    if "unknown" in (begin["type"], find["type"]):
        return None
    where, how = pairs(begin["spec"]), pairs(find["spec"])
    word, at = ('""', where["index"]) if begin["type"] == "index" else (f'"{where["keyword"]}"', where["startfrom"])
    if find["type"] == "range":
        return f'{{{word}, {at}, false, {how["lastkey"]}, {how["keystep"]}, {how["limit"]}}}'
    return f'{{{word}, {at}, true, {how["keynumidx"]}, {how["keystep"]}, {how["firstkey"]}}}'


def row(command):
    name, arity, flags, specs, subcommands = command[0], command[1], command[2], command[8], command[9]
    known = [text for text in map(spec, specs) if text] + UNSAID.get(name, [])
    traits = [flag for flag in ("write", "blocking", "pubsub", "admin") if flag in flags]
    shown = " | ".join(f"redis_{trait}" for trait in traits) or "0"
    yield f'{{"{name.replace("|", " ")}", {arity}, {shown}, {{{", ".join(known)}}}}},'
    for subcommand in sorted(subcommands or [], key=lambda c: c[0]):
        yield from row(subcommand)


def main():
    print("// Written by tools/make_redis_commands.py, from COMMAND of Redis 7.0.")
    for command in sorted(commands(int(sys.argv[1])), key=lambda c: c[0]):
        for line in row(command):
            print(line)


main()
