//! What an answer must not do: miss a token that is there, drown a fact, answer what nothing answers.

use std::fmt::Write as _;

use fastrand::Rng;
use recall_embed::{DEFAULT_MODEL, Embedder, Home, ModelCatalogue, installed};
use recall_query::{Engine, Mode, Ranking, Request, Searcher};
use serde_json::json;

use crate::corpus::Corpus;
use crate::program::good;

/// Asks an index in this process: two hundred starts of the program would take minutes.
struct OpenIndex(Searcher);

impl OpenIndex {
    fn open(corpus: &Corpus) -> Self {
        let searcher = Engine::new().searcher(&corpus.index(), Mode::Vector);
        Self(searcher.expect("tests need the model: recall model pull"))
    }

    fn ask(&self, question: &str, mode: Mode) -> (Ranking, f32) {
        let ranking = self.0.rank(&Request::plain(question, mode));
        (ranking.expect("an index that can be read"), self.0.threshold())
    }
}

/// A token as tickets and logs hold them, of the kind `number % 8`.
fn identifier(number: usize, rng: &mut Rng) -> String {
    let n = rng.u32(1000..100_000);
    let word = ["ledger", "billing", "Gateway", "replica", "cacheNode"][rng.usize(0..5)];
    match number % 8 {
        0 => format!("OPS-{number}{n}"),
        1 => format!("ERR_0x{:08X}", rng.u32(..)),
        2 => format!("{:07x}{:05x}", rng.u32(..) >> 4, n),
        3 => format!("srv/{word}/{n}/main.rs"),
        4 => format!("{word}-{n}.prod.example.net"),
        5 => format!("10.{}.{}.{}:{n}", rng.u8(..), rng.u8(..), number),
        6 => format!("com.acme.{word}.Worker{n}Exception"),
        _ => format!("v{}.{}.{n}-rc{number}", rng.u8(1..20), rng.u8(..)),
    }
}

/// A ticket with one token of its own among words that all tickets share.
fn ticket(number: usize, rng: &mut Rng) -> (String, serde_json::Value) {
    let own = identifier(number, rng);
    let places = ["the ledger", "checkout", "the nightly export", "the mobile gateway", "search"];
    let faults = ["timed out", "returned stale data", "restarted twice", "dropped a message"];
    let (place, fault) = (places[rng.usize(0..places.len())], faults[rng.usize(0..faults.len())]);
    let text = [
        format!("After the deploy {place} {fault}. The log says {own} and nothing else."),
        format!("{own} shows up when {place} is under load; a customer says it {fault}."),
        format!("We saw that {place} {fault} again. Related: {own}. Rolled back for now."),
    ];
    let body = text[rng.usize(0..text.len())].clone();
    (own, json!({"id": format!("T{number:03}"), "title": format!("{place} {fault}"), "body": body}))
}

#[test]
fn two_hundred_rare_tokens_each_find_their_own_document_first() {
    let mut rng = Rng::with_seed(7);
    let corpus = Corpus::empty();
    let mut lines = String::new();
    let tokens: Vec<String> = (0..200)
        .map(|number| {
            let (own, ticket) = ticket(number, &mut rng);
            writeln!(lines, "{ticket}").expect("a String takes all");
            own
        })
        .collect();
    corpus.write("tickets.jsonl", &lines);
    good(corpus.path(), &["index", "."]);
    let index = OpenIndex::open(&corpus);
    for (number, token) in tokens.iter().enumerate() {
        let own = format!("T{number:03}");
        for question in [token.clone(), format!("what about {token}?")] {
            let (ranking, threshold) = index.ask(&question, Mode::Hybrid);
            let first = &ranking.documents[0];
            assert_eq!(first.id, own, "{question}");
            assert!(first.relevance >= threshold, "{question}: {}", first.relevance);
        }
    }
}

