"""The same owners on ARM64: the core is compiled for it, run by qemu, and its answers are held against `arcwise locate`.

There `char` is unsigned and vectors are NEON's, so every recipe that places keys on a plain list of servers is asked, also
for keys of bytes above 0x7f; the batch form has to give the first owners too.
"""
# Plain build only: it compiles for another machine.

import concurrent.futures
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ.get("ARCWISE_SOURCE") or pathlib.Path(__file__).resolve().parent.parent)
ARCWISE = os.environ.get("ARCWISE") or str(SOURCE / "build/bin/arcwise")
BUILD = pathlib.Path(os.environ.get("ARCWISE_BUILD") or SOURCE / "build") / "arm64"
LAYERS = ("hash", "model", "place")
UNUSED = ("bounded", "scheme", "tablets")  # what no lookup needs
OWN = ("ring", "modulo", "rendezvous", "multi-probe", "maglev", "jump", "jump-back", "anchor", "memento")
SERVERS = [f"10.0.{i % 3}.{7 * i + 1}:11211" for i in range(12)]  # of weights 1, 2, 4, 8, 1, …
KEYS = [f"user:{i}" for i in range(1900)] + [f"ключ-{i}-é" for i in range(100)]

# Recipe names stand in the arguments, keys in the lines of standard input.
PROGRAM = r"""
#include <cstdio>
#include <string>
#include <vector>

#include "arcwise/placement.hpp"

using namespace arcwise;

static Result<ClusterMap> map_of(const char* recipe, bool weighted) {
  ClusterSpec spec;
  spec.recipe.value = recipe;
  spec.count = Marked<std::uint64_t>{2, {}};
  int weight = 1;
  for (const char* name : {SERVERS}) {
    ClusterSpec::NodeSpec node;
    node.name.value = name;
    if (weighted) node.weight = Marked<double>{double(weight), {}};
    weight = weight == 8 ? 1 : 2 * weight;
    spec.nodes.push_back(node);
  }
  return validate(spec);
}

static bool batch_agrees(const Placement& p, const std::vector<std::string>& keys) {
  if (!p.traits().enumerable || p.map().space().last > ~std::uint64_t{0}) return true;
  std::vector<std::uint64_t> hashes;
  for (const std::string& key : keys) hashes.push_back(std::uint64_t(p.hash(key).value));
  std::vector<NodeIndex> batch(keys.size());
  p.primary(hashes, batch);
  for (std::size_t k = 0; k < keys.size(); ++k) {
    NodeIndex first = no_node;
    p.owners({keys[k], {hashes[k]}, {}}, {&first, 1});
    if (batch[k] != first) return false;
  }
  return true;
}

int main(int argc, char** argv) {
  std::vector<std::string> keys;
  char line[256];
  while (std::fgets(line, sizeof line, stdin)) keys.emplace_back(line, std::string(line).size() - 1);
  for (int i = 1; i < argc; ++i)
    for (bool weighted : {false, true}) {
      const auto map = map_of(argv[i], weighted);
      std::printf("%s %s%s\n", argv[i], weighted ? "weighted" : "equal", map ? "" : " refused");
      if (!map) continue;
      const Placement p = compile(*map);
      if (!batch_agrees(p, keys)) std::printf("the batch form differs\n");
      for (const std::string& key : keys) {
        NodeIndex owners[2];
        const std::size_t n = p.owners({key, p.hash(key), {}}, owners);
        std::printf("%s\t", key.c_str());
        for (std::size_t k = 0; k < n; ++k)
          std::printf("%s%s", k ? "," : "", map->nodes()[owners[k]].name.c_str());
        std::printf("\n");
      }
    }
}
"""

HEADERS = "".join(f"#include <{name}>\n" for name in ("algorithm", "array", "cmath", "functional", "map", "set", "string",
                                                      "vector"))


def newest_source():
    files = [path for folder in (SOURCE / "include", *(SOURCE / "src" / layer for layer in LAYERS))
             for path in folder.rglob("*.*pp")] + [pathlib.Path(__file__)]
    return max(path.stat().st_mtime for path in files)


def compile_arm(*words):
    subprocess.run(["aarch64-linux-gnu-g++", "-std=c++20", "-O0", "-ffp-contract=off", f"-I{SOURCE}/include",
                    f"-I{SOURCE}/src", *words], check=True)


def built_program():
    """The core and PROGRAM for ARM64, compiled anew where a source is newer."""
    BUILD.mkdir(parents=True, exist_ok=True)
    newest = newest_source()
    common = BUILD / "common.hpp"
    common.write_text(HEADERS + '#include "arcwise/placement.hpp"\n#include "model/build.hpp"\n')
    (BUILD / "owners.cpp").write_text(PROGRAM.replace("{SERVERS}", "{" + ", ".join(f'"{s}"' for s in SERVERS) + "}"))
    sources = [path for layer in LAYERS for path in sorted((SOURCE / "src" / layer).glob("*.cpp"))
               if not path.stem.endswith(("_test", "_fuzz", "_bench")) and path.stem not in UNUSED]
    sources.append(BUILD / "owners.cpp")
    objects = [BUILD / f"{path.parent.name}-{path.stem}.o" for path in sources]
    program = BUILD / "owners"
    if program.exists() and program.stat().st_mtime > newest:
        return program
    compile_arm("-x", "c++-header", common, "-o", f"{common}.gch")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda pair: compile_arm("-include", common, "-c", pair[0], "-o", pair[1]), zip(sources, objects)))
    compile_arm(*objects, "-static", "-o", program)
    return program


def located(recipe, weighted):
    """What the program of this machine says; None where it refuses the map."""
    nodes = "".join(f'  - {{name: "{name}"{f", weight: {1 << i % 4}" if weighted else ""}}}\n'
                    for i, name in enumerate(SERVERS))
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "map.yaml"
        path.write_text(f"arcwise: 1\nplacement: {{recipe: {recipe}}}\nreplicas: {{count: 2}}\nnodes:\n{nodes}")
        done = subprocess.run([ARCWISE, "locate", path, "--keys", "-"], input="\n".join(KEYS) + "\n",
                              capture_output=True, text=True, check=False)
    return done.stdout.splitlines() if done.returncode == 0 else None


class Arm64(unittest.TestCase):
    def test_owners_are_the_same_as_on_this_machine(self):
        recipes = [r["name"] for r in json.loads(subprocess.check_output([ARCWISE, "recipes", "--json"]))["recipes"]]
        done = subprocess.run(["qemu-aarch64", built_program(), *recipes], input="\n".join(KEYS) + "\n",
                              capture_output=True, text=True, check=True)
        answers, current = {}, None
        for line in done.stdout.splitlines():
            if "\t" in line:
                current.append(line)
            else:
                current = answers.setdefault(line, [])
        compared = set()
        for recipe in recipes:
            for weighted, word in ((False, "equal"), (True, "weighted")):
                want = located(recipe, weighted)
                if want is None:
                    self.assertIn(f"{recipe} {word} refused", answers)
                    continue
                self.assertEqual(answers.get(f"{recipe} {word}"), want, f"{recipe}, {word}")
                compared.add((recipe, word))
        self.assertNotIn("the batch form differs", answers)
        self.assertLessEqual({(recipe, "weighted") for recipe in OWN}, compared)
        self.assertGreater(len(compared), 80)


if __name__ == "__main__":
    unittest.main()
