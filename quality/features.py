#!/usr/bin/env python3
"""The features that quality/fit.py fits on: every set's questions asked of every set's index.

usage: features.py RECALL_QUALITY SETS INDEXES OUT

RECALL_QUALITY is the program target/release/recall-quality. SETS holds labelled sets in BEIR's layout, INDEXES an index of
the same name for each (quality/quality.py makes them). Sets whose names begin alike are the same questions and documents in
several languages, under the same ids, or cut differently: LANGUAGE-LANGUAGE at the end of a name is that of questions and
documents. `nonsense` is quality/nonsense.jsonl. What is there already is kept.
"""
import subprocess
import sys
from pathlib import Path

OWN, OTHERS = 300, 60  # questions of a set asked of its own corpus and its relatives', and of each of the others
SAME_QUESTIONS = {"xquad-vi-en", "xquad-vi-mixed", "locomo-sessions"}  # as those of another set
SAME_CORPUS = {"xquad-vi-en"}
if len(sys.argv) != 5:
    sys.exit(next(line for line in __doc__.splitlines() if line.startswith("usage")))
program, sets, indexes, out = sys.argv[1], *map(Path, sys.argv[2:5])
names = sorted(d.name for d in indexes.iterdir() if (sets / d.name / "queries.jsonl").is_file())


def ask(name, questions, corpus, limit, *labels):
    path = out / f"{name}@{corpus}.jsonl"
    if not path.exists():
        command = [program, indexes / corpus, questions, str(limit), *labels]
        path.write_bytes(subprocess.run(command, capture_output=True, check=True).stdout)


out.mkdir(parents=True, exist_ok=True)
for corpus in (n for n in names if n not in SAME_CORPUS):
    ask("nonsense", Path(__file__).parent / "nonsense.jsonl", corpus, 1000)
    for name in (n for n in names if n not in SAME_QUESTIONS):
        questions = sets / name / "queries.jsonl"
        if name.split("-")[0] == corpus.split("-")[0]:
            ask(name, questions, corpus, OWN, sets / corpus / "qrels" / "test.tsv")
        else:
            ask(name, questions, corpus, OTHERS)
