"""Reads the source tree and fails on what a compiler lets pass: an include against the layer order, a platform header
in the core, a file that nobody builds, a file or function that has grown too long, a package without a reason.

Each rule is a function from a Tree to a list of complaints; below them, each rule is shown a planted violation.
"""
# Plain build only: it reads sources and starts no program.

import os
import pathlib
import re
import tempfile
import unittest

# hash < model < place < study < format < control < {cli, router, bind}: a file may include its own layer and those
# before it. The last three are leaves: none includes another.
LAYERS = ["hash", "model", "place", "study", "format", "control", "cli", "router", "bind"]
LEAVES = {"cli", "router", "bind"}
CORE = {"hash", "model", "place", "study"}
NOT_IN_CORE = {"iostream", "fstream", "filesystem", "thread", "mutex", "locale", "random"}
MAX_FILE_LINES = 600
MAX_FUNCTION_LINES = 70

HEADERS = {".hpp", ".h", ".inc"}
EXEMPT_KINDS = {"test", "fuzz", "bench"}

TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
      | (?P<raw>(?:u8|[uUL])?R"(?P<fence>[^()\\\s"]{0,16})\(.*?\)(?P=fence)")
      | (?P<string>"(?:\\.|[^"\\\n])*")
      | (?P<number>\d(?:'?[\w.])*)
      | (?P<word>[A-Za-z_]\w*)
      | (?P<char>'(?:\\.|[^'\\\n])+')""",
    re.DOTALL | re.VERBOSE)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">\n]+)[">]', re.MULTILINE)


def blank(text, kinds):
    """`text` with comments, strings … replaced by spaces; line breaks, and so line numbers, stay."""
    def replace(match):
        return re.sub(r"[^\n]", " ", match[0]) if match.lastgroup in kinds else match[0]
    return TOKEN.sub(replace, text)


class Tree:
    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.files = {}  # path relative to the root, with '/' -> text
        for folder, folders, names in os.walk(self.root):
            folders[:] = [f for f in folders if not re.match(r"build|\.git$|out$|node_modules$|__pycache__$", f)]
            for name in names:
                path = pathlib.Path(folder, name)
                if path.suffix in HEADERS | {".cpp", ".cmake"} or name in ("CMakeLists.txt", "apt-packages.txt"):
                    self.files[path.relative_to(self.root).as_posix()] = path.read_text(encoding="utf-8")

    def cpp(self):
        return {p: t for p, t in self.files.items() if is_cpp(p)}

    def layer(self, path):
        """The layer of a file, or None: by folder under src/, by the opening comment in include/arcwise/."""
        parts = path.split("/")
        if parts[0] == "src" and len(parts) > 2:
            return parts[1] if parts[1] in LAYERS else None
        if path.startswith("include/arcwise/"):
            opening = re.match(r"(?:[ \t]*//[^\n]*\n|[ \t]*\n)*", self.files[path]).group()
            named = re.search(r"^[ \t]*// Layer: (\w+)\.", opening, re.MULTILINE)
            return named[1] if named and named[1] in LAYERS else None
        return None

    def includes(self, path):
        """(line, name, path in the tree or None) of each include."""
        text = blank(self.files[path], {"comment", "raw"})
        for match in INCLUDE.finditer(text):
            quoted, name = match[1] == '"', match[2]
            places = [f"include/{name}", f"src/{name}", f"tools/{name}"]
            if quoted:
                places.insert(0, os.path.normpath(os.path.join(os.path.dirname(path), name)))
            found = next((p for p in places if p in self.files), None)
            yield text.count("\n", 0, match.start()) + 1, name, found


def is_cpp(path):
    return pathlib.PurePosixPath(path).suffix in HEADERS | {".cpp"}


def kind(path):
    """test, fuzz, bench or main for x_test.cpp …; '' for all others."""
    match = re.search(r"_(test|fuzz|bench|main)\.cpp$", path)
    return match[1] if match else ""


def files_have_a_layer(tree):
    for path in tree.cpp():
        if path.startswith("src/") and tree.layer(path) is None:
            yield f"{path}: is in no layer; known are src/{{{','.join(LAYERS)}}}/"
        if path.startswith("include/arcwise/") and tree.layer(path) is None:
            yield f"{path}: its opening comment has no line `// Layer: NAME.` with a known name"