/// Files of recall as they once were: code and prose about one subject, full of names that stand in
/// one file only. Frozen, so that renaming something is no change of the corpus.
fn own_files() -> Vec<(String, String)> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/own");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .expect("a folder of fixtures")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    let name =
        |path: &std::path::Path| path.file_name().expect("a file").to_string_lossy().into_owned();
    let read = |path| std::fs::read_to_string(path).expect("text");
    paths.iter().map(|path| (name(path), read(path))).collect()
}

/// Names of code, settings and versions that stand in one of `files` only: (name, file).
fn rare_names(files: &[(String, String)]) -> Vec<(String, String)> {
    let whole = |(name, text): &(String, String)| format!("{name}\n{text}").to_lowercase();
    let lower: Vec<String> = files.iter().map(whole).collect();
    let is_name = |word: &str| {
        let inner = word.get(1..).unwrap_or_default();
        let marks = word.contains('_') || inner.chars().any(|c| c.is_uppercase() || c.is_numeric());
        (6..40).contains(&word.len()) && word.chars().any(char::is_alphabetic) && marks
    };
    let mut names = std::collections::BTreeMap::new();
    for (file, text) in files {
        let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-');
        for word in words.map(|word| word.trim_matches(['_', '-'])).filter(|word| is_name(word)) {
            names.insert(word.to_lowercase(), (word.to_owned(), file.clone()));
        }
    }
    names.retain(|word, _| lower.iter().filter(|text| text.contains(word.as_str())).count() == 1);
    names.into_values().collect()
}

#[test]
fn two_hundred_rare_names_of_a_real_corpus_each_find_their_own_file_first() {
    let files = own_files();
    let corpus = Corpus::empty();
    files.iter().for_each(|(name, text)| corpus.write(name, text));
    let mut names = rare_names(&files);
    Rng::with_seed(7).shuffle(&mut names);
    assert!(names.len() >= 200, "{} names", names.len());
    good(corpus.path(), &["index", "."]);
    let index = OpenIndex::open(&corpus);
    let mut missed = Vec::new();
    for (name, own) in &names[..200] {
        for question in [name.clone(), format!("what about {name}?")] {
            let (ranking, threshold) = index.ask(&question, Mode::Hybrid);
            let first = &ranking.documents[0];
            // Where words surround a name that looks like any other word, it is no more than that.
            let doubted = &question == name && first.relevance < threshold;
            if &first.path != own || doubted {
                missed.push(format!(
                    "{question}: {} {} instead of {own}",
                    first.path, first.relevance
                ));
            }
        }
    }
    assert!(missed.is_empty(), "{} missed:\n{}", missed.len(), missed.join("\n"));
}

#[test]
fn how_common_a_question_is_comes_from_the_cohort_of_passages() {
    let home = Home::from_env();
    let catalogue = ModelCatalogue::of(&home).expect("the catalogue can be read");
    let model = catalogue.find(DEFAULT_MODEL).expect("it is in the catalogue");
    let installed = installed(&home, model).expect("tests need the model: recall model pull");
    let embedder = Embedder::load(&home, &installed, 1).expect("the model loads");
    let cohort = include_str!("../../../../models/language/passages.tsv");
    let texts: Vec<&str> =
        cohort.lines().map(|line| line.split_once('\t').expect("language and text").1).collect();
    let vectors = embedder.passages(&texts, &|_| ()).expect("vectors");
    let mut seen = Vec::new();
    for question in ["how do I restore a backup", "khi nào Melanie vẽ bình minh", "xqzvw florgnatz"]
    {
        let vector = embedder.query(question).expect("a vector");
        let cosines =
            vectors.iter().map(|v| v.iter().zip(&vector).map(|(a, b)| a * b).sum::<f32>());
        let mean = cosines.sum::<f32>() / vectors.len() as f32;
        let said = embedder.cohort_mean(&vector);
        assert!((mean - said).abs() < 0.003, "{question}: {said}, but the mean is {mean}");
        seen.push(said);
    }
    assert!(seen[0] > seen[1], "{seen:?}");
}

