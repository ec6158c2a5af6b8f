#!/usr/bin/env python3
"""Quality of recall on labelled sets: one table in Markdown.

usage: quality.py RECALL DATASETS_DIR INDEX_DIR [SET…] > table
Each set is a folder in BEIR layout below DATASETS_DIR; its index is made in INDEX_DIR or used as it is.
Questions of another set, which nothing in this one answers, are OFF_TOPIC below.
"""
import json
import subprocess
import sys
from pathlib import Path

recall, datasets, indexes = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
names = sys.argv[4:] or sorted(d.name for d in datasets.iterdir() if (d / "corpus.jsonl").is_file())
OFF_TOPIC, OTHERWISE = "cranfield", "xquad-en-en"

print("| set | documents | questions | nDCG@10 keyword | vector | hybrid | hybrid − best arm | p against keyword, vector "
      "| recall@10 | MRR@10 | off-topic AUROC | answered | refused | ECE | p50 ms |")
print("|" + "---|" * 15)
for name in names:
    other = OFF_TOPIC if name != OFF_TOPIC else OTHERWISE
    command = [recall, "--offline", "eval", datasets / name, "--index", indexes / name, "--json",
               "--off-topic", datasets / other / "queries.jsonl"]
    (indexes / name).mkdir(parents=True, exist_ok=True)
    result = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    (indexes / f"{name}.json").write_text(json.dumps(result, indent=1))
    modes = result["modes"]
    keyword, vector, hybrid = (modes[m]["ndcg@10"] for m in ("keyword", "vector", "hybrid"))
    h = modes["hybrid"]
    p = [f"{t['p']:.4f}" for arm in ("keyword", "vector") for t in result["tests"]
         if t["metric"] == "ndcg@10" and t["against"] == arm]
    print(f"| {name} | {result['documents']} | {result['queries']} | {keyword:.4f} | {vector:.4f} | {hybrid:.4f} "
          f"| {hybrid - max(keyword, vector):+.4f} | {', '.join(p)} | {h['recall@10']:.3f} | {h['mrr@10']:.3f} "
          f"| {h['off_topic_auroc']:.3f} | {h['off_topic_answers']:.3f} | {h['false_silences']:.3f} | {h['ece']:.3f} "
          f"| {h['latency_p50_ms']:.0f} |", flush=True)
