"""The router's demo ends by itself, reads no stale value, moves few keys, and leaves nothing running."""
# Plain build only: it is about the programs together, and the sanitized router has tests of its own.
import os
import pathlib
import re
import signal
import subprocess
import time
import unittest

SOURCE = pathlib.Path(os.environ.get("ARCWISE_SOURCE") or pathlib.Path(__file__).resolve().parent.parent)
DEMO = ["/usr/bin/python3", str(SOURCE / "examples/router_demo.py")]


def children_of(pid):
    """Servers are in sessions of their own, so that Ctrl-C does not reach them: found by their parent."""
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            text = entry.read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        if int(text.rpartition(")")[2].split()[1]) == pid:
            found.append(int(entry.parent.name))
    return found


class Demo(unittest.TestCase):
    def test_it_shows_that_few_keys_move_and_none_is_stale(self):
        done = subprocess.run([*DEMO, "--once"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("0 stale values read, 0 connections broken.", done.stdout)
        self.assertRegex(done.stdout, r"page +http://127\.0\.0\.1:\d+/")
        moved = [int(one.replace(",", "")) for one in re.findall(r"([\d,]+) of 3,000", done.stdout)]
        self.assertEqual(moved[:2], [0, 0], "a server that fails or comes back moves no key")
        self.assertLess(200, moved[2])
        self.assertLess(moved[2], 3000 / 6 * 1.5, "a sixth of the keys goes to the sixth server")
        self.assertIn("event=server_lost pool=caches server=cache-3", done.stdout)
        self.assertIn("event=map_adopted pool=caches", done.stdout)

    def test_ctrl_c_stops_everything(self):
        demo = subprocess.Popen(DEMO, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            for line in demo.stdout:
                if line.startswith("five caches"):
                    break
            started = children_of(demo.pid)
            # A memcached is about to be killed, or is so already; and an `arcwise locate` may run for a moment.
            self.assertTrue(7 <= len(started) <= 9, started)
            demo.send_signal(signal.SIGINT)
            self.assertEqual(demo.wait(timeout=30), 0, demo.stdout.read())
        finally:
            if demo.poll() is None:
                demo.terminate()  # so that it stops what it has started
                demo.communicate(timeout=30)
            demo.stdout.close()
        deadline = time.monotonic() + 5
        while (left := [pid for pid in started if pathlib.Path(f"/proc/{pid}").exists()]) and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertEqual(left, [])


if __name__ == "__main__":
    unittest.main()
