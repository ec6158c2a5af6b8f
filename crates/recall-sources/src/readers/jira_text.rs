//! The two ways in which Jira writes text, as Markdown: wiki markup, and documents in JSON (ADF).

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

/// Wiki markup with its headings, lists and code as Markdown has them; the rest stays.
pub(crate) fn markdown(wiki: &str) -> String {
    static HEADING: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^\s*h([1-6])\.\s+").expect("a constant"));
    static CODE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\{(?:code|noformat)(?::[^}\n]*)?\}").expect("a constant"));
    let mut in_code = false;
    let mut lines: Vec<String> = Vec::new();
    for line in wiki.lines() {
        let marks = CODE.find_iter(line).count();
        if marks == 1 {
            in_code = !in_code;
            lines.push(CODE.replace(line, "\n```\n").trim().to_owned());
        } else if in_code || marks > 0 {
            lines.push(CODE.replace_all(line, "`").into_owned());
        } else if let Some(heading) = HEADING.captures(line) {
            let level = heading[1].parse().unwrap_or(1);
            lines.push(format!("{} {}", "#".repeat(level), &line[heading[0].len()..]));
        } else {
            lines.push(item(line));
        }
    }
    lines.join("\n")
}

/// `## text`, the second level of a numbered list, as `   1. text`.
fn item(line: &str) -> String {
    let level = line.bytes().take_while(|&byte| byte == b'#').count();
    match line.get(level..).and_then(|rest| rest.strip_prefix(' ')) {
        Some(text) if level > 0 => format!("{}1. {text}", "   ".repeat(level - 1)),
        _ => line.to_owned(),
    }
}

/// The text of a document in JSON. Its depth is bounded by what read the JSON.
pub(crate) fn adf(document: &Value) -> String {
    let mut text = String::new();
    node(document, "", &mut text);
    text.trim().to_owned()
}

/// Adds a node; `indent` stands before the items of its lists.
fn node(value: &Value, indent: &str, text: &mut String) {
    let attribute = |name: &str| value["attrs"][name].as_str().unwrap_or_default().to_owned();
    let kind = value["type"].as_str().unwrap_or_default();
    match kind {
        "text" => text.push_str(value["text"].as_str().unwrap_or_default()),
        "hardBreak" => text.push('\n'),
        "mention" | "status" | "placeholder" => text.push_str(&attribute("text")),
        "emoji" => {
            let shown = [attribute("text"), attribute("shortName")];
            text.push_str(shown.iter().find(|text| !text.is_empty()).map_or("", String::as_str));
        }
        "inlineCard" | "blockCard" | "embedCard" => text.push_str(&attribute("url")),
        "media" | "mediaInline" => text.push_str(&attribute("alt")),
        "date" => text.push_str(&day(&attribute("timestamp"))),
        "rule" => paragraph(text, "---"),
        "heading" => {
            let level = value["attrs"]["level"].as_u64().unwrap_or(1).clamp(1, 6);
            paragraph(text, &"#".repeat(level as usize));
            text.push(' ');
            children(value, indent, text);
        }
        "codeBlock" => {
            paragraph(text, "```\n");
            children(value, indent, text);
            text.push_str("\n```");
        }
        "expand" | "nestedExpand" => {
            paragraph(text, &attribute("title"));
            children(value, indent, text);
        }
        "bulletList" | "orderedList" | "taskList" | "decisionList" => {
            children(value, &format!("{indent}  "), text);
        }
        "listItem" | "taskItem" | "decisionItem" => {
            line(text, &format!("{}- ", indent.strip_prefix("  ").unwrap_or(indent)));
            children(value, indent, text);
        }
        "tableRow" => {
            line(text, "");
            children(value, indent, text);
        }
        "tableCell" | "tableHeader" => {
            children(value, indent, text);
            text.push('\t');
        }
        "paragraph" => {
            // The first paragraph of an item or a cell stands beside its mark.
            if !text.ends_with("- ") && !text.ends_with('\t') {
                paragraph(text, "");
            }
            children(value, indent, text);
        }
        _ => children(value, indent, text),
    }
}

fn children(value: &Value, indent: &str, text: &mut String) {
    for child in value["content"].as_array().into_iter().flatten() {
        node(child, indent, text);
    }
}

/// Begins a paragraph.
fn paragraph(text: &mut String, begin: &str) {
    let end = text.trim_end().len();
    text.truncate(end);
    if end > 0 {
        text.push_str("\n\n");
    }
    text.push_str(begin);
}

/// Begins a line.
fn line(text: &mut String, begin: &str) {
    text.truncate(text.trim_end().len());
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(begin);
}

/// The day of a moment in milliseconds.
fn day(milliseconds: &str) -> String {
    let date = crate::date::parse(milliseconds);
    date.map_or(String::new(), |date| date.to_string().chars().take(10).collect())
}
