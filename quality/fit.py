#!/usr/bin/env python3
"""The constants of recall-query/src/judge.rs: fitted, and measured on what the fit has not seen.

usage: judge.py EVIDENCE_DIR

EVIDENCE_DIR holds what crates/recall-query/examples/evidence.rs prints, a file for each set of questions and each corpus,
QUESTIONS@CORPUS.jsonl (benches/evidence.py makes them). Sets whose names begin alike are relatives: their questions have
answers in each other's corpora. Any other questions are off-topic there, and `nonsense` is so everywhere.
"""
import json
import re
import sys
import zlib
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

FLOOR = 0.2  # the threshold: the least that a hit on the topic claims; .1 to .3 calibrate alike
SEARCHED = 10, 1000  # sizes of corpora between which the best of many is nearer by chance
CAUTION = {"hybrid": 2, "vector": 2, "keyword": 1}  # weight of questions that nothing answers, against the others
GAP, COSINE_GAP = 4, 2  # beyond them a lead says no more
ROUNDS = 4  # of fitting the topic on the hit of each question that is most on it by the round before
LATER = 0.3  # weight of the second and third hits, against the first, in the fit of what is right
MODES = {  # values of the evidence: for the topic, for the right hit, and where question and hit are in two languages
    "hybrid": (["cosine", "coverage", "rivals", "common"], ["ahead", "behind", "rivals"], ["nearer", "farther"]),
    "vector": (["cosine", "rivals", "common"], ["nearer", "farther", "rivals"], ["nearer", "farther"]),
    "keyword": (["coverage", "held"], ["keyword_gap", "rivals"], ["keyword_gap"]),
}
RANK = {"hybrid": "at", "vector": "vector_rank", "keyword": "keyword_rank"}


def family(name):
    return name.split("-")[0]


def languages(name):
    tail = re.search(r"-(..)-(..|mixed)$", name)
    return (tail[1], {tail[1], "en"} if tail[2] == "mixed" else {tail[2]}) if tail else ("en", {"en"})


def logistic(x):
    return 1 / (1 + np.exp(-np.clip(x, -40, 40)))


class Evidence:
    """The hits of every question that are first in an arm or in both, as columns."""

    def __init__(self, folder, mode):
        rows, self.mode = [], mode
        for path in sorted(folder.glob("*@*.jsonl")):
            questions, corpus = path.stem.split("@")
            kin = family(questions) == family(corpus)
            kind = "nonsense" if questions == "nonsense" else "answerable" if kin else "off"
            across = kind == "answerable" and languages(questions)[0] not in languages(corpus)[1]
            for line in path.read_text().splitlines():
                rows += self.hits(json.loads(line), dict(questions=questions, corpus=corpus, kind=kind, across=across))
        for name in rows[0]:
            setattr(self, name, np.array([row[name] for row in rows]))
        self.foreign &= mode != "keyword"
        self.families = np.array([family(c) for c in self.corpus])
        self.askers = np.array([family(q) for q in self.questions])
        self.of = np.unique(self.asked, return_inverse=True)[1]
        # What is less like any passage than a quarter of all questions gets no credit for it.
        real = (self.kind == "answerable") & (self.place == 0)
        self.least_common = round(float(np.quantile(self.common[real], 0.25)), 3)
        self.common = np.maximum(self.common, self.least_common)

    def hits(self, query, of):
        base, rank = int(self.mode != "hybrid"), RANK[self.mode]
        for hit in query["hits"]:
            place = hit[rank] - base if hit[rank] is not None else 9
            if place == 9 and self.mode != "hybrid":
                continue
            words = [n for n, name in enumerate(query["identifiers"]) if not name]
            held = sum(hit["contributions"][n] > 0 for n in words if n < len(hit["contributions"]))
            gap, cosine_gap = np.clip(hit["score_gap"], -GAP, GAP), np.clip(hit["cosine_gap"], -COSINE_GAP, COSINE_GAP)
            yield of | dict(
                asked=f"{of['questions']}@{of['corpus']}/{query['query']}", place=place, right=float(hit["grade"] > 0),
                cosine=hit["cosine"] or 0.0, coverage=hit["coverage"], held=np.log1p(held), common=query["commonness"],
                rivals=np.log(np.clip(query["searched"], *SEARCHED)), foreign=hit["foreign"], exact=hit["exact"],
                ahead=max(gap, 0), behind=min(gap, 0), nearer=max(cosine_gap, 0), farther=min(cosine_gap, 0),
                keyword_gap=hit["keyword_gap"], matches=hit["bm25"] > 0)

    def values(self, names):
        return np.stack([getattr(self, name) for name in names], 1)

    def best(self, logit):
        """For each question the hit with the highest `logit`."""
        order = np.lexsort((-logit, self.of))
        out = np.zeros(len(logit), bool)
        out[order[np.unique(self.of[order], return_index=True)[1]]] = True
        return out

    def every_nth_nonsense(self):
        """Half of the nonsense is fitted on, the other half only measured."""
        return (self.kind == "nonsense") & np.array([zlib.crc32(a.split("/", 1)[1].encode()) % 2 == 0 for a in self.asked])


