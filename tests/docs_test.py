"""Runs the commands of the documents: what README.md and docs/ show is what the program does.

In a ```sh block every line `arcwise …` or `arcwised …`, and in a ```console block every line `$ arcwise …`, is run by bash in the
source directory, with the built program in the path. A command must succeed; one that shall not says so behind it:
`$ arcwise check broken.yaml  # exit 1`. Lines that follow a command in a console block are its output, compared exactly;
a line `…` stands for any number of lines. Blocks see each other's files within one document only: each document gets a copy
of the examples.
"""

# Plain build only: the verbs are asked under sanitizers by the tests of the command line; here their words are compared.
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ.get("ARCWISE_SOURCE") or pathlib.Path(__file__).resolve().parent.parent)
ARCWISE = os.environ.get("ARCWISE") or str(SOURCE / "build/bin/arcwise")
ARCWISED = os.environ.get("ARCWISED") or str(SOURCE / "build/bin/arcwised")

BLOCK = re.compile(r"^```(sh|console)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
EXIT = re.compile(r"\s+#.*\bexit (\d)\b.*$")


class Command:
    def __init__(self, text, number):
        self.text, self.number, self.output = text, number, []

    @property
    def line(self):
        return EXIT.sub("", self.text)

    @property
    def code(self):
        code = EXIT.search(self.text)
        return int(code[1]) if code else 0


def commands(text):
    """Every command on arcwise in the blocks of a document, with the output shown under it."""
    for block in BLOCK.finditer(text):
        number = text.count("\n", 0, block.start(2)) + 1
        prompt = "$ " if block[1] == "console" else ""
        current, continued = None, False
        for offset, line in enumerate(block[2].splitlines()):
            if continued:
                current.text += "\n" + line
            elif line.startswith(prompt):
                if current:
                    yield current
                current = Command(line[len(prompt):], number + offset)
            elif current:
                current.output.append(line)
            continued = current is not None and current.text.endswith("\\")
        if current:
            yield current


def concerns_program(command):
    return re.search(r"(^|[|;&(]\s*|\s)arcwised?\s", command.line + " ") is not None


def matches(shown, printed):
    """Whether the lines shown are the lines printed, `…` standing for any number of them."""
    if not shown:
        return not printed
    if shown[0].strip() == "…":
        return any(matches(shown[1:], printed[skip:]) for skip in range(len(printed) + 1))
    return bool(printed) and shown[0].rstrip() == printed[0].rstrip() and matches(shown[1:], printed[1:])


def documents():
    found = [SOURCE / "README.md", *sorted((SOURCE / "docs").rglob("*.md"))]
    return [path for path in found if path.is_file()]


class Documents(unittest.TestCase):
    def test_commands_do_what_the_documents_say(self):
        for path in documents():
            with tempfile.TemporaryDirectory() as folder:
                os.symlink(ARCWISE, os.path.join(folder, "arcwise"))
                os.symlink(ARCWISED, os.path.join(folder, "arcwised"))
                work = os.path.join(folder, "work")
                os.mkdir(work)
                for part in ("examples", "testdata"):
                    if (SOURCE / part).is_dir():
                        shutil.copytree(SOURCE / part, os.path.join(work, part))
                env = {**os.environ, "PATH": folder + ":" + os.environ["PATH"], "NO_COLOR": "1"}
                for command in commands(path.read_text(encoding="utf-8")):
                    if not concerns_program(command):
                        continue
                    with self.subTest(document=path.name, line=command.number, command=command.line):
                        self.check(command, work, env)

    def check(self, command, work, env):
        done = subprocess.run(["bash", "-o", "pipefail", "-c", command.line], cwd=work, env=env, capture_output=True,
                              text=True, timeout=300)
        self.assertEqual(done.returncode, command.code, done.stderr)
        shown = command.output
        while shown and not shown[-1].strip():
            shown = shown[:-1]
        if shown:
            printed = done.stdout.rstrip("\n").split("\n")
            self.assertTrue(matches(shown, printed), "\nshown:\n" + "\n".join(shown) + "\n\nprinted:\n" + done.stdout +
                            done.stderr)


class Reading(unittest.TestCase):
    TEXT = ("```console\n$ arcwise version\narcwise 1\n\n$ arcwise a \\\n    b  # exit 2: no\n$ ls\nx\n```\n"
            "```sh\narcwise c\n./dev build\n```\n```yaml\narcwise: 1\n```\n")

    def test_blocks_become_commands(self):
        found = list(commands(self.TEXT))
        self.assertEqual([c.line for c in found], ["arcwise version", "arcwise a \\\n    b", "ls", "arcwise c", "./dev build"])
        self.assertEqual([c.code for c in found], [0, 2, 0, 0, 0])
        self.assertEqual([c.number for c in found], [2, 5, 7, 11, 12])
        self.assertEqual(found[0].output, ["arcwise 1", ""])
        self.assertEqual([concerns_program(c) for c in found], [True, True, False, True, False])

    def test_an_ellipsis_stands_for_lines(self):
        printed = ["a", "b", "c"]
        for shown in (["a", "b", "c"], ["a", "…"], ["…", "c"], ["a", "…", "c"], ["a", "…", "b", "c"]):
            self.assertTrue(matches(shown, printed), shown)
        for shown in (["a"], ["a", "c"], ["…", "b"], ["a", "b", "c", "d"]):
            self.assertFalse(matches(shown, printed), shown)


if __name__ == "__main__":
    unittest.main()
