//! What a row measured.

use serde::Serialize;

/// One measured value.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Figure {
    /// What it is, in words.
    pub what: String,
    /// The value.
    pub value: f64,
    /// Its unit; empty for ratios and counts.
    pub unit: &'static str,
}

/// What a row measured, and whether that meets its target.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Measured {
    /// What is compared with the target.
    pub reached: String,
    /// Whether it is met; `None` where nothing was asked.
    pub met: Option<bool>,
    /// What it is made of.
    pub figures: Vec<Figure>,
    /// What a reader must know about the figures; may be empty.
    pub note: String,
}

impl Measured {
    /// Adds a figure.
    pub(crate) fn add(&mut self, what: impl Into<String>, value: f64, unit: &'static str) {
        self.figures.push(Figure { what: what.into(), value, unit });
    }
}

/// A number with as many places as say something.
pub(crate) fn number(value: f64) -> String {
    match value.abs() {
        n if !n.is_finite() => "–".to_owned(),
        n if n >= 1000.0 => thousands(value.round() as i64),
        n if n >= 100.0 => format!("{value:.0}"),
        n if n >= 10.0 => format!("{value:.1}"),
        n if n >= 0.1 || n == 0.0 => format!("{value:.2}"),
        _ => format!("{value:.4}"),
    }
}

fn thousands(value: i64) -> String {
    let digits = value.unsigned_abs().to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    if value < 0 { format!("-{out}") } else { out }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_carry_what_they_say() {
        let cases = [
            (0.0, "0.00"),
            (0.012_34, "0.0123"),
            (1.234, "1.23"),
            (12.34, "12.3"),
            (123.4, "123"),
            (1234.5, "1,235"),
            (-1_234_567.0, "-1,234,567"),
            (f64::NAN, "–"),
        ];
        for (value, expected) in cases {
            assert_eq!(number(value), expected);
        }
    }
}
