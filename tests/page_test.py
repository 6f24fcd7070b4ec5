#!/usr/bin/env python3
"""The router's page in a real browser: every number on it is the command line's or the API's, it says in words how nodes are, and it needs
nothing from elsewhere."""
# Plain build only: a browser and its servers take their time.
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from admin_test import Admin, map_text  # noqa: E402
from router import ARCWISED, Connection, pool  # noqa: E402
from servers import free_ports, program, wait_until  # noqa: E402

SOURCE = pathlib.Path(os.environ.get("ARCWISE_SOURCE") or pathlib.Path(__file__).resolve().parent.parent)
NODE_MODULES = pathlib.Path(os.environ.get("ARCWISE_NODE_MODULES") or SOURCE / "build-test/npm/node_modules")
PICTURES = os.environ.get("ARCWISE_PICTURES")  # a folder: pictures of the page are left there


class Browser:
    def __init__(self):
        if not (NODE_MODULES / "playwright-core").is_dir():
            raise AssertionError("npm playwright-core is not installed: `./dev test` does it, by `npm ci` in build-test/npm")
        program("chromium")
        self.folder = tempfile.TemporaryDirectory(prefix="arcwise-browser-")
        self.process = subprocess.Popen([program("node"), str(SOURCE / "tests/support/browser.js"), str(NODE_MODULES), self.folder.name],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.answer()

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError("the browser ended")
        answer = json.loads(line)
        if "error" in answer:
            raise AssertionError(answer["error"])
        return answer["value"]

    def __call__(self, run, given=None):
        self.process.stdin.write(json.dumps({"run": run, "with": given}) + "\n")
        self.process.stdin.flush()
        return self.answer()

    def evaluate(self, expression, given=None):
        """An expression of the page."""
        return self(f"return await page.evaluate(given => {expression}, given)", given)

    def text(self, selector):
        return self.evaluate("document.querySelector(given)?.textContent ?? null", selector)

    def picture(self, name):
        if PICTURES:
            self("await page.screenshot({ path: given, fullPage: true })", os.path.join(PICTURES, name + ".png"))

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=30)
        self.process.stdout.close()
        self.folder.cleanup()


# Formats, written a second time.
def percent(part, digits=2):
    return "–" if part is None else f"{part * 100:.{digits}f} %"


def size(value):
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000 or unit == "GB":
            return f"{value} B" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1000
    return None


def numbers(text):
    return re.sub("[\u00a0\u202f]", " ", text or "")


def setUpModule():
    Page.browser = Browser()


def tearDownModule():
    Page.browser.close()


class Page(Admin):
    browser = None  # one for all tests: it takes its time to start

    def show(self, admin):
        self.browser("""await page.emulateMedia({ colorScheme: 'light' });
            await page.setViewportSize({ width: 1320, height: 900 });
            await page.goto('about:blank'); problems.length = 0; await page.goto(given)""", f"http://127.0.0.1:{admin}/")

    def open(self, servers=5, *more):
        port, ports = self.serve(servers, *more)
        self.show(self.admin)
        wait_until(lambda: self.browser.text("#nodes tbody tr[data-node] .name"), "nodes are shown")
        return port, ports

    def load(self, port):
        client = Connection(port)
        self.addCleanup(client.close)
        client.say("".join(f"set k{i} 0 0 5\r\nhello\r\n" for i in range(500)))
        client.lines(500)
        for i in range(0, 600, 2):
            client.say(f"get k{i}\r\n").lines(3 if i < 500 else 1)

    def row(self, node):
        return self.browser.evaluate("""(() => {
            const row = [...document.querySelectorAll('#nodes tr[data-node]')].find(r => r.querySelector('.name').textContent === given);
            const of = s => row.querySelector(s)?.textContent ?? null;
            return { state: of('[data-cell=state]'), real: of('.real'), asked: of('.asked'), stored: of('[data-cell=stored]'),
                     waiting: of('[data-cell=waiting]'), address: of('td small'), away: row.classList.contains('away') };
        })()""", node)


