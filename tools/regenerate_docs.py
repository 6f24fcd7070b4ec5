"""Runs the commands of console blocks and puts what they print under them: regenerate_docs.py [--bench] FILE.md…"""

import re
import subprocess
import sys

PROGRAMS = ("arcwise ", "./dev bench ") if "--bench" in sys.argv else ("arcwise ",)
BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)


def regenerated(block):
    commands = [part for part in re.split(r"^(?=\$ )", block, flags=re.MULTILINE) if part]
    out = []
    for part in commands:
        first, _, shown = part.partition("\n")
        line = re.sub(r"\s+#.*\bexit \d\b.*$", "", first[2:])
        if "…" in shown.split("\n") or not line.startswith(PROGRAMS) or line.endswith("\\"):
            out.append(part)
            continue
        done = subprocess.run(["bash", "-o", "pipefail", "-c", line], capture_output=True, text=True, check=False)
        out.append(first + "\n" + done.stdout)
    return "".join(out)


for path in (argument for argument in sys.argv[1:] if argument != "--bench"):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    new = BLOCK.sub(lambda m: "```console\n" + regenerated(m[1]) + "```", text)
    if new != text:
        with open(path, "w", encoding="utf-8") as file:
            file.write(new)
        print(f"regenerated {path}")