def includes_follow_the_layers(tree):
    for path in tree.cpp():
        layer = tree.layer(path)
        if layer is None or kind(path) == "bench":  # benchmarks use the whole library
            continue
        for line, name, found in tree.includes(path):
            other = tree.layer(found) if found else None
            if other is None or other == layer:
                continue
            if LAYERS.index(other) > LAYERS.index(layer) or {layer, other} <= LEAVES:
                yield f"{path}:{line}: {layer} must not include {other} ({name})"


def core_is_portable(tree):
    for path in tree.cpp():
        if tree.layer(path) in CORE and kind(path) not in EXEMPT_KINDS:
            for line, name, _ in tree.includes(path):
                if name in NOT_IN_CORE:
                    yield f"{path}:{line}: <{name}> is not for {'/'.join(sorted(CORE))}"


def every_file_is_built(tree):
    cmake = {p: t for p, t in tree.files.items() if p.endswith((".cmake", "CMakeLists.txt"))}
    everything = re.sub(r"#[^\n]*", "", "\n".join(cmake.values()))

    def arguments(call):  # one list for each call of a CMake function
        return [group.split() for group in re.findall(rf"\b{call}\(([^)]*)\)", everything)]

    built = {layer for words in arguments("layer_sources") for layer in words[1:]}
    tested = {layer for words in arguments("layer_tests") for layer in words[:1]}
    included = {found for path in tree.cpp() for _, _, found in tree.includes(path)}
    for path in tree.cpp():
        if not path.endswith(".cpp"):
            if path not in included:
                yield f"{path}: no file includes it"
            continue
        parts = path.split("/")
        in_layer = len(parts) == 3 and parts[0] == "src"  # the build's patterns do not descend further
        by_pattern = {"": in_layer and parts[1] in built,
                      "test": in_layer and parts[1] in tested,
                      "fuzz": in_layer and "_fuzz.cpp" in everything,
                      "bench": in_layer and "_bench.cpp" in everything,
                      "main": False}[kind(path)]
        by_name = any(re.search(rf"(?<![\w/.]){re.escape(os.path.relpath(path, os.path.dirname(p) or '.'))}(?![\w.])",
                                re.sub(r"\$\{\w+\}/", "", text)) for p, text in cmake.items())
        if not by_pattern and not by_name:
            yield f"{path}: no CMake file builds it"


def files_are_short(tree):
    for path, text in tree.cpp().items():
        if not path.endswith(".inc") and text.count("\n") > MAX_FILE_LINES:
            yield f"{path}: {text.count(chr(10))} lines, more than {MAX_FILE_LINES}"


def code_only(text):
    """No comments, strings or preprocessor lines; of #if … #else … #endif only the first branch, so braces pair up."""
    text = blank(text, {"comment", "raw", "string", "char"})
    text = re.sub(r"(?m)^[ \t]*#(?:.*\\\n)*.*$", lambda m: m[0].split("\n")[0] + "\n" * m[0].count("\n"), text)
    out, skipping = [], []  # skipping: one flag per open #if
    for line in text.split("\n"):
        directive = re.match(r"[ \t]*#[ \t]*(\w+)", line)
        word = directive[1] if directive else ""
        if word in ("if", "ifdef", "ifndef"):
            skipping.append(False)
        elif word in ("else", "elif") and skipping:
            skipping[-1] = True
        elif word == "endif" and skipping:
            skipping.pop()
        out.append("" if directive or any(skipping) else line)
    return "\n".join(out)


def functions(text):
    """(first line, lines, signature) of each function body that is not inside another, lambdas included."""
    code = code_only(text)
    opened = []  # per open brace: None, or (first line, signature) where a function starts
    inside = 0   # how many functions are open: 0 or 1
    start = 0    # where the text since the last ; { } begins
    for match in re.finditer(r"[;{}]", code):
        head = code[start:match.start()]
        start = match.end()
        if match[0] == "{":
            signature = " ".join(head.split())
            scope = re.match(r"(template ?<.*> ?)?((inline|export|typedef) )*(namespace|class|struct|union|enum)\b",
                             signature)
            if not inside and ")" in signature and not scope and not re.search(r"[=(,:]$|\breturn$", signature):
                first = match.start() - len(head.lstrip())
                opened.append((code.count("\n", 0, first) + 1, signature))
                inside = 1
            else:
                opened.append(None)
        elif match[0] == "}" and opened:
            begun = opened.pop()
            if begun:
                inside = 0
                yield begun[0], code.count("\n", 0, match.start()) + 2 - begun[0], begun[1]


