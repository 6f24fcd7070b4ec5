"""Arcwise as others use it: installed into a prefix, found by CMake and by pkg-config, and the example of docs/library.md built
against it, which prints what the document shows.
"""
# Plain build only: a library under sanitizers is linked by nobody else.

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ.get("ARCWISE_SOURCE") or pathlib.Path(__file__).resolve().parent.parent)
BUILD = os.environ.get("ARCWISE_BUILD") or str(SOURCE / "build")
EXAMPLE = SOURCE / "examples/library"


def run(*words, **how):
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, **how)
    if done.returncode:
        raise AssertionError(f"{words}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def blocks(language):
    text = (SOURCE / "docs/library.md").read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.prefix = pathlib.Path(cls.folder.name, "prefix")
        run("cmake", "--install", BUILD, "--prefix", str(cls.prefix))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_cmake_finds_it_and_the_example_prints_what_the_document_shows(self):
        build = os.path.join(self.folder.name, "cmake")
        run("cmake", "-S", str(EXAMPLE), "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run("cmake", "--build", build)
        self.assertEqual([run(os.path.join(build, "library"))], blocks("text"))

    def test_pkg_config_finds_it_and_the_example_prints_what_the_document_shows(self):
        found = next(self.prefix.rglob("arcwise.pc"))
        words = run("pkg-config", "--cflags", "--libs", "arcwise",
                    env={**os.environ, "PKG_CONFIG_PATH": str(found.parent)}).split()
        program = os.path.join(self.folder.name, "by-pkg-config")
        run("c++", "-std=c++20", "-Wall", "-Wextra", "-Werror", "-o", program, str(EXAMPLE / "library.cpp"), *words)
        self.assertEqual([run(program)], blocks("text"))

    def test_the_programs_and_every_public_header_are_installed(self):
        for program in ("arcwise", "arcwised"):
            run(str(self.prefix / "bin" / program), "--help")
        self.assertEqual({p.name for p in (self.prefix / "include/arcwise").iterdir()},
                         {p.name for p in (SOURCE / "include/arcwise").glob("*.hpp")})

    def test_the_document_shows_the_example_itself(self):
        for block, name in ((b, n) for language, n in (("cpp", "library.cpp"), ("cmake", "CMakeLists.txt"))
                            for b in blocks(language)):
            self.assertIn(block, (EXAMPLE / name).read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
