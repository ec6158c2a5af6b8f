"""The table of constants of the relevance model, as Rust: rendered from a dict, and parsed again."""
import re
from pathlib import Path

PATH = Path(__file__).parent.parent / "crates/recall-query/src/relevance/constants.rs"
HEADER = """\
//! The fitted constants of the relevance model; `coefficients.rs` says what each means.
//!
//! Written by quality/fit.py; do not edit.

use super::coefficients::{AnswerCoefficients, Case, Constants, TopicCoefficients};

/// The constants that are shipped.
pub(super) const CONSTANTS: Constants = Constants {
"""
LIMITS = ["threshold", "score_gap_max", "cosine_gap_max", "collection_size_min", "collection_size_max", "cohort_mean_min"]
TOPIC = ["cosine", "collection_size", "cohort_mean", "coverage", "words_held", "intercept"]
ANSWER = ["score_ahead", "score_behind", "cosine_ahead", "cosine_behind", "keyword_gap", "collection_size", "intercept"]
PARTS = {"topic": ("TopicCoefficients", TOPIC), "answer": ("AnswerCoefficients", ANSWER)}
LEAD_SCORE, LEAD_COSINE = ["score_ahead", "score_behind"], ["cosine_ahead", "cosine_behind"]
CASES = {  # the features that each case uses; each has an intercept too
    "hybrid_same_language": {"topic": ["cosine", "collection_size", "cohort_mean", "coverage"],
                             "answer": [*LEAD_SCORE, "collection_size"]},
    "hybrid_cross_language": {"topic": ["cosine", "collection_size", "cohort_mean"], "answer": LEAD_COSINE},
    "vector_same_language": {"topic": ["cosine", "collection_size", "cohort_mean"],
                             "answer": [*LEAD_COSINE, "collection_size"]},
    "vector_cross_language": {"topic": ["cosine", "collection_size", "cohort_mean"], "answer": LEAD_COSINE},
    "keyword": {"topic": ["coverage", "words_held"], "answer": ["keyword_gap", "collection_size"]},
}


def render(constants):
    """The file for a dict of LIMITS and, for each of CASES, {"topic": {feature: value}, "answer": {…}}."""
    lines = [f"    {name}: {float(constants[name])}," for name in LIMITS]
    for case, used in CASES.items():
        lines.append(f"    {case}: Case {{")
        for part, (struct, names) in PARTS.items():
            lines.append(f"        {part}: {struct} {{")
            for name in names:
                known = name == "intercept" or name in used[part]
                lines.append(f"            {name}: {f'{constants[case][part][name]:.2f}' if known else '0.0'},")
            lines.append("        },")
        lines.append("    },")
    return HEADER + "\n".join(lines) + "\n};\n"


def parse(text):
    """The dict that `render` made such a file of; a ValueError where it cannot have."""
    out, path = {}, []
    for line in text.partition("Constants = Constants {\n")[2].splitlines():
        if opened := re.fullmatch(r" *(\w+): \w+ \{", line):
            path.append(opened[1])
        elif value := re.fullmatch(r" *(\w+): (-?\d+\.\d+),", line):
            here = out
            for name in path:
                here = here.setdefault(name, {})
            here[value[1]] = float(value[2])
        elif line.strip() == "},":
            path.pop()
        elif line != "};":
            raise ValueError(f"a line that is no constant: {line!r}")
    missing = [name for name in [*LIMITS, *CASES] if name not in out]
    if missing:
        raise ValueError(f"no {', '.join(missing)}")
    return out


def check(path, limits):
    """Whether the file is what `render` makes of its values, and has these of the `limits` set by hand."""
    try:
        text = path.read_text()
        constants = parse(text)
        if render(constants) != text:
            return f"{path} is not as quality/fit.py writes it"
    except (OSError, ValueError, KeyError, IndexError) as error:
        return f"{path}: {error}"
    other = [name for name, value in limits.items() if constants[name] != value]
    return f"{path} and quality/fit.py differ in {', '.join(other)}" if other else None
