//! A change in one place of a file, as a unified diff.

use std::fmt::Write;
use std::ops::Range;

/// Lines shown before and after the change.
const CONTEXT: usize = 3;

/// The lines that differ between `before` and `after`, in one hunk; empty where none does.
pub(crate) fn line_diff(name: &str, before: &str, after: &str) -> String {
    if before == after {
        return String::new();
    }
    let old: Vec<&str> = before.split_inclusive('\n').collect();
    let new: Vec<&str> = after.split_inclusive('\n').collect();
    let same = |(a, b): &(&&str, &&str)| a == b;
    let head = old.iter().zip(&new).take_while(same).count();
    let backwards = old[head..].iter().rev().zip(new[head..].iter().rev());
    let tail = backwards.take_while(same).count();
    let (gone, come) = (head..old.len() - tail, head..new.len() - tail);
    let from = head.saturating_sub(CONTEXT);
    let shown_after = tail.min(CONTEXT);

    let (old_range, new_range) = (from..gone.end + shown_after, from..come.end + shown_after);
    let header = format!("@@ -{} +{} @@\n", written(&old_range), written(&new_range));
    let mut diff = format!("--- {name}\n+++ {name}\n{header}");
    push(&mut diff, ' ', &old[from..head]);
    push(&mut diff, '-', &old[gone.clone()]);
    push(&mut diff, '+', &new[come]);
    push(&mut diff, ' ', &old[gone.end..old_range.end]);
    diff
}

/// A range of lines as hunks have it: counted from 1, an empty one named after the line before it.
fn written(range: &Range<usize>) -> String {
    match range.len() {
        0 => format!("{},0", range.start),
        1 => format!("{}", range.start + 1),
        length => format!("{},{length}", range.start + 1),
    }
}

fn push(diff: &mut String, mark: char, lines: &[&str]) {
    for line in lines {
        let end = if line.ends_with('\n') { "" } else { "\n\\ No newline at end of file\n" };
        // Writing to a String cannot fail.
        let _ = write!(diff, "{mark}{line}{end}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(before: &str, after: &str, expected: &str) {
        let diff = line_diff("a.md", before, after);
        assert_eq!(diff, format!("--- a.md\n+++ a.md\n{expected}"));
    }

    #[test]
    fn one_hunk_shows_three_lines_around_the_change() {
        let page = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let inserted = page.replace("5\n", "5\nnew\n");
        check(page, &inserted, "@@ -3,6 +3,7 @@\n 3\n 4\n 5\n+new\n 6\n 7\n 8\n");
        let replaced = page.replace("1\n", "one\n");
        check(page, &replaced, "@@ -1,4 +1,4 @@\n-1\n+one\n 2\n 3\n 4\n");
        let removed = page.replace("9\n", "");
        check(page, &removed, "@@ -6,4 +6,3 @@\n 6\n 7\n 8\n-9\n");
    }

    #[test]
    fn a_page_may_be_empty_or_without_a_last_line_end() {
        check("", "a\n", "@@ -0,0 +1 @@\n+a\n");
        check("a\n", "", "@@ -1 +0,0 @@\n-a\n");
        let end = "\\ No newline at end of file\n";
        check("a", "b", &format!("@@ -1 +1 @@\n-a\n{end}+b\n{end}"));
        check("a", "a\nb", &format!("@@ -1 +1,2 @@\n-a\n{end}+a\n+b\n{end}"));
        assert_eq!(line_diff("a.md", "a\n", "a\n"), "");
    }
}