def functions_are_short(tree):
    for path, text in tree.cpp().items():
        if kind(path) in EXEMPT_KINDS or path.startswith("tests/"):
            continue
        for first, lines, signature in functions(text):
            if lines > MAX_FUNCTION_LINES:
                yield f"{path}:{first}: {lines} lines, more than {MAX_FUNCTION_LINES}: {signature[-90:]}"


def packages_have_reasons(tree):
    for number, line in enumerate(tree.files.get("packaging/apt-packages.txt", "").splitlines(), 1):
        if not re.fullmatch(r"\s*|#.*|\[\w+\]|[a-z0-9][a-z0-9+.-]+\s+#\s*\S.*", line):
            yield f"packaging/apt-packages.txt:{number}: not `package  # reason`: {line.strip()}"


RULES = [files_have_a_layer, includes_follow_the_layers, core_is_portable, every_file_is_built, files_are_short,
         functions_are_short, packages_have_reasons]


class ThisTree(unittest.TestCase):
    def test_tree_obeys_every_rule(self):
        tree = Tree(os.environ.get("ARCWISE_SOURCE") or pathlib.Path(__file__).resolve().parent.parent)
        self.assertIn("CMakeLists.txt", tree.files)
        for rule in RULES:
            with self.subTest(rule=rule.__name__):
                complaints = list(rule(tree))
                self.assertFalse(complaints, "\n" + "\n".join(complaints))


CLEAN = {
    "CMakeLists.txt": "layer_sources(core hash place)\nlayer_sources(c cli)\nadd_executable(a src/cli/a_main.cpp)\n",
    "cmake/tests.cmake": "layer_tests(place core)\nfile(GLOB f ${S}/src/*/*_fuzz.cpp ${S}/src/*/*_bench.cpp)\n",
    "include/arcwise/hash.hpp": "// Hashes.\n//\n// Layer: hash. Pure.\n#pragma once\n#include <span>\n",
    "include/arcwise/place.hpp": "// Placements.\n// Layer: place.\n#pragma once\n#include \"arcwise/hash.hpp\"\n",
    "src/hash/fnv.cpp": "#include <arcwise/hash.hpp>\nint f() { return 1'000'000; }\n",
    "src/place/ring.hpp": "#pragma once\n#include \"arcwise/place.hpp\"\n",
    "src/place/ring.cpp": "#include \"place/ring.hpp\"\n// #include <mutex>\n",
    "src/place/ring_test.cpp": "#include <random>\n#include \"place/ring.hpp\"\n",
    "src/place/ring_bench.cpp": "#include <thread>\n#include \"cli/run.hpp\"\n",
    "src/cli/run.hpp": "#include <iostream>\n#include \"arcwise/place.hpp\"\n",
    "src/cli/a_main.cpp": "#include \"run.hpp\"\nint main() {}\n",
    "packaging/apt-packages.txt": "# list\n\n[build]\ng++   # the compiler\nlibfmt-dev # text\n",
    "build-dev/junk/generated.cpp": "#include \"nowhere.hpp\"\n",
}
LONG_BODY = "  step();\n" * MAX_FUNCTION_LINES


