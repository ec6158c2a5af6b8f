//! Flags of the commands for upkeep: serve, status, check, model.

use clap::{Args, Subcommand};

#[derive(Debug, Default, Args)]
pub(crate) struct ServeFlags {
    /// Stop the resident process
    #[arg(long, conflicts_with = "status")]
    pub stop: bool,
    /// Show what the resident process has loaded and is doing
    #[arg(long)]
    pub status: bool,
    /// Print the status as JSON
    #[arg(long, requires = "status")]
    pub json: bool,
    /// Stop after this long without a question: `15m`, `2h`
    #[arg(long, value_name = "TIME", env = "RECALL_RESIDENT_IDLE")]
    pub idle: Option<jiff::SignedDuration>,
    /// Set when a question starts it: detached from the terminal, stopping by itself when idle
    #[arg(long, hide = true)]
    pub detached: bool,
}

#[derive(Debug, Args)]
pub(crate) struct StatusFlags {
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CheckFlags {
    /// Rebuild what is damaged
    #[arg(long)]
    pub repair: bool,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ModelFlags {
    #[command(subcommand)]
    pub command: ModelCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ModelCommand {
    /// The models that are known, and which are here
    List {
        /// Print as JSON
        #[arg(long)]
        json: bool,
    },
    /// Fetch a model and the ONNX Runtime
    Pull {
        /// The model; the default one if left out
        id: Option<String>,
    },
    /// Compare every file with what was installed
    Verify {
        /// The model; the default one if left out
        id: Option<String>,
    },
    /// Print the folder of a model
    Path {
        /// The model; the default one if left out
        id: Option<String>,
    },
}
