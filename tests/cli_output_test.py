"""What comes out: colour, files, pictures, completion, help."""

import os
import pathlib
import pty
import re
import resource
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as xml

from support.cli import ARCWISE, CARTS, RING, SLOTS, SMALL, run, answer


class Colour(unittest.TestCase):
    def on_terminal(self, **env):
        leader, follower = pty.openpty()
        program = subprocess.Popen([ARCWISE, "status", CARTS], stdout=follower, stderr=follower,
                                   env={"PATH": os.environ["PATH"], "TERM": "xterm", **env})
        os.close(follower)
        out = b""
        while True:
            try:
                piece = os.read(leader, 65536)
            except OSError:
                break
            if not piece:
                break
            out += piece
        os.close(leader)
        self.assertEqual(program.wait(timeout=60), 0)
        return out

    def test_only_on_a_terminal_and_not_with_no_color(self):
        self.assertIn(b"\x1b[", self.on_terminal())
        self.assertNotIn(b"\x1b[", self.on_terminal(NO_COLOR="1"))
        self.assertNotIn(b"\x1b[", run("status", CARTS).stdout)

    def test_colour_changes_no_text(self):
        coloured = self.on_terminal().replace(b"\r\n", b"\n")
        self.assertEqual(re.sub(rb"\x1b\[\d*m", b"", coloured), run("status", CARTS).stdout)


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def test_drawing_is_well_formed(self):
        odd = SMALL.replace("name: a", "name: 'a<b>&\"é'").encode()
        for kind in ("ring", "ownership", "both"):
            for stdin in (odd, pathlib.Path(RING).read_bytes(), pathlib.Path(SLOTS).read_bytes()):
                root = xml.fromstring(run("draw", "-", "--kind", kind, stdin=stdin).stdout)
                self.assertEqual(root.tag, "{http://www.w3.org/2000/svg}svg")
                self.assertTrue(root.find("{http://www.w3.org/2000/svg}title").text)
        self.assertIn('a<b>&"é', "".join(xml.fromstring(run("draw", "-", stdin=odd).stdout).itertext()))

    def test_large_rings_stay_small_pictures(self):
        nodes = ", ".join(f"{{name: n{i}}}" for i in range(200))
        text = f"arcwise: 1\nplacement: {{recipe: ring, tokens: 256}}\nreplicas: {{count: 3}}\nnodes: [{nodes}]\n"
        svg = run("draw", "-", stdin=text.encode()).stdout
        xml.fromstring(svg)
        self.assertLess(len(svg), 1_000_000)

    def test_written_files_replace_whole_files(self):
        path = os.path.join(self.folder, "a.svg")
        pathlib.Path(path).write_text("old")
        os.chmod(path, 0o640)
        self.assertEqual(run("draw", CARTS, "-o", path).returncode, 0)
        xml.parse(path)
        self.assertEqual(os.stat(path).st_mode & 0o777, 0o640)
        self.assertEqual(os.listdir(self.folder), ["a.svg"])

    def test_a_failed_write_leaves_the_old_file(self):
        path = os.path.join(self.folder, "plan.json")
        pathlib.Path(path).write_text("old")
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        done = run("plan", CARTS, "--remove", "cache-1", "-f", path, preexec_fn=limit)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual(pathlib.Path(path).read_text(), "old")
        self.assertEqual(os.listdir(self.folder), ["plan.json"])

    def test_plan_writes_the_map_that_it_plans(self):
        path = os.path.join(self.folder, "after.yaml")
        p = answer("plan", CARTS, "--replace", "cache-1=cache-x,address=10.9.9.9:11211,rack=r1", "--weight",
                   "cache-2=2", "--write-map", path)
        self.assertEqual(answer("fingerprint", path)["fingerprint"], p["after"])