class Numbers(Page):
    def test_every_number_is_the_command_lines_or_the_apis(self):
        port, _ = self.open()
        self.load(port)
        wait_until(lambda: sum(n["items"] or 0 for n in self.nodes().values()) == 500, "what servers hold is measured")
        own = json.loads(self.cli("ownership", self.map))
        first = lambda: self.json("/api/v1/backends")["pools"][0]  # noqa: E731

        def agree():
            said = self.browser.evaluate("JSON.parse(JSON.stringify(view))")["pools"][0]  # what the page was drawn from
            for node in said["nodes"]:
                shown = self.row(node["name"])
                items = f'{node["items"]:,} item' + ("" if node["items"] == 1 else "s")
                if numbers(shown["stored"]) != size(node["bytes"]) + items or shown["waiting"] != str(node["in_flight"]):
                    return False
            return sum(node["items"] for node in said["nodes"]) == 500 and first()["requests"] == said["requests"]
        wait_until(agree, "the page's numbers are the API's")
        for node in own["nodes"]:
            shown = self.row(node["name"])
            self.assertEqual((numbers(shown["real"]), numbers(shown["asked"])),
                             (percent(node["effective_share"]), "asked " + percent(node["target_share"])))
            self.assertEqual((shown["address"], shown["state"], shown["away"]), (node["address"], "answers", False))
        figure = lambda name: numbers(self.browser.text(f"#figure-{name}"))  # noqa: E731
        self.assertEqual(figure("balance"), f'{own["balance"]["max_over_target"]:.2f}× its target')
        self.assertRegex(figure("epoch"), r"^3 for \d+ s$")
        self.assertEqual(figure("clients"), "1")
        self.assertEqual(self.browser.text("#fingerprint"), "fingerprint " + own["fingerprint"])
        self.assertEqual(self.browser.text("#sentence"), "All 5 nodes answer.")
        self.assertIn(f'{own["ring_entries"]:,} entries in {own["ranges"]:,} ranges, {own["replica_sets"]:,} replica sets',
                      self.browser.text("#consequence"))
        now = self.browser.evaluate("({ shown: document.querySelector('#figure-hits').textContent, meant: current().now.hit_ratio })")
        self.assertEqual(numbers(now["shown"]), percent(now["meant"], 1))
        most = max(max(node["effective_share"], node["target_share"]) for node in own["nodes"])
        self.assertIn(f"A bar goes from 0 to {percent(most, 1)}:", numbers(self.browser.text("#nodes-note")))
        racks = self.browser.evaluate("[...document.querySelectorAll('#nodes tr.rack')].map(r => r.textContent)")
        self.assertEqual(racks, ["Rack r0", "Rack r1"])
        self.ring_is_the_shares(own)
        self.browser.picture("light")
        self.browser("await page.emulateMedia({ colorScheme: 'dark' })")
        self.browser.picture("dark")
        self.browser("await page.emulateMedia({ colorScheme: 'light' }); await page.setViewportSize({ width: 390, height: 844 })")
        self.browser.picture("phone")
        self.assertLessEqual(self.browser.evaluate("document.documentElement.scrollWidth"), 390, "nothing sticks out on a phone")
        self.assertEqual(self.browser("return problems"), [])

    def ring_is_the_shares(self, own):
        """The angle that each node's arcs cover, off the picture itself."""
        wait_until(lambda: self.browser.text("#ring-name"), "the ring is drawn")
        covered = self.browser.evaluate("""[...document.querySelectorAll('#ring path[data-node]')].map(path => ({
            name: path.querySelector('title').textContent, part: path.getTotalLength() / (2 * Math.PI * 165) }))""")
        self.assertEqual({one["name"] for one in covered}, {node["name"] for node in own["nodes"]})
        for node in own["nodes"]:
            part = next(one["part"] for one in covered if one["name"] == node["name"])
            self.assertAlmostEqual(part, node["share"], delta=0.002)


