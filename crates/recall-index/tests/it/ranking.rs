//! The order of what words find.

use proptest::prelude::*;
use recall_index::{Analyzer, EntryId, Filter, Snapshot, clause, terms};

use crate::corpus::{Corpus, found};

fn search(snapshot: &Snapshot, question: &str, limit: usize) -> Vec<(EntryId, f32)> {
    let terms = terms(question, &Analyzer::default());
    snapshot.keyword().search(&terms, None, limit).unwrap()
}

#[test]
fn the_best_come_first() {
    let corpus = Corpus::new(&[
        ("name.md", "# Printer PRN-0017\nIt is in the hall."),
        ("often.md", "# Printers\nThe printer jams. A printer that jams is opened."),
        ("once.md", "A printer is mentioned here among many other words about other things."),
        ("never.md", "Nothing."),
    ]);
    let snapshot = corpus.snapshot();
    let check = |question: &str, expected: &[&str]| {
        assert_eq!(found(&snapshot, question), expected, "{question}");
    };
    check("PRN-0017", &["name.md"]);
    check("printers that jam", &["often.md", "name.md", "once.md"]);
    check("weather", &[]);
    check("", &[]);
}

#[test]
fn ties_are_broken_by_id_and_the_first_do_not_depend_on_the_number() {
    let files: Vec<(String, &str)> =
        (0..50).map(|i| (format!("{i:02}.md"), "the same words in every note")).collect();
    let files: Vec<(&str, &str)> =
        files.iter().map(|(name, text)| (name.as_str(), *text)).collect();
    let corpus = Corpus::new(&files);
    let snapshot = corpus.snapshot();
    let all = search(&snapshot, "same words", 100);
    assert_eq!(all.len(), 50);
    assert!(all.iter().all(|(_, score)| *score == all[0].1), "one score");
    assert!(all.is_sorted_by_key(|(id, _)| *id));
    for limit in [1, 2, 7, 49, 50] {
        assert_eq!(search(&snapshot, "same words", limit), all[..limit]);
    }
    drop(snapshot);
    assert_eq!(search(&corpus.snapshot(), "same words", 100), all, "opened again");
}

const WORDS: [&str; 8] = ["lamp", "disk", "panel", "router", "cable", "switch", "fan", "battery"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// A condition that all entries meet changes no order, and contributions add up to scores.
    #[test]
    fn a_filter_that_lets_all_pass_changes_nothing(
        notes in prop::collection::vec(prop::collection::vec(0..WORDS.len(), 1..12), 1..24),
        asked in prop::collection::vec(0..WORDS.len(), 1..4),
    ) {
        let say = |words: &[usize]| words.iter().map(|w| WORDS[*w]).collect::<Vec<_>>().join(" ");
        let files: Vec<(String, String)> = notes
            .iter()
            .enumerate()
            .map(|(number, words)| (format!("{number}.txt"), format!("note {}", say(words))))
            .collect();
        let files: Vec<(&str, &str)> = files.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        let corpus = Corpus::new(&files);
        let snapshot = corpus.snapshot();
        let keyword = snapshot.keyword();
        let analyzer = Analyzer::default();
        let terms = terms(&say(&asked), &analyzer);
        let every = [clause("note", &analyzer).unwrap()];
        let allowed = keyword.allowed(&Filter::default(), &every, &[]).unwrap().unwrap();
        prop_assert_eq!(allowed.len(), files.len() as u64);
        let free = keyword.search(&terms, None, 100).unwrap();
        let filtered = keyword.search(&terms, Some(&allowed), 100).unwrap();
        let mut ids: Vec<EntryId> = free.iter().map(|(id, _)| *id).collect();
        prop_assert_eq!(&ids, &filtered.iter().map(|(id, _)| *id).collect::<Vec<_>>());
        ids.sort_unstable();
        let contributions = keyword.contributions(&terms, &ids).unwrap();
        for (id, score) in free {
            let row = ids.binary_search(&id).unwrap();
            let sum: f32 = contributions[row].iter().sum();
            prop_assert!((sum - score).abs() < 1e-4, "{} is not {}", sum, score);
        }
    }
}
