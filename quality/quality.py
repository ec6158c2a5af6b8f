#!/usr/bin/env python3
"""Quality of recall on labelled sets, as a table in Markdown.

usage: quality.py RECALL DATASETS_DIR INDEX_DIR [--limit N] [SET…] > table

Each set is a folder in BEIR layout below DATASETS_DIR; its index is made in INDEX_DIR or brought up to date.
Nothing in a set answers the questions of another one: those of OFF_TOPIC are asked of each. A set whose
questions name a conversation is also asked within it. The JSON of each run is kept beside the indexes.
"""
import argparse
import json
import subprocess
from pathlib import Path

OFF_TOPIC, OTHERWISE = "cranfield", "xquad-en-en"
FIELD = "conversation"
METRICS = ["ndcg@10", "recall@5", "recall@10", "recall@100", "mrr@10", "success@1", "success@5"]
HONESTY = ["off_topic_auroc", "off_topic_answers", "false_silences", "ece", "auroc"]

options = argparse.ArgumentParser()
options.add_argument("recall")
options.add_argument("datasets", type=Path)
options.add_argument("indexes", type=Path)
options.add_argument("--limit", help="only the first N questions of each kind")
options.add_argument("sets", nargs="*")
options = options.parse_intermixed_args()
names = options.sets or sorted(d.name for d in options.datasets.iterdir() if any(d.glob("corpus.jsonl*")))


def measure(name, *more):
    other = OFF_TOPIC if name != OFF_TOPIC else OTHERWISE
    command = [options.recall, "--offline", "eval", options.datasets / name, "--index", options.indexes / name,
               "--json", "--off-topic", options.datasets / other / "queries.jsonl", *more]
    if options.limit:
        command += ["--limit", options.limit]
    (options.indexes / name).mkdir(parents=True, exist_ok=True)
    result = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    kept = options.indexes / f"{name}{'.within' if more else ''}.json"
    kept.write_text(json.dumps(result, indent=1))
    return result


def rows(title, result):
    for mode, figures in result["modes"].items():
        cells = [f"{figures[m]:.3f}" for m in METRICS]
        cells += [f"{figures[m]:.3f}" if m in figures else "" for m in HONESTY]
        print(f"| {title} | {mode} | {' | '.join(cells)} | {figures['latency_p50_ms']:.0f} |", flush=True)
    ndcg = {m: f["ndcg@10"] for m, f in result["modes"].items()}
    if "hybrid" not in ndcg:
        return None
    p = {t["against"]: t["p"] for t in result["tests"] if t["metric"] == "ndcg@10"}
    gain = ndcg["hybrid"] - max(ndcg["keyword"], ndcg["vector"])
    return f"| {title} | {result['documents']} | {result['queries']} | {gain:+.4f} | {p['keyword']:.4f} | {p['vector']:.4f} |"


def has_field(name):
    first = (options.datasets / name / "queries.jsonl").read_text().splitlines()[0]
    return FIELD in (json.loads(first).get("metadata") or {})


head = ["set", "mode", *METRICS, "off-topic AUROC", "answered", "refused", "ECE", "unanswerable AUROC", "p50 ms"]
print(f"| {' | '.join(head)} |\n|{'---|' * len(head)}")
gains = []
for name in names:
    gains.append(rows(name, measure(name)))
    if has_field(name):
        gains.append(rows(f"{name}, within its {FIELD}", measure(name, "--filter-field", FIELD)))
print("\n| set | documents | questions | hybrid − better retriever, nDCG@10 | p against keyword | p against vector |")
print("|---|---|---|---|---|---|")
print("\n".join(gain for gain in gains if gain))
