//! Measures the quality of answers on labelled questions.
//!
//! [`queries`] and [`qrels`] are the labelled questions and their labels, [`run`] is what a system
//! ranked for them. [`metrics`] scores one ranking, [`statistics`] says how far a figure can be
//! trusted and [`calibration`] whether relevance can be taken at its word. [`measure`] puts them
//! together for one mode, [`contrast`] compares two modes, and [`report`], [`comparison`] and
//! [`chart`] present the results. [`tune`] fits an index's settings to labelled questions.
//! Everything is pure except reading files ([`label_file`]).
//!
//! # Agreement with `trec_eval`
//! The figures equal those of `trec_eval -c`, which the tests check: linear gains and a discount of
//! `log2(rank + 1)` in nDCG; grades below 1 are not relevant and gain nothing; a judged query
//! missing from a run counts as zero, and so does one whose every grade is below 1 (it is reported,
//! as it cannot be answered). Equal scores in a run file are ordered by falling document id.
//! recall's own rankings are taken in recall's order, where ties go by rising id, and its run files
//! express that with scores that fall from rank to rank. MRR@10 is `trec_eval`'s reciprocal rank of
//! a run cut at 10.

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