class Completion(unittest.TestCase):
    def script(self, shell):
        done = run("completion", shell)
        self.assertEqual(done.returncode, 0)
        return done.stdout.decode()

    def test_bash_accepts_it_and_completes(self):
        script = self.script("bash")
        subprocess.run(["bash", "-n"], input=script.encode(), check=True)

        def complete(*words):
            line = script + "COMP_WORDS=(" + " ".join(f"'{w}'" for w in words) + "); COMP_CWORD=$((${#COMP_WORDS[@]}-1)); " \
                "_arcwise; printf '%s\\n' \"${COMPREPLY[@]}\""
            return subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=True).stdout.split()

        self.assertEqual(complete("arcwise", "fing"), ["fingerprint"])
        self.assertEqual(complete("arcwise", "simulate", "ba"), ["balance"])
        self.assertEqual(complete("arcwise", "plan", "--node"), ["--node-bandwidth"])
        self.assertEqual(complete("arcwise", "simulate", "join", "--tr"), ["--trials"])
        self.assertEqual(complete("arcwise", "status", "--across", "r"), ["rack"])
        self.assertEqual(complete("arcwise", "completion", "z"), ["zsh"])

    def test_other_shells_accept_theirs(self):
        for shell in ("zsh", "fish"):
            script = self.script(shell)
            self.assertIn("fingerprint", script)
            self.assertIn("joiner-bandwidth", script)
            if shutil.which(shell):
                subprocess.run([shell, "-n"], input=script.encode(), check=True)

    def test_every_verb_of_help_is_completed(self):
        verbs = re.findall(r"^  (\w+)", run("--help").stdout.decode(), re.MULTILINE)
        self.assertGreater(len(set(verbs)), 12)
        for shell in ("bash", "zsh", "fish"):
            script = self.script(shell)
            for verb in verbs:
                self.assertIn(verb, script)


class SeveralFiles(unittest.TestCase):
    def refused(self, code, folder, *words):
        before = sorted(os.listdir(folder))
        done = run("plan", RING, "--remove", "10.1.1.11", "--add", "x,rack=rack1,zone=dc1", *words, cwd=folder)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(sorted(os.listdir(folder)), before)
        return done.stderr

    def test_all_files_of_a_command_are_written_or_none(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "sd2.yaml"))
            self.refused(3, folder, "-f", "pl.json", "--write-map", "nowhere/x")
            self.refused(3, folder, "-f", "pl.json", "--repair-commands", "nowhere/x")
            self.refused(3, folder, "-f", "pl.json", "--write-steps", "sd")
            done = run("plan", RING, "--remove", "10.1.1.11", "-f", "pl.json", "--write-map", "m.yaml", "--write-steps",
                       "st", "--repair-commands", "r.sh", cwd=folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(sorted(os.listdir(folder)), ["m.yaml", "pl.json", "r.sh", "sd2.yaml", "st1.yaml"])

    def test_one_path_for_two_outputs_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            for words in (["-f", "p", "--write-map", "p"], ["-f", "p", "--write-map", "./p"],
                          ["-f", "st1.yaml", "--write-steps", "st"], ["--write-map", "p", "--repair-commands", "p"]):
                self.assertIn(b"one file", self.refused(2, folder, *words))


class Help(unittest.TestCase):
    def test_a_word_that_starts_two_verbs_explains_both(self):
        done = run("simulate", "--help")
        self.assertEqual(done.returncode, 0, done.stderr)
        for verb in ("balance", "join"):
            self.assertIn(run("simulate", verb, "--help").stdout, done.stdout)
        self.assertEqual(run("help", "simulate").stdout, done.stdout)

    def test_every_verb_explains_itself(self):
        for name in re.findall(r"^  (\w+(?: \w+)?)  ", run("--help").stdout.decode(), re.MULTILINE):
            done = run(*name.split(), "--help")
            self.assertEqual(done.returncode, 0, name)
            text = done.stdout.decode()
            self.assertIn(f"usage: arcwise {name}", text)
            for line in text.splitlines():
                self.assertLessEqual(len(line), 120, line)


if __name__ == "__main__":
    unittest.main()