def fit(values, loss, l2=1e-5):
    """Coefficients and constant that minimise `loss(logit) -> (loss, gradient)`."""
    mean, deviation = values.mean(0), values.std(0) + 1e-9
    z = np.c_[(values - mean) / deviation, np.ones(len(values))]

    def objective(b):
        value, gradient = loss(z @ b)
        return value + l2 * (b[:-1] ** 2).sum(), z.T @ gradient + 2 * l2 * np.r_[b[:-1], 0]

    b = minimize(objective, np.zeros(z.shape[1]), jac=True, method="L-BFGS-B").x
    return np.r_[b[:-1] / deviation, b[-1] - (b[:-1] * mean / deviation).sum()]


def graded(topic, right):
    """Relevance from both probabilities: the threshold where the topic is as likely as not."""
    return np.where(topic < 0.5, 2 * FLOOR * topic, FLOOR + (1 - FLOOR) * (2 * topic - 1) * right)


class Judge:
    def __init__(self, e, train):
        self.topic_names, self.right_names, self.foreign_names = MODES[e.mode]
        train_topic, best = train & ((e.kind != "nonsense") | e.every_nth_nonsense()), e.place == 0
        for _ in range(ROUNDS):
            self.fit_topic(e, train_topic & best)
            best = e.best(self.topic_logit(e))
        answerable = train & (e.kind == "answerable") & (e.place < 3)
        self.right = self.fit_right(e, answerable & ~e.foreign & ~e.across, self.right_names)
        foreign = answerable & e.foreign
        self.right_foreign = self.fit_right(e, foreign, self.foreign_names) if foreign.any() else None

    def fit_topic(self, e, train):
        """One language: all values. Two: the same but for coverage, and a constant of its own."""
        own, y = train & ~e.foreign & ~e.across, (e.kind == "answerable").astype(float)
        self.topic = fit(e.values(self.topic_names)[own], cross_entropy(y[own], weights(e, own)))
        two, self.foreign = train & e.foreign, 0.0
        if two.any():
            known, loss = self.without_coverage(e)[two], cross_entropy(y[two], weights(e, two))
            self.foreign = fit(np.zeros((two.sum(), 0)), lambda t: loss(t + known))[0]

    def without_coverage(self, e):
        return sum(b * getattr(e, name) for b, name in zip(self.topic, self.topic_names) if name != "coverage")

    def fit_right(self, e, train, names):
        topic, y = logistic(self.topic_logit(e))[train], e.right[train]
        weight = np.where(e.place[train] == 0, 1, LATER)
        weight, step = weight / weight.sum(), graded(topic, 1.0) - graded(topic, 0.0)

        def loss(t):
            right = logistic(t)
            p = np.clip(graded(topic, right), 1e-6, 1 - 1e-6)
            slope = weight * ((1 - y) / (1 - p) - y / p) * step * right * (1 - right)
            return -(weight * (y * np.log(p) + (1 - y) * np.log(1 - p))).sum(), slope

        return fit(e.values(names)[train], loss)

    def topic_logit(self, e):
        own = e.values(self.topic_names) @ self.topic[:-1] + self.topic[-1]
        logit = np.where(e.foreign, self.without_coverage(e) + self.foreign, own)
        return np.where(e.matches, logit, -40) if e.mode == "keyword" else logit

    def relevance(self, e):
        right = e.values(self.right_names) @ self.right[:-1] + self.right[-1]
        if self.right_foreign is not None:
            foreign = e.values(self.foreign_names) @ self.right_foreign[:-1] + self.right_foreign[-1]
            right = np.where(e.foreign, foreign, right)
        p = graded(logistic(self.topic_logit(e)), logistic(right))
        return np.where(e.exact, 0.5 + 0.5 * p, p)

    def show(self):
        named = lambda names, b: ", ".join(f"{n} {v:.2f}" for n, v in zip([*names, "constant"], b))
        print(f"topic: {named(self.topic_names, self.topic)}; constant of two languages {self.foreign:.2f}")
        print(f"right: {named(self.right_names, self.right)}")
        if self.right_foreign is not None:
            print(f"right, two languages: {named(self.foreign_names, self.right_foreign)}")


