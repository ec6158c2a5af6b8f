#!/usr/bin/env python3
"""The constants of the relevance model: fitted, and measured on what the fit has not seen.

FEATURES_DIR holds what `cargo run --release -p recall-quality` prints, a file for each set of questions and each corpus,
QUESTIONS@CORPUS.jsonl (quality/features.py makes them). Sets whose names begin alike are relatives: their questions have
answers in each other's corpora. Any other questions are off-topic there, and `nonsense` is so everywhere.
"""
import argparse
import json
import re
import sys
import zlib
from pathlib import Path

import constants

try:
    import numpy as np
    from scipy.optimize import minimize
except ImportError:  # --check needs neither
    np = None

THRESHOLD = 0.2  # the least that a hit on the topic claims; .1 to .3 calibrate alike
COLLECTION_SIZE = 10, 1000  # documents between which the best of many is nearer by chance
CAUTION = {"hybrid": 2, "vector": 2, "keyword": 1}  # weight of questions that nothing answers, against the others
SCORE_GAP_MAX, COSINE_GAP_MAX = 4, 2  # beyond them a gap says no more
ROUNDS = 4  # of fitting the topic on the hit of each question that is most on it by the round before
LATER = 0.3  # weight of the second and third hits, against the first, in the fit of what answers
MODES = "hybrid", "vector", "keyword"
RANK = {"hybrid": "at", "vector": "vector_rank", "keyword": "keyword_rank"}


LIMITS = dict(threshold=THRESHOLD, score_gap_max=SCORE_GAP_MAX, cosine_gap_max=COSINE_GAP_MAX,
              collection_size_min=COLLECTION_SIZE[0], collection_size_max=COLLECTION_SIZE[1])  # set by hand


def family(name):
    return name.split("-")[0]


def languages(name):
    tail = re.search(r"-(..)-(..|mixed)$", name)
    return (tail[1], {tail[1], "en"} if tail[2] == "mixed" else {tail[2]}) if tail else ("en", {"en"})


def logistic(x):
    return 1 / (1 + np.exp(-np.clip(x, -40, 40)))


