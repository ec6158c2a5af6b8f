//! Which documents a question may be answered from. A filter acts inside both retrievers, before
//! the first k are taken.

use globset::GlobMatcher;
use recall_sources::Kind;

use crate::analysis::fold;

/// All conditions must hold; an empty list is no condition, several values of one are alternatives.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Not before this second since 1970.
    pub since: Option<i64>,
    /// Before this second since 1970.
    pub until: Option<i64>,
    /// Sources: `slack:incidents`, or `slack` for all of them.
    pub sources: Vec<String>,
    /// Authors, by words of their names, accents and case aside.
    pub authors: Vec<String>,
    /// Kinds.
    pub kinds: Vec<Kind>,
    /// Tags, case aside.
    pub tags: Vec<String>,
    /// Globs over the relative path.
    pub paths: Vec<GlobMatcher>,
    /// Metadata fields: (name, value).
    pub fields: Vec<(String, String)>,
}

impl Filter {
    /// No condition at all.
    pub fn is_empty(&self) -> bool {
        self.since.is_none()
            && self.until.is_none()
            && self.sources.is_empty()
            && self.authors.is_empty()
            && self.kinds.is_empty()
            && self.tags.is_empty()
            && self.paths.is_empty()
            && self.fields.is_empty()
    }

    /// Whether a document of this source passes.
    pub fn source_passes(&self, source: &str) -> bool {
        any(&self.sources, |wanted| {
            let rest = source.get(..wanted.len()).filter(|head| head.eq_ignore_ascii_case(wanted));
            rest.is_some() && matches!(source.as_bytes().get(wanted.len()), None | Some(b':'))
        })
    }

    /// Whether a document of this author passes.
    pub fn author_passes(&self, author: &str) -> bool {
        let author = plain(author);
        any(&self.authors, |wanted| {
            plain(wanted).split_whitespace().all(|word| author.contains(word))
        })
    }

    /// Whether a document with this tag passes.
    pub fn tag_passes(&self, tag: &str) -> bool {
        any(&self.tags, |wanted| tag.to_lowercase() == wanted.to_lowercase())
    }

    /// Whether a document at this path passes.
    pub fn path_passes(&self, path: &str) -> bool {
        self.paths.iter().any(|glob| glob.is_match(path))
    }
}

fn any(wanted: &[String], passes: impl Fn(&String) -> bool) -> bool {
    wanted.iter().any(passes)
}

fn plain(name: &str) -> String {
    fold(&name.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_match_by_family_or_whole() {
        let filter = Filter { sources: vec!["slack".into()], ..Filter::default() };
        assert!(filter.source_passes("slack") && filter.source_passes("slack:incidents"));
        assert!(!filter.source_passes("slacker") && !filter.source_passes("mbox:slack"));
    }

    #[test]
    fn authors_match_without_accents() {
        let filter = Filter { authors: vec!["dang hong".into()], ..Filter::default() };
        assert!(filter.author_passes("Đặng Thị Hồng"));
        assert!(!filter.author_passes("Đặng Lan"));
    }
}
