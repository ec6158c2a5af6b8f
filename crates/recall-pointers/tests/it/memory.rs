//! Several folders, their budget, and the lines that name a document.

use std::path::Path;

use recall_pointers::{
    Cap, FolderSpec, HeadingWords, Memory, OpenError, OpenLineError, Project, SelectError,
    Standing, budget, estimated_tokens, lines_naming, open,
};

use crate::fixture::Fixture;

fn two_folders() -> (Fixture, Memory) {
    let fixture = Fixture::with(&[
        ("shared/INDEX.md", "## Preferences\n\n- Short commit subjects"),
        (
            "memory/INDEX.md",
            "## Decisions\r\n\r\n- 2026-11-03 Keep notes short → [why](notes/short.md), see DEC-0054\r\n",
        ),
        ("memory/notes/short.md", "Because.\n"),
        ("src/walk.rs", "\n"),
    ]);
    let specs = [fixture.spec("shared", "shared"), fixture.spec("project", "memory")];
    let memory = Memory::open(&specs, &HeadingWords::default()).unwrap();
    (fixture, memory)
}

#[test]
fn several_pages_print_under_their_namespaces() {
    let (fixture, memory) = two_folders();
    let printed = String::from_utf8(memory.print()).unwrap();
    let root = format!("{}/", fixture.dir.path().display());
    assert_eq!(
        printed.replace(&root, ""),
        "<!-- shared: shared/INDEX.md -->\n## Preferences\n\n- Short commit subjects\n\
         <!-- project: memory/INDEX.md -->\n\
         ## Decisions\r\n\r\n- 2026-11-03 Keep notes short → [why](notes/short.md), see DEC-0054\r\n"
    );
    let listing = memory.listing();
    assert_eq!(listing[1].text, fixture.read("memory/INDEX.md"));
    assert_eq!(listing[1].statements[0].links[0].target, "notes/short.md");
}

#[test]
fn folders_that_cannot_be_told_apart_are_refused() {
    let fixture =
        Fixture::with(&[("memory/INDEX.md", ""), ("other/INDEX.md", ""), ("empty/x.md", "")]);
    let open = |specs: &[FolderSpec]| Memory::open(specs, &HeadingWords::default()).unwrap_err();
    let memory = fixture.spec("a", "memory");
    let same_name = open(&[memory.clone(), fixture.spec("a", "other")]);
    assert!(matches!(same_name, OpenError::NamespaceTaken { .. }), "{same_name}");
    let same_folder = open(&[memory, fixture.spec("b", "memory")]);
    assert!(matches!(same_folder, OpenError::OpenTwice { .. }), "{same_folder}");
    let bad_name = open(&[fixture.spec("a b", "memory")]);
    assert!(matches!(bad_name, OpenError::BadNamespace { .. }), "{bad_name}");
    let no_page = open(&[fixture.spec("a", "empty")]);
    assert!(matches!(no_page, OpenError::NoIndex { .. }), "{no_page}");
    let no_folder = open(&[fixture.spec("a", "none")]);
    assert!(matches!(no_folder, OpenError::Read { .. }), "{no_folder}");
}

fn check_budget(page: &str, cap: Cap, expected: Standing) {
    let fixture = Fixture::with(&[("memory/INDEX.md", page)]);
    assert_eq!(budget(&fixture.memory(), cap)[0].standing, expected, "{page:?}");
}

#[test]
fn the_budget_warns_before_the_cut() {
    let cap = Cap { lines: 10, bytes: 100, warn_percent: 80 };
    check_budget(&"a\n".repeat(7), cap, Standing::Fits);
    check_budget(&"a\n".repeat(8), cap, Standing::Near);
    check_budget(&"a\n".repeat(10), cap, Standing::Near);
    check_budget(&"a\n".repeat(11), cap, Standing::Cut { line: 11 });
    check_budget(&"a".repeat(79), cap, Standing::Fits);
    check_budget(&"a".repeat(80), cap, Standing::Near);
    check_budget(&format!("a\n{}\nb\n", "a".repeat(99)), cap, Standing::Cut { line: 2 });
    check_budget("", cap, Standing::Fits);
}

#[test]
fn tokens_are_estimated_by_script() {
    assert_eq!(estimated_tokens(""), 0);
    assert_eq!(estimated_tokens("Short commit subjects"), 6);
    assert_eq!(estimated_tokens("quyết định"), 4);
    assert_eq!(estimated_tokens("2026-11-29"), 5);
    assert_eq!(estimated_tokens("会議"), 2);
}

#[test]
fn lines_are_found_by_the_document_they_name() {
    let (fixture, memory) = two_folders();
    let absolute = fixture.path("memory/notes/short.md").display().to_string();
    for document in ["memory/notes/short.md", &absolute, "DEC-0054", "dec-0054"] {
        let lines = lines_naming(&memory, &[document]);
        assert_eq!(lines.len(), 1, "{document}");
        assert_eq!((lines[0].place.line, &*lines[0].place.namespace), (3, "project"));
    }
    for document in ["DEC-005", "EC-0054", "0054", "src/walk.rs", "short.md", "", "../x"] {
        assert_eq!(lines_naming(&memory, &[document]), [], "{document}");
    }
    let json = serde_json::to_value(lines_naming(&memory, &["DEC-0054"])).unwrap();
    assert_eq!(json[0]["document"], "DEC-0054");
    assert_eq!(json[0]["kind"], "decision");
    assert_eq!(json[0]["line"], 3);
}

#[test]
fn names_open_the_file_behind_a_line() {
    let (_fixture, memory) = two_folders();
    for name in [
        "short",
        "short.md",
        "notes/short.md",
        "why",
        "project:3",
        "memory/INDEX.md:3",
        "keep NOTES",
    ] {
        assert_eq!(open(&memory, name).unwrap().bytes, b"Because.\n", "{name}");
    }
    let ambiguous = open(&memory, "3").unwrap_err();
    assert!(
        matches!(ambiguous, OpenLineError::Select(SelectError::Ambiguous { .. })),
        "{ambiguous}"
    );
    let linkless = open(&memory, "commit subjects").unwrap_err();
    assert!(matches!(linkless, OpenLineError::NoLink { line: 3 }), "{linkless}");
    for name in ["../memory/notes/short.md", "", "nothing like it", "shared:notes"] {
        let missing = open(&memory, name).unwrap_err();
        assert!(matches!(missing, OpenLineError::Select(SelectError::NotFound { .. })), "{name}");
    }
}

#[cfg(unix)]
#[test]
fn links_out_of_the_project_are_not_opened() {
    let outside = Fixture::with(&[("secret.md", "Secret.\n")]);
    let fixture =
        Fixture::with(&[("memory/INDEX.md", "## Procedures\n- [Restore it all](out.md)\n")]);
    std::os::unix::fs::symlink(outside.path("secret.md"), fixture.path("memory/out.md")).unwrap();
    let refused = open(&fixture.memory(), "out").unwrap_err();
    assert!(matches!(refused, OpenLineError::Outside { .. }), "{refused}");
}

#[test]
fn documents_that_quote_lost_files_are_seen() {
    let fixture = Fixture::with(&[("src/walk.rs", ""), ("docs/a.md", "")]);
    let project = Project::at(fixture.dir.path()).unwrap();
    let text = "See `src/walk.rs`, `src/gone.rs:3`, `a.md`, `b.md` and `src/gone.rs`.";
    assert_eq!(project.missing_quotes(Path::new("docs/a.md"), text), ["src/gone.rs", "b.md"]);
}
