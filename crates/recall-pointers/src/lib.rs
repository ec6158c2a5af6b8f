//! The pointer index: one page of statements and pointers that every agent session loads whole.
//!
//! It is kept by people, reviewed in git, and never ranked, chunked or embedded. This crate reads
//! it without losing a byte, checks it, and edits one line of it at a time. It knows nothing of
//! the search index, and never asks for the time: the day is passed in.
//!
//! ```
//! use recall_pointers::{FolderSpec, HeadingWords, Memory};
//!
//! # let dir = tempfile::tempdir()?;
//! # let path = dir.path().to_owned();
//! std::fs::write(path.join("INDEX.md"), "## Preferences\n\n- Answer in Vietnamese\n")?;
//! let spec = FolderSpec { namespace: "project".into(), path, root: None };
//! let memory = Memory::open(&[spec], &HeadingWords::default())?;
//! assert_eq!(memory.print(), b"## Preferences\n\n- Answer in Vietnamese\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What there is to do with it, and the function for each:
//!
//! | to | function |
//! |---|---|
//! | find the memory folder of a project | [`FolderSpec::upward`] |
//! | open folders | [`Memory::open`] |
//! | load every page | [`Memory::print`]; [`Memory::listing`] with the statements read |
//! | see how much of a page its reader sees | [`budget`] |
//! | know what may be written | [`POLICY`] |
//! | find what is wrong | [`check`] |
//! | edit one line | [`add`], [`replace`], [`remove`], [`touch`]; then [`Edit::write`] |
//! | read the file behind a line | [`open`] |
//! | find the lines that name a document | [`lines_naming`] |

#![forbid(unsafe_code)]

mod atomic_file;
mod budget;
mod change;
mod credential;
mod date;
mod draft;
mod edit;
mod entry;
mod finding;
mod fold;
mod folder;
mod folder_spec;
mod front_matter;
mod history;
mod lines;
mod lint;
mod markdown;
mod memory;
mod naming;
mod opened;
mod page;
mod policy;
mod project;
mod quoted_path;
mod refusal;
mod section;
mod selector;
mod shape;
mod statement;
mod subject;
mod target;
mod wording;

pub use budget::{Cap, PageBudget, Standing, budget, estimated_tokens, standing};
pub use change::{Rules, add, remove, replace, touch};
pub use credential::credential_in;
pub use draft::{Draft, Provenance};
pub use edit::{Action, Edit, WriteError};
pub use entry::Entry;
pub use finding::{LintFinding, Problem};
pub use folder::{Folder, OpenError, PageFile, Unreadable};
pub use folder_spec::FolderSpec;
pub use front_matter::{EntryType, FrontMatter, FrontMatterError};
pub use history::HistoryNote;
pub use lint::{Limits, Lint, Report, check};
pub use memory::{Memory, PageListing};
pub use naming::{PointerLine, lines_naming};
pub use opened::{OpenLineError, Opened, open};
pub use page::Page;
pub use policy::POLICY;
pub use project::Project;
pub use refusal::Refusal;
pub use section::{HeadingWords, LineKind, Section};
pub use selector::{Place, SelectError};
pub use shape::Shape;
pub use statement::{Link, Statement};
