//! Flags of `recall pointers` and its subcommands.

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub(crate) struct PointersFlags {
    /// A folder with an INDEX.md or MEMORY.md; if omitted, the nearest one here or above
    #[arg(long, global = true, value_name = "[NAME=]DIR")]
    pub folder: Vec<String>,
    /// Print as JSON
    #[arg(long, global = true)]
    pub json: bool,
    /// Show how much of the reader's cap each page uses
    #[arg(long)]
    pub budget: bool,
    /// Print the policy on what may be written, for use in a system prompt
    #[arg(long)]
    pub policy: bool,
    #[command(subcommand)]
    pub command: Option<PointersCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PointersCommand {
    /// Find what is wrong with the index and its entries; exit code 1 if there are findings
    Check {
        /// Also report entries whose quoted files have changed since they were written
        #[arg(long)]
        git: bool,
        /// Days after which a `project` entry must be reviewed
        #[arg(long, value_name = "N")]
        project_days: Option<u32>,
    },
    /// Add a line, or replace the one on the same subject
    Add {
        /// The kind of line: preference, decision, procedure, entry
        #[arg(long, value_name = "KIND")]
        kind: String,
        /// The folder to write to, if several are open
        #[arg(long, value_name = "NAME")]
        namespace: Option<String>,
        #[command(flatten)]
        draft: DraftFlags,
    },
    /// Replace a line
    Replace {
        /// The line: its number, file, subject, or words from it
        name: String,
        #[command(flatten)]
        draft: DraftFlags,
    },
    /// Remove a line
    Remove {
        /// The line: its number, file, subject, or words from it
        name: String,
        /// Show the edit without making it
        #[arg(long)]
        dry_run: bool,
    },
    /// Confirm that a line still holds today
    Touch {
        /// The line: its number, file, subject, or words from it
        name: String,
        /// Show the edit without making it
        #[arg(long)]
        dry_run: bool,
    },
    /// Print the whole note or runbook that a line points to
    Open {
        /// The line: its number, file, subject, or words from it
        name: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct DraftFlags {
    /// The text of the line
    pub text: String,
    /// The reason for it
    #[arg(long)]
    pub reason: Option<String>,
    /// The note or runbook it points to
    #[arg(long, value_name = "PATH")]
    pub link: Option<String>,
    /// Where it comes from: user, code, doc
    #[arg(long, value_name = "SOURCE")]
    pub source: Option<String>,
    /// The date from which it holds; today if omitted
    #[arg(long, value_name = "YYYY-MM-DD")]
    pub date: Option<String>,
    /// Show the edit without making it
    #[arg(long)]
    pub dry_run: bool,
}
