//! Flags of the commands that maintain the index, the model and the resident process.

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
    /// Exit after this long without a question: `15m`, `2h`
    #[arg(long, value_name = "TIME", env = "RECALL_RESIDENT_IDLE")]
    pub idle: Option<jiff::SignedDuration>,
    /// Used when a query starts it: detaches from the terminal and exits when idle
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
    /// List the known models and whether each is installed
    List {
        /// Print as JSON
        #[arg(long)]
        json: bool,
    },
    /// Fetch a model and the ONNX Runtime
    Pull {
        /// The model's id; the default model if omitted
        id: Option<String>,
    },
    /// Check a model's files against what was installed
    Verify {
        /// The model's id; the default model if omitted
        id: Option<String>,
    },
    /// Print the folder of a model
    Path {
        /// The model's id; the default model if omitted
        id: Option<String>,
    },
}