def cross_entropy(y, weight):
    return lambda t: ((weight * (np.logaddexp(0, t) - y * t)).sum(), weight * (logistic(t) - y))


def weights(e, rows):
    """Answerable and not count alike but for CAUTION, and so do families of corpora, and the corpora of one."""
    weight, negative = np.zeros(len(rows)), e.kind != "answerable"
    for wanted in (~negative, negative & (e.kind == "off"), e.kind == "nonsense"):
        for relatives in set(e.families[rows & wanted]):
            some = rows & wanted & (e.families == relatives)
            for corpus in set(e.corpus[some]):
                here = some & (e.corpus == corpus)
                weight[here] = min(1, here.sum() / 30) / here.sum() / len(set(e.corpus[some]))
    for side in (negative, ~negative):
        weight[side] /= max(weight[side].sum(), 1e-9)
    weight[negative] *= CAUTION[e.mode]
    return weight[rows]


def held_out(e, parts):
    """The relevance of every hit by a judge that has not seen its part."""
    out = np.zeros(len(e.of))
    for test, train in parts:
        out[test] = Judge(e, train).relevance(e)[test]
    return out


def left_out(e):
    for name in sorted(set(e.families)):
        yield e.families == name, (e.families != name) & (e.askers != name)


def folds(e, count=5):
    fold = np.array([zlib.crc32(a.split("@")[0].split("-")[0].encode() + a.split("/", 1)[1].encode()) % count for a in e.asked])
    return ((fold == n, fold != n) for n in range(count))


def calibration_error(p, y):
    bins = np.minimum((p * 10).astype(int), 9)
    return sum(abs((p - y)[bins == n].sum()) for n in range(10)) / max(len(p), 1)


def auroc(high, low):
    order = np.sort(low)
    wins = np.searchsorted(order, high, "left") + np.searchsorted(order, high, "right")
    return wins.mean() / 2 / len(low)


def table(e, p):
    top, first = np.zeros(e.of.max() + 1), np.unique(e.of, return_index=True)[1]
    np.maximum.at(top, e.of, p)
    print("| left out | questions | AUROC | answered | refused | ECE | first hit right |\n|---|---|---|---|---|---|---|")
    means = []
    for across in (False, True):
        for corpus in sorted(set(e.corpus)):
            here = e.corpus[first] == corpus
            asked = here & (e.kind[first] == "answerable") & (e.across[first] == across)
            off = here & (e.kind[first] == "off")
            if asked.sum() < 15 or off.sum() < 15:
                continue
            hits = (e.place == 0) & asked[e.of]
            row = [auroc(top[asked], top[off]), (top[off] >= FLOOR).mean(), (top[asked] < FLOOR).mean(),
                   calibration_error(p[hits], e.right[hits]), e.right[hits].mean()]
            means.append((across, row))
            print(f"| {corpus}{', across languages' if across else ''} | {asked.sum()} | {' | '.join(f'{v:.3f}' for v in row)} |")
        rows = [row for a, row in means if a == across]
        mean = np.mean(rows, 0) if rows else []
        print(f"| mean{', across languages' if across else ''} | | {' | '.join(f'{v:.3f}' for v in mean)} |")
    silly, seen = e.kind[first] == "nonsense", e.every_nth_nonsense()[first]
    for name, rows in (("fitted on", silly & seen), ("not fitted on", silly & ~seen)):
        print(f"nonsense {name}: {(top[rows] >= FLOOR).sum()} of {rows.sum()} answered", flush=True)


def main(folder):
    for mode in MODES:
        e = Evidence(Path(folder), mode)
        print(f"\n## {mode}: every family of corpora left out in turn\n")
        table(e, held_out(e, left_out(e)))
        p, first = held_out(e, folds(e)), (e.place == 0) & (e.kind == "answerable")
        for name, rows in (("one language", first & ~e.across), ("all", first)):
            error = calibration_error(p[rows], e.right[rows])
            print(f"ECE of first hits, five folds by question, {name}: {error:.3f} of {rows.sum()}")
        print(f"\nleast common {e.least_common}")
        Judge(e, np.ones(len(e.of), bool)).show()


if __name__ == "__main__":
    main(sys.argv[1])
