#!/usr/bin/env python3
"""Share of processor time by place in the code, from `perf script` on standard input, as a table in Markdown.

usage: perf script --no-inline -F comm,ip,sym -i DATA | spans.py index|query

A sample counts for the first place of the list that any frame of its stack is in; frames and thread names match
as regular expressions. For `query` only samples below the answering of a question count.
"""
import re
import sys
from collections import Counter

INDEX = [
    ("installed model and its tokenizer, loaded", r"recall_embed::(installed|seal)|Tokens::(load|parse)"),
    ("tokens, for the length of chunks", r"recall_embed::tokens"),
    ("analysis: words, folds, stems", r"analysis::Analyzer|keyword::Words|frostem"),
    ("identifiers", r"analysis::(identifiers|camel_parts|is_identifier)"),
    ("terms and postings, to disk", r"(InvertedIndexPluginWriter|PostingsWriter).*serialize"),
    ("terms and postings, in memory", r"InvertedIndexPluginWriter::index_document"),
    ("columns", r"fastfield|columnar"),
    ("stored entries", r"tantivy::store|docstore"),
    ("segments merged, files hashed and synced", r"segment_updater|merge|record_file|durable"),
    ("the rest of tantivy", r"tantivy::(indexer::(index_writer::index_documents|segment_writer))"),
    ("entries handed over", r"KeywordWriter"),
    ("cut into chunks", r"recall_index::chunk"),
    ("entries, hashes of texts", r"recall_index::entry|content_hash"),
    ("read: unpacked, parsed", r"recall_sources|serde_json|flate2|zlib_rs"),
    ("compared with what is known, counted", r"KeywordReader|recall_index"),
]
QUERY = [
    ("the question's vector", r"recall_embed"),
    ("nearest vectors", r"Vectors::search"),
    ("best by words", r"KeywordReader::search"),
    ("spread of the cosines of a sample", r"Vectors::sample"),
    ("what each word adds to each candidate", r"KeywordReader::contributions"),
    ("cosines of the candidates", r"Searcher::cosine|KeywordReader::chunks_of"),
    ("ids, paths, documents of the candidates", r"id_and_path|document_key|entries_with_chunk"),
    ("language of the first sixteen", r"Searcher::compare_languages|language"),
    ("fusion, ranks, relevance", r"Searcher::(score|rank)|ranking::Ranking|fuse|relevance"),
    ("texts of the hits", r"answer::Hits"),
]
LISTS = {"index": (INDEX, None), "query": (QUERY, re.compile(r"asking::Asking::ask|Searcher::rank|answer::Hits"))}


def stacks(lines):
    """Each sample as its thread's name and the functions of its stack, innermost first."""
    stack = []
    for line in lines:
        if not line.strip():
            if stack:
                yield stack
            stack = []
        elif not line[0].isspace():
            stack = [line.split()[0]]
        else:
            stack.append(line.strip().split(" ", 1)[-1])
    if stack:
        yield stack


places, below = LISTS[sys.argv[1]]
places = [(name, re.compile(pattern)) for name, pattern in places]
count = Counter()
for stack in stacks(sys.stdin):
    if below and not any(below.search(frame) for frame in stack):
        continue
    name = next((n for n, p in places if any(p.search(frame) for frame in stack)), "the rest")
    count[name] += 1
total = sum(count.values())
print(f"| share of {total} samples | where |\n|---|---|")
for name, samples in count.most_common():
    print(f"| {100 * samples / total:.1f} % | {name} |")
