"""Holds docs/completeness.md against the sources: every item has its row, and every test that it names exists."""
# Plain build only: it reads sources and starts no program.

import os
import pathlib
import re
import unittest

SOURCE = pathlib.Path(os.environ.get("ARCWISE_SOURCE") or pathlib.Path(__file__).resolve().parent.parent)
DEFINED = re.compile(r"^(?:TEST|TEST_F|TEST_P|RC_GTEST_PROP)\(\s*(\w+),\s*(\w+)", re.MULTILINE)
NAMED = re.compile(r"`(\w+\.\w+)`")
ITEMS = 131


def missing(document, defined):
    return sorted({name for name in NAMED.findall(document) if name not in defined and not name.endswith(".yaml")})


class Completeness(unittest.TestCase):
    document = (SOURCE / "docs/completeness.md").read_text(encoding="utf-8")

    def test_every_test_named_exists(self):
        defined = {f"{suite}.{test}" for path in (SOURCE / "src").rglob("*_test.cpp")
                   for suite, test in DEFINED.findall(path.read_text(encoding="utf-8"))}
        self.assertEqual(missing(self.document, defined), [])

    def test_every_item_has_one_row(self):
        rows = [int(number) for number in re.findall(r"^\| (\d+) \|", self.document, re.MULTILINE)]
        self.assertEqual(rows, list(range(1, ITEMS + 1)))

    def test_a_name_that_no_source_defines_is_found(self):
        self.assertEqual(missing("`a.b` and `c.d`", {"a.b"}), ["c.d"])


if __name__ == "__main__":
    unittest.main()