class Hits:
    """The hits of every question that are first for a retriever or after fusion, as columns of features."""

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
        self.cross_language &= mode != "keyword"
        self.families = np.array([family(c) for c in self.corpus])
        self.askers = np.array([family(q) for q in self.questions])
        self.of = np.unique(self.asked, return_inverse=True)[1]
        # What is less like any passage than a quarter of all questions gets no credit for it.
        real = (self.kind == "answerable") & (self.place == 0)
        self.cohort_mean_min = round(float(np.quantile(self.cohort_mean[real], 0.25)), 3)
        self.cohort_mean = np.maximum(self.cohort_mean, self.cohort_mean_min)

    def hits(self, query, of):
        base, rank = int(self.mode != "hybrid"), RANK[self.mode]
        for hit in query["hits"]:
            place = hit[rank] - base if hit[rank] is not None else 9
            if place == 9 and self.mode != "hybrid":
                continue
            words = [n for n, name in enumerate(query["identifiers"]) if not name]
            held = sum(hit["contributions"][n] > 0 for n in words if n < len(hit["contributions"]))
            score_gap = np.clip(hit["score_gap"], -SCORE_GAP_MAX, SCORE_GAP_MAX)
            cosine_gap = np.clip(hit["cosine_gap"], -COSINE_GAP_MAX, COSINE_GAP_MAX)
            yield of | dict(
                asked=f"{of['questions']}@{of['corpus']}/{query['query']}", place=place, right=float(hit["grade"] > 0),
                cosine=hit["cosine"] or 0.0, coverage=hit["coverage"], words_held=np.log1p(held),
                cohort_mean=query["cohort_mean"], collection_size=np.log(np.clip(query["searched"], *COLLECTION_SIZE)),
                cross_language=hit["cross_language"], exact=hit["exact"],
                score_ahead=max(score_gap, 0), score_behind=min(score_gap, 0),
                cosine_ahead=max(cosine_gap, 0), cosine_behind=min(cosine_gap, 0),
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


def combined(topic, right):
    """Relevance from both probabilities: the threshold where the topic is as likely as not."""
    return np.where(topic < 0.5, 2 * THRESHOLD * topic, THRESHOLD + (1 - THRESHOLD) * (2 * topic - 1) * right)


class RelevanceModel:
    def __init__(self, e, train):
        self.mode, case = e.mode, constants.CASES[e.mode if e.mode == "keyword" else f"{e.mode}_same_language"]
        cross = constants.CASES.get(f"{e.mode}_cross_language", case)
        self.topic_names, self.answer_names, self.cross_names = case["topic"], case["answer"], cross["answer"]
        self.cross_topic_names = cross["topic"]
        train_topic, best = train & ((e.kind != "nonsense") | e.every_nth_nonsense()), e.place == 0
        for _ in range(ROUNDS):
            self.fit_topic(e, train_topic & best)
            best = e.best(self.topic_logit(e))
        answerable = train & (e.kind == "answerable") & (e.place < 3)
        self.answer = self.fit_answer(e, answerable & ~e.cross_language & ~e.across, self.answer_names)
        cross = answerable & e.cross_language
        self.answer_cross = self.fit_answer(e, cross, self.cross_names) if cross.any() else None

    def fit_topic(self, e, train):
        """One language: all values. Two: the same but for coverage, and a constant of its own."""
        own, y = train & ~e.cross_language & ~e.across, (e.kind == "answerable").astype(float)
        self.topic = fit(e.values(self.topic_names)[own], cross_entropy(y[own], weights(e, own)))
        two, self.cross_intercept = train & e.cross_language, 0.0
        if two.any():
            known, loss = self.without_coverage(e)[two], cross_entropy(y[two], weights(e, two))
            self.cross_intercept = fit(np.zeros((two.sum(), 0)), lambda t: loss(t + known))[0]

    def without_coverage(self, e):
        return sum(b * getattr(e, name) for b, name in zip(self.topic, self.topic_names) if name in self.cross_topic_names)

    def fit_answer(self, e, train, names):
        topic, y = logistic(self.topic_logit(e))[train], e.right[train]
        weight = np.where(e.place[train] == 0, 1, LATER)
        weight, step = weight / weight.sum(), combined(topic, 1.0) - combined(topic, 0.0)

        def loss(t):
            right = logistic(t)
            p = np.clip(combined(topic, right), 1e-6, 1 - 1e-6)
            slope = weight * ((1 - y) / (1 - p) - y / p) * step * right * (1 - right)
            return -(weight * (y * np.log(p) + (1 - y) * np.log(1 - p))).sum(), slope

        return fit(e.values(names)[train], loss)

    def topic_logit(self, e):
        own = e.values(self.topic_names) @ self.topic[:-1] + self.topic[-1]
        logit = np.where(e.cross_language, self.without_coverage(e) + self.cross_intercept, own)
        return np.where(e.matches, logit, -40) if e.mode == "keyword" else logit

    def relevance(self, e):
        answer = e.values(self.answer_names) @ self.answer[:-1] + self.answer[-1]
        if self.answer_cross is not None:
            cross = e.values(self.cross_names) @ self.answer_cross[:-1] + self.answer_cross[-1]
            answer = np.where(e.cross_language, cross, answer)
        p = combined(logistic(self.topic_logit(e)), logistic(answer))
        return np.where(e.exact, 0.5 + 0.5 * p, p)

    def cases(self):
        """Its part of the table of constants."""
        topic = dict(zip([*self.topic_names, "intercept"], self.topic))
        same = dict(topic=topic, answer=dict(zip([*self.answer_names, "intercept"], self.answer)))
        if self.mode == "keyword":
            return {"keyword": same}
        if self.answer_cross is None:
            sys.exit(f"{self.mode}: no answerable question has a hit in another language, so the table would lack a case")
        cross = dict(topic=topic | dict(intercept=self.cross_intercept),
                     answer=dict(zip([*self.cross_names, "intercept"], self.answer_cross)))
        return {f"{self.mode}_same_language": same, f"{self.mode}_cross_language": cross}


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
    """The relevance of every hit by a model that has not seen its part."""
    out = np.zeros(len(e.of))
    for test, train in parts:
        out[test] = RelevanceModel(e, train).relevance(e)[test]
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
            row = [auroc(top[asked], top[off]), (top[off] >= THRESHOLD).mean(), (top[asked] < THRESHOLD).mean(),
                   calibration_error(p[hits], e.right[hits]), e.right[hits].mean()]
            means.append((across, row))
            print(f"| {corpus}{', across languages' if across else ''} | {asked.sum()} | {' | '.join(f'{v:.3f}' for v in row)} |")
        rows = [row for a, row in means if a == across]
        mean = np.mean(rows, 0) if rows else []
        print(f"| mean{', across languages' if across else ''} | | {' | '.join(f'{v:.3f}' for v in mean)} |")
    silly, seen = e.kind[first] == "nonsense", e.every_nth_nonsense()[first]
    for name, rows in (("fitted on", silly & seen), ("not fitted on", silly & ~seen)):
        print(f"nonsense {name}: {(top[rows] >= THRESHOLD).sum()} of {rows.sum()} answered", flush=True)


def measured(folder):
    """Prints what each mode reaches on what its fit has not seen; returns the table fitted on everything."""
    fitted = dict(LIMITS)
    for mode in MODES:
        e = Hits(folder, mode)
        print(f"\n## {mode}: every family of corpora left out in turn\n")
        table(e, held_out(e, left_out(e)))
        p, first = held_out(e, folds(e)), (e.place == 0) & (e.kind == "answerable")
        for name, rows in (("one language", first & ~e.across), ("all", first)):
            error = calibration_error(p[rows], e.right[rows])
            print(f"ECE of first hits, five folds by question, {name}: {error:.3f} of {rows.sum()}")
        fitted.setdefault("cohort_mean_min", e.cohort_mean_min)
        fitted |= RelevanceModel(e, np.ones(len(e.of), bool)).cases()
    return fitted


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    what = options.add_mutually_exclusive_group(required=True)
    what.add_argument("features", nargs="?", type=Path, metavar="FEATURES_DIR", help="fit on these features, and measure")
    what.add_argument("--check", nargs="?", type=Path, const=constants.PATH, metavar="PATH",
                      help="only check that the table of constants is as this script writes it")
    options.add_argument("--write", nargs="?", type=Path, const=constants.PATH, metavar="PATH",
                         help=f"after the fit write the table of constants (default: {constants.PATH.name} of recall-query)")
    options = options.parse_args()
    if options.check:
        sys.exit(constants.check(options.check, LIMITS))
    if np is None:
        sys.exit("fit.py: numpy and scipy are missing: python3 -m pip install -r quality/requirements.txt")
    if not any(options.features.glob("*@*.jsonl")):
        sys.exit(f"fit.py: no QUESTIONS@CORPUS.jsonl in {options.features}")
    rust = constants.render(measured(options.features))
    if options.write:
        options.write.write_text(rust)
    else:
        print(f"\n{rust}", end="")


if __name__ == "__main__":
    main()
