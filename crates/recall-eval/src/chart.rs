//! Renders the report as one self-contained HTML page with a bar chart for every figure. Pure.

use crate::measure::Figure;
use crate::report::{Report, name};

const WIDTH: f64 = 460.0;
const BAR: f64 = 22.0;
const GAP: f64 = 10.0;
const LABELS: f64 = 80.0;
const NUMBERS: f64 = 70.0;

const STYLE: &str = "\
:root{color-scheme:light dark;--ink:#1c1c1c;--soft:#666;--back:#fff;--line:#ddd}
@media(prefers-color-scheme:dark){:root{--ink:#eee;--soft:#aaa;--back:#161616;--line:#444}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--back);max-width:1000px;margin:2em auto;padding:0 1em}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(460px,1fr));gap:1.5em}
figure{margin:0}figcaption{font-weight:600}
svg text{font:13px system-ui,sans-serif;fill:currentColor}
.bar0{fill:#0072b2}.bar1{fill:#e69f00}.bar2{fill:#009e73}
.whisker{stroke:currentColor;stroke-width:1.5}.axis{stroke:var(--line)}
table{border-collapse:collapse}td,th{border-bottom:1px solid var(--line);padding:.2em .8em;text-align:right}
td:first-child,th:first-child{text-align:left}p,li{color:var(--soft)}";

/// Renders the page.
pub fn page(report: &Report) -> String {
    let title = escaped(&report.dataset);
    let model = report.model.as_deref().unwrap_or("no vectors");
    let rows = report.modes.first().map(|m| m.figures.len()).unwrap_or_default();
    let charts: String = (0..rows).map(|row| chart(report, row)).collect();
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n\
         <title>{title}: recall eval</title>\n<style>\n{STYLE}\n</style>\n<h1>{title}</h1>\n\
         <p>{} questions, {} unanswerable, {} off the topic; {} documents; {}. \
         Lines on the bars are 95 % confidence intervals.</p>\n\
         <div class=\"charts\">\n{charts}</div>\n{}{}{}</html>\n",
        report.queries,
        report.unanswerable,
        report.off_topic,
        report.documents,
        escaped(model),
        contrasts(report),
        reliability(report),
        notes(report),
    )
}

/// Renders the chart of one figure in every mode.
fn chart(report: &Report, row: usize) -> String {
    let figures: Vec<&Figure> = report.modes.iter().map(|m| &m.figures[row]).collect();
    let reach = |f: &&Figure| f.interval.map_or(f.value, |(_, high)| high.max(f.value));
    let most = figures.iter().map(reach).fold(0.0, f64::max);
    // Shares are drawn on a scale from 0 to 1, so that charts can be compared.
    let is_share = !figures[0].name.contains("latency") && !figures[0].name.contains("second");
    let full = if is_share { 1.0 } else { most.max(f64::MIN_POSITIVE) };
    let bars = report.modes.iter().zip(&figures).enumerate();
    let bars: String = bars.map(|(at, (m, figure))| bar(at, name(m.mode), figure, full)).collect();
    let height = figures.len() as f64 * (BAR + GAP) + GAP;
    let label = escaped(&figures[0].name);
    format!(
        "<figure><figcaption>{label}</figcaption>\
         <svg role=\"img\" aria-label=\"{label}\" width=\"100%\" viewBox=\"0 0 {WIDTH} {height}\">\
         <line class=\"axis\" x1=\"{LABELS}\" y1=\"0\" x2=\"{LABELS}\" y2=\"{height}\"/>\
         {bars}</svg></figure>\n"
    )
}

fn bar(at: usize, mode: &str, figure: &Figure, full: f64) -> String {
    let room = WIDTH - LABELS - NUMBERS;
    let x = |value: f64| LABELS + room * (value / full).clamp(0.0, 1.0);
    let top = GAP + at as f64 * (BAR + GAP);
    let middle = top + BAR / 2.0;
    let whisker = figure.interval.map_or_else(String::new, |(low, high)| {
        let (from, to) = (x(low), x(high));
        format!(
            "<line class=\"whisker\" x1=\"{from:.1}\" y1=\"{middle}\" x2=\"{to:.1}\" y2=\"{middle}\"/>"
        )
    });
    let end = figure.interval.map_or(x(figure.value), |(_, high)| x(high.max(figure.value)));
    let digits = if full > 1.0 { 1 } else { 3 };
    format!(
        "<text x=\"0\" y=\"{:.1}\">{mode}</text>\
         <rect class=\"bar{at}\" x=\"{LABELS}\" y=\"{top}\" width=\"{:.1}\" height=\"{BAR}\"/>\
         {whisker}<text x=\"{:.1}\" y=\"{:.1}\">{:.digits$}</text>",
        middle + 5.0,
        x(figure.value) - LABELS,
        end + 6.0,
        middle + 5.0,
        figure.value,
    )
}

fn contrasts(report: &Report) -> String {
    let row = |retriever: &str, c: &super::contrast::Contrast| {
        format!(
            "<tr><td>{} against {retriever}</td><td>{:+.3}</td><td>{:.4}</td><td>{}</td><td>{}</td></tr>\n",
            escaped(&c.metric),
            c.difference,
            c.p,
            c.wins,
            c.losses
        )
    };
    let rows: String = report
        .contrasts
        .iter()
        .flat_map(|(retriever, list)| list.iter().map(|c| row(name(*retriever), c)))
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    format!(
        "<h2>Hybrid against each retriever</h2>\n<table><tr><th></th><th>difference</th><th>p</th>\
         <th>better</th><th>worse</th></tr>\n{rows}</table>\n"
    )
}

fn reliability(report: &Report) -> String {
    let row = |mode: &str, bin: &super::calibration::Bin| {
        format!(
            "<tr><td>{mode}, {:.1} to {:.1}</td><td>{}</td><td>{:.3}</td><td>{:.3}</td></tr>\n",
            bin.from, bin.to, bin.hits, bin.relevance, bin.right
        )
    };
    let rows = report
        .modes
        .iter()
        .flat_map(|m| m.calibration.bins.iter().map(|bin| row(name(m.mode), bin)));
    format!(
        "<h2>How far a first hit's relevance can be believed</h2>\n<table><tr><th></th>\
         <th>hits</th><th>mean relevance</th><th>share that is right</th></tr>\n{}</table>\n",
        rows.collect::<String>()
    )
}

fn notes(report: &Report) -> String {
    if report.notes.is_empty() {
        return String::new();
    }
    let items = report.notes.iter().map(|note| format!("<li>{}</li>\n", escaped(note)));
    format!("<h2>Notes</h2>\n<ul>\n{}</ul>\n", items.collect::<String>())
}

/// Escapes text for HTML.
fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}
