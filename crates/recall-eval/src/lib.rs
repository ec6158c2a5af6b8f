//! How good the answers are, on labelled questions.
//!
//! [`queries`] and [`qrels`] are what was labelled, [`run`] is what a system ranked for it;
//! [`metrics`] scores one ranking, [`statistics`] says how far a figure can be trusted and
//! [`calibration`] whether a relevance means what it says. [`measure`] puts them together for one
//! mode, [`contrast`] sets two side by side, and [`report`], [`comparison`] and [`chart`] are what
//! is shown. [`tune`] fits an index's settings to labelled questions. All of it is pure but for reading files ([`label_file`]).
//!
//! # Agreement with `trec_eval`
//! The figures are those of `trec_eval -c`, which the tests hold them to: linear gains and a
//! discount of `log2(rank + 1)` in nDCG; grades below 1 are not relevant and gain nothing; a judged
//! query that a run does not have counts as zero, and so does one whose every grade is below 1
//! (it is named, as nobody can answer it). Equal scores in a run file are ordered by falling
//! document id. What recall ranks itself is taken in recall's own order, where ties go by rising
//! id, and its run files say so with scores that fall from rank to rank. MRR@10 is `trec_eval`'s
//! reciprocal rank of a run cut at 10.

#![forbid(unsafe_code)]

pub mod calibration;
pub mod chart;
pub mod comparison;
pub mod contrast;
pub mod label_file;
pub mod measure;
pub mod metrics;
pub mod qrels;
pub mod queries;
pub mod report;
pub mod run;

pub mod statistics;
pub mod tune;
