// A browser that does what it is told: each line of standard input is {"run": "JavaScript", "with": value}, run with `page`, `browser`
// and `given`; each line of standard output is {"value": …} or {"error": "…"}.
"use strict";
const [modules, folder] = process.argv.slice(2);
const { chromium } = require(modules + "/playwright-core");
const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync"];

(async () => {
  const browser = await chromium.launchPersistentContext(folder, { executablePath: "/usr/bin/chromium", headless: true, args: flags,
    viewport: { width: 1320, height: 900 }, colorScheme: "light" });
  const page = await browser.newPage();
  const problems = [];
  page.on("console", message => { if (message.type() === "error") problems.push(message.text()); });
  page.on("pageerror", error => problems.push(String(error)));
  page.on("request", request => { if (!request.url().startsWith("http://127.0.0.1:") && !request.url().startsWith("data:")) problems.push("asks " + request.url()); });
  const AsyncFunction = (async () => {}).constructor;
  console.log(JSON.stringify({ value: "ready" }));
  for await (const line of require("readline").createInterface({ input: process.stdin })) {
    const { run, with: given } = JSON.parse(line);
    try {
      const value = await new AsyncFunction("page", "browser", "given", "problems", run)(page, browser, given, problems);
      console.log(JSON.stringify({ value: value ?? null }));
    } catch (error) {
      console.log(JSON.stringify({ error: String(error) }));
    }
  }
  await browser.close();
})().catch(error => { console.log(JSON.stringify({ error: String(error) })); process.exit(1); });
