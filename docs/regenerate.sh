#!/usr/bin/env bash
# Writes the output of each `$ arcwise …` command of the documents' console blocks anew. Blocks whose output is
# shortened with `…` are left alone, and so is a command followed at once by another. With --bench, `$ ./dev bench …` too, which takes minutes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
PATH=$PWD/build/bin:$PATH NO_COLOR=1 python3 tools/regenerate_docs.py "$@" README.md $(find docs -name '*.md' | sort)