class Words(Page):
    def test_before_the_first_figures_it_says_that_it_waits_for_them(self):
        self.serve(3)
        self.browser("await page.route('**/api/v1/stream', () => {})")  # no answer
        try:
            self.show(self.admin)
            self.assertEqual(self.browser.text("#wait"), "Loading: waiting for the router's first figures.")
            seen = self.browser.evaluate("[...document.querySelectorAll('main, #wait')].map(e => e.checkVisibility())")
            self.assertEqual(seen, [True, False], "the words, and no empty boxes")
        finally:
            self.browser("await page.unroute('**/api/v1/stream')")
        self.show(self.admin)
        wait_until(lambda: self.browser.text("#sentence") == "All 3 nodes answer.", "the figures")
        self.assertFalse(self.browser.evaluate("document.querySelector('#wait').checkVisibility()"))

    def test_a_key_is_explained_step_by_step_as_by_the_command_line(self):
        self.open(3)
        for key in ("user:1042", "<b>&\"'"):
            self.browser("await page.fill('#key', given); await page.press('#key', 'Enter')", key)
            expected = json.loads(self.cli("explain", self.map, key))
            wait_until(lambda key=key: self.browser.text(".steps .mono") == key, "an answer")
            text = self.browser.text("#answer")
            for said in (expected["hash"], expected["key_hash"], f'({expected["region"]["after"]}, {expected["region"]["upto"]}]',
                         *[c["token"] for c in expected["candidates"]], *[c["reason"] for c in expected["candidates"]]):
                self.assertIn(said, text)
            self.assertEqual(self.browser.text("#owners"), ", ".join(expected["owners"]))
            wait_until(lambda expected=expected: self.browser.text("#ring-name") == expected["owners"][0], "its owner is shown on the ring")
        self.browser.picture("explained")
        self.assertEqual(self.browser("return problems"), [])

    def test_a_node_that_falls_silent_is_told_and_a_lost_router_too(self):
        port, ports = self.open(3)
        self.load(port)
        self.servers[1].send_signal(signal.SIGSTOP)
        try:
            client = Connection(port)
            self.addCleanup(client.close)
            client.say("".join(f"get k{i}\r\n" for i in range(100)))
            wait_until(lambda: re.match(r"no reply for \d+ s$", self.row("cache-1")["state"]), "the state is in words")
            self.assertTrue(self.row("cache-1")["away"])
            self.assertRegex(self.browser.text("#sentence"), r"^cache-1: no reply for \d+ m?s\.$")
            share = next(n["share"] for n in json.loads(self.cli("ownership", self.map))["nodes"] if n["name"] == "cache-1")
            self.assertEqual(numbers(self.browser.text("#consequence")),
                             f"Its keys, {percent(share)} of key space, get an error. No key moves to another owner.")
            self.assertEqual(self.browser.text("#spoken"), "cache-1 does not answer")
            wait_until(lambda: self.browser.text("[data-event=server_stalled]"), "the event is listed")
            self.assertRegex(self.browser.text("[data-event=server_stalled] div p"), f"^cache-1 127.0.0.1:{ports[1]}: no reply for ",
                             "who it is comes first, and where")
            wait_until(lambda: "cache-1" in (self.browser.text("#slow") or "") or not self.json("/api/v1/slowlog")["slow"], "slow ones too")
            self.browser.picture("silent")
        finally:
            self.servers[1].send_signal(signal.SIGCONT)
        wait_until(lambda: self.row("cache-1")["state"] == "answers", "it answers again")
        wait_until(lambda: self.browser.text("#sentence") == "All 3 nodes answer.", "the sentence says so")
        self.process.kill()
        self.process.wait()
        wait_until(lambda: not self.browser.evaluate("document.querySelector('#banner').hidden"), "the loss is shown")
        self.assertIn("The connection to the router is lost.", self.browser.text("#banner"))
        self.browser.picture("lost")

    def test_pools_are_chosen_and_another_router_that_differs_is_told(self):
        port, other, admin, other_admin, *ports = free_ports(9)
        for each in ports[:3]:
            self.memcached(each)
        servers = [(p, 1, f"s{p}") for p in ports[:3]]
        config = self.write("n.yml", pool("one", port, servers, hash="md5", distribution="ketama") +
                            pool("two", ports[3], [*servers[:2], (ports[4], 1, "gone")], hash="md5", distribution="ketama"))
        theirs = self.write("other.yml", pool("one", other, servers[:2], hash="md5", distribution="ketama"))
        self.processes.start([ARCWISED, "--config", theirs, "--admin", f":{other_admin}"], other_admin)
        self.processes.start([ARCWISED, "--config", config, "--admin", f":{admin}", "--peers", f"127.0.0.1:{other_admin}"], admin)
        self.show(admin)
        wait_until(lambda: self.browser.text("#sentence") == "All 3 nodes answer.", "the first pool")
        wait_until(lambda: numbers(self.browser.text("#tabs button:last-child")) == "▲ two1 of 3 away", "the other's trouble is marked")
        self.assertEqual(self.browser.text("#elsewhere"), "In pool two 1 node does not answer.")
        self.assertEqual(self.browser.text("#tabs [aria-current]"), "one", "and this one's is none")
        self.browser("await page.focus('#tabs button:last-child'); await page.keyboard.press('Enter')")
        wait_until(lambda: self.browser.text("#sentence").startswith("gone: Connection refused"), "the second")
        self.assertEqual(numbers(self.browser.text("#tabs [aria-current]")), "▲ two1 of 3 away")
        self.assertTrue(self.browser.evaluate("document.querySelector('#elsewhere').hidden"))
        wait_until(lambda: "serves another map for one" in self.browser.text("#peers"), "the other router differs")
        wait_until(lambda: self.browser.text("[data-event=routers_differ]"), "and an alarm says so")
        self.browser.picture("pools")
        self.assertEqual(self.browser("return problems"), [])

    def test_two_hundred_nodes_can_be_looked_through(self):
        port, admin, *ports = free_ports(202)
        self.map = self.write("map.yaml", map_text(1, ports).replace("tokens: 16", "tokens: 100"))
        self.start_router(self.map, port, admin)
        self.show(admin)
        wait_until(lambda: self.browser.evaluate("document.querySelectorAll('#nodes tr[data-node]').length") == 200, "all are listed")
        wait_until(lambda: self.browser.text("#ring-name") == "200 nodes", "the ring is drawn")
        own = json.loads(self.cli("ownership", self.map))["nodes"]
        over = sum(n["effective_share"] / n["target_share"] > 1.1 for n in own)
        self.assertIn(f"{over} more than 10", self.browser.text("#legend"))
        self.browser("await page.click('#nodes th button:has-text(\"Share\")')")
        first = self.browser.evaluate("document.querySelector('#nodes tr[data-node] .name').textContent")
        self.assertEqual(first, max(own, key=lambda n: n["effective_share"])["name"])
        self.browser("await page.fill('#filter', given)", "cache-17")
        wait_until(lambda: self.browser.evaluate("document.querySelectorAll('#nodes tr[data-node]').length") == 11, "those named so")
        self.browser.picture("many")
        # What befell all of them at once is one entry.
        wait_until(lambda: re.match("^[0-9]+ servers: Connection refused", self.browser.text("[data-event=server_lost] div p") or ""),
                   "the event")
        self.assertLess(self.browser.evaluate("document.querySelectorAll('#events li').length"), 13)
        self.browser("await page.fill('#filter', ''); await page.click('#only')")
        self.assertEqual(self.browser.text("#only"), "Show all")
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('#nodes tr[data-node].away').length"), 200)
        self.assertEqual(self.browser.text("#sentence"), "None of the 200 nodes answers.", "none was started")


if __name__ == "__main__":
    unittest.main()