class EachRuleCatches(unittest.TestCase):
    def complaints(self, rule, planted):
        with tempfile.TemporaryDirectory() as root:
            for path, text in {**CLEAN, **planted}.items():
                file = pathlib.Path(root, path)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")
            return list(rule(Tree(root)))

    def catches(self, rule, planted, *expected):
        """Exactly the expected complaints, each known by how it starts."""
        found = sorted(self.complaints(rule, planted))
        self.assertEqual(len(found), len(expected), found)
        for complaint, start in zip(found, sorted(expected)):
            self.assertTrue(complaint.startswith(start), complaint)

    def test_nothing_in_a_clean_tree(self):
        for rule in RULES:
            with self.subTest(rule=rule.__name__):
                self.assertEqual(self.complaints(rule, {}), [])

    def test_unknown_layer(self):
        self.catches(files_have_a_layer, {"src/util/x.cpp": "", "src/loose.cpp": ""}, "src/loose.cpp", "src/util/x.cpp")

    def test_public_header_without_layer(self):
        self.catches(files_have_a_layer,
                     {"include/arcwise/a.hpp": "// Things.\n#pragma once\n// Layer: hash.\n",
                      "include/arcwise/b.hpp": "// Layer: attic.\n"},
                     "include/arcwise/a.hpp", "include/arcwise/b.hpp")

    def test_include_against_the_order(self):
        self.catches(includes_follow_the_layers,
                     {"src/hash/fnv.cpp": "\n#include \"place/ring.hpp\"\n",
                      "src/hash/sha.cpp": "#include \"../place/ring.hpp\"\n",
                      "include/arcwise/hash.hpp": "// Layer: hash.\n#  include <arcwise/place.hpp>\n",
                      "src/place/ring_test.cpp": "#include \"cli/run.hpp\"\n"},
                     "src/hash/fnv.cpp:2", "src/hash/sha.cpp:1", "include/arcwise/hash.hpp:2",
                     "src/place/ring_test.cpp:1")

    def test_leaves_including_each_other(self):
        self.catches(includes_follow_the_layers,
                     {"src/router/loop.hpp": "#include \"cli/run.hpp\"\n",
                      "src/cli/serve.cpp": "#include \"router/loop.hpp\"\n",
                      "src/bind/c.cpp": "#include \"cli/run.hpp\"\n"},
                     "src/router/loop.hpp:1", "src/cli/serve.cpp:1", "src/bind/c.cpp:1")

    def test_platform_header_in_the_core(self):
        for name in NOT_IN_CORE:
            self.catches(core_is_portable,
                         {"src/place/ring.hpp": f"/* a\n*/ #include <vector>\n#include <{name}>\n",
                          "include/arcwise/hash.hpp": f"// Layer: hash.\n#include <{name}>\n"},
                         "src/place/ring.hpp:3", "include/arcwise/hash.hpp:2")

    def test_file_that_nobody_builds(self):
        self.catches(every_file_is_built,
                     {"src/place/deep/x.cpp": "", "src/router/r.cpp": "", "src/hash/fnv_test.cpp": "",
                      "src/cli/b_main.cpp": "", "tools/gen.cpp": "", "src/hash/lonely.hpp": "", "src/hash/t.inc": "",
                      "examples/app/CMakeLists.txt": "add_executable(app app.cpp)\n", "examples/app/app.cpp": "",
                      "src/place/ring_fuzz.cpp": ""},
                     "src/place/deep/x.cpp", "src/router/r.cpp", "src/hash/fnv_test.cpp", "src/cli/b_main.cpp",
                     "tools/gen.cpp", "src/hash/lonely.hpp", "src/hash/t.inc")

    def test_long_file(self):
        self.catches(files_are_short, {"src/hash/fnv.cpp": "\n" * 601, "src/hash/sha.cpp": "\n" * 600},
                     "src/hash/fnv.cpp: 601 lines")

    def test_long_function(self):
        text = "\n".join([
            "#include \"a.hpp\"", "namespace {", "struct Row {", "  int x{1};  // }", "};",
            "const Row rows[] = {", "  {f(1), '{', \"}\", R\"(}})\"},", "};",
            "Name::Name(int a) : a_{a}, b_(f(a)) {", LONG_BODY + "}",                     # line 9
            "template <class T>", "auto Name::run(T t) const noexcept -> int {",           # line 81
            "#if FAST", "  if (t) {", "#else", "  while (t) {", "#endif", "  auto g = [&](int i) { return i; };",
            LONG_BODY + "  }", "}", "}  // namespace",
            "class Other {", " public:", "  int small() const { return 1'000; }", LONG_BODY.replace("()", ""), "};", ""])
        self.catches(functions_are_short, {"src/hash/fnv.cpp": text, "src/place/ring_test.cpp": text},
                     "src/hash/fnv.cpp:9: 72 lines", "src/hash/fnv.cpp:81: 80 lines")

    def test_function_at_the_limit(self):
        self.catches(functions_are_short, {"src/hash/fnv.cpp": "int f(int x)\n{\n" + "  g();\n" * 67 + "}\n"})
        self.catches(functions_are_short, {"src/hash/fnv.cpp": "int f(int x)\n{\n" + "  g();\n" * 68 + "}\n"},
                     "src/hash/fnv.cpp:1: 71 lines")

    def test_package_without_reason(self):
        self.catches(packages_have_reasons,
                     {"packaging/apt-packages.txt": "[test]\nzlib1g-dev\nnutcracker #\ncurl # to fetch\n"},
                     "packaging/apt-packages.txt:2", "packaging/apt-packages.txt:3")


if __name__ == "__main__":
    unittest.main()
