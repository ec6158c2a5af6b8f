//! Flags of `recall pointers`.

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub(crate) struct PointersFlags {
    /// A folder with an INDEX.md or MEMORY.md; without any, the one found upward from here
    #[arg(long, global = true, value_name = "[NAME=]DIR")]
    pub folder: Vec<String>,
    /// Print as JSON
    #[arg(long, global = true)]
    pub json: bool,
    /// Show how much of the reader's limit each page uses
    #[arg(long)]
    pub budget: bool,
    /// Print the policy of what may be written, for a system prompt
    #[arg(long)]
    pub policy: bool,
    #[command(subcommand)]
    pub command: Option<PointersCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PointersCommand {
    /// Find what is wrong with the index and its entries; exit code 1 with findings
    Check {
        /// Also name entries whose quoted files changed since they were written
        #[arg(long)]
        git: bool,
        /// Days after which a `project` entry must be looked at again
        #[arg(long, value_name = "N")]
        project_days: Option<u32>,
    },
    /// Add a line, or replace the one on its subject
    Add {
        /// What it is: preference, decision, procedure, entry
        #[arg(long, value_name = "KIND")]
        kind: String,
        /// Which folder, where several are open
        #[arg(long, value_name = "NAME")]
        namespace: Option<String>,
        #[command(flatten)]
        draft: DraftFlags,
    },
    /// Replace a line
    Replace {
        /// The line, by number, file, subject, or words from it
        name: String,
        #[command(flatten)]
        draft: DraftFlags,
    },
    /// Remove a line
    Remove {
        /// The line, by number, file, subject, or words from it
        name: String,
        /// Show the edit and change nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Confirm that a line still holds today
    Touch {
        /// The line, by number, file, subject, or words from it
        name: String,
        /// Show the edit and change nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Print the note or the runbook behind a line, whole
    Open {
        /// The line, by number, file, subject, or words from it
        name: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct DraftFlags {
    /// What it says, in one line
    pub text: String,
    /// Why
    #[arg(long)]
    pub reason: Option<String>,
    /// The note or runbook it points to
    #[arg(long, value_name = "PATH")]
    pub link: Option<String>,
    /// Where it comes from: user, code, doc
    #[arg(long, value_name = "SOURCE")]
    pub source: Option<String>,
    /// The day from which it holds; today if left out
    #[arg(long, value_name = "YYYY-MM-DD")]
    pub date: Option<String>,
    /// Show the edit and change nothing
    #[arg(long)]
    pub dry_run: bool,
}