#[test]
fn questions_about_something_else_are_not_answered_across_languages() {
    let corpus = Corpus::empty();
    for (name, text) in own_files() {
        if name.ends_with(".md") {
            corpus.write(&name, &text);
        }
    }
    good(corpus.path(), &["index", "."]);
    let index = OpenIndex::open(&corpus);
    let answered = |questions: &[&str]| {
        let top = |question: &&str| {
            let (ranking, threshold) = index.ask(question, Mode::Hybrid);
            ranking.documents.iter().any(|d| d.relevance >= threshold)
        };
        questions.iter().filter(|q| top(q)).count()
    };
    let off_topic = [
        "what causes flutter of a swept wing at supersonic speed",
        "who painted the ceiling of the chapel",
        "Thay màn hình điện thoại hết bao nhiêu tiền?",
        "Wie lange muss ein Kuchen bei 180 Grad backen?",
        "红烧肉的做法",
        "¿Por qué migran las aves?",
    ];
    assert_eq!(answered(&off_topic), 0);
    let on_topic = [
        "where is the index kept",
        "what does an exit code of 1 mean",
        "how do I measure recall on my own labelled questions",
        "Ngưỡng độ liên quan để coi là câu trả lời là gì?",
    ];
    assert!(answered(&on_topic) >= 3);
}

#[test]
fn a_short_fact_does_not_drown_among_long_threads() {
    let corpus = Corpus::empty();
    corpus.write("fact.md", "The retention of billing traces is 14 days.\n");
    for number in 0..12 {
        let mut thread = format!("# Traces, part {number}\n\n");
        for line in 0..40 {
            let said = [
                "Someone index about billing and nobody had the numbers at hand.",
                "The traces are large, and the traces of last week are larger.",
                "Retention came up once more and was put off to the next meeting.",
                "How many days until the audit? Days, not weeks, said Lan.",
            ];
            writeln!(thread, "{} ({number}.{line})\n", said[(line + number) % said.len()])
                .expect("a String takes all");
        }
        corpus.write(&format!("thread-{number:02}.md"), &thread);
    }
    good(corpus.path(), &["index", "."]);
    let index = OpenIndex::open(&corpus);
    for question in
        ["what is the retention of billing traces", "how many days are billing traces kept"]
    {
        let (ranking, threshold) = index.ask(question, Mode::Hybrid);
        assert_eq!(ranking.documents[0].path, "fact.md", "{question}");
        assert!(ranking.documents[0].relevance >= threshold, "{question}");
    }
}

#[test]
fn what_says_nothing_is_answered_with_nothing_in_every_mode() {
    let datasets = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../datasets");
    let corpus = Corpus::empty();
    for name in ["tickets.jsonl", "eval-demo/corpus.jsonl", "notes/oncall-handover.md"] {
        let text = std::fs::read_to_string(datasets.join(name)).expect("a file of the repository");
        corpus.write(name, &text);
    }
    good(corpus.path(), &["index", "."]);
    let index = OpenIndex::open(&corpus);
    let nothing = [
        "....",
        "?!",
        "—",
        "()[]{}",
        "\"\"",
        "🙂🙂",
        "   ",
        "\u{200b}",
        "xqzvw",
        "qwfpgj zxcvkl",
        "blorptang vexilquib",
        "what is florgnatz",
        "why tkbje",
        "zufol banik temar",
        "where did janux put the pupqtj",
        "asdf asdf lkjlkj",
        "xoắng trìu khẹp vựt",
        "ъьммфрв мкчжыч",
        "脟嬕罄荵歐",
        "sourdough hydration percentage",
        "best tulip varieties for clay soil",
    ];
    for question in nothing {
        for mode in [Mode::Hybrid, Mode::Keyword, Mode::Vector] {
            let (ranking, threshold) = index.ask(question, mode);
            let answered = ranking.documents.iter().find(|d| d.relevance >= threshold);
            assert!(answered.is_none(), "{question:?} {mode:?}: {answered:?}");
        }
    }
}
