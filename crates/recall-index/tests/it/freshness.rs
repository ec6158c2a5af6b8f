//! Whether files still say what was indexed.

use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use recall_index::{Freshness, FreshnessCheck};

use crate::corpus::Corpus;

#[test]
fn by_time_and_by_content() {
    let names = ["same.md", "touched.md", "changed.md", "back-dated.md", "gone.md", "sub/deep.md"];
    let files: Vec<(&str, &str)> = names.iter().map(|name| (*name, "lamp")).collect();
    let corpus = Corpus::new(&files);
    let snapshot = corpus.snapshot();
    let catalogue = snapshot.catalogue().unwrap();
    let set_time = |name: &str, time: SystemTime| {
        File::options()
            .write(true)
            .open(corpus.root().join(name))
            .unwrap()
            .set_modified(time)
            .unwrap();
    };
    let (now, hour) = (SystemTime::now(), Duration::from_secs(3600));
    set_time("touched.md", now + hour);
    corpus.write("changed.md", "fan");
    set_time("changed.md", now + hour);
    corpus.write("back-dated.md", "fan");
    set_time("back-dated.md", now - hour);
    fs::remove_file(corpus.root().join("gone.md")).unwrap();
    corpus.write("new.md", "disk");
    set_time("new.md", now + hour);
    let check = |name: &str, by_time: Freshness, by_content: Freshness| {
        let file = corpus.root().join(name);
        let time = snapshot.freshness(&file, FreshnessCheck::ModificationTime);
        let content = snapshot.freshness(&file, FreshnessCheck::Content(&catalogue));
        assert_eq!((time, content), (by_time, by_content), "{name}");
    };
    use Freshness::{Changed, Current, Gone};
    check("same.md", Current, Current);
    check("sub/deep.md", Current, Current);
    check("touched.md", Changed, Current);
    check("changed.md", Changed, Changed);
    check("back-dated.md", Current, Changed);
    check("gone.md", Gone, Gone);
    // The catalogue does not know it, so its time decides.
    check("new.md", Changed, Changed);
}

#[cfg(unix)]
#[test]
fn what_cannot_be_read_says_why() {
    let corpus = Corpus::new(&[("a.md", "lamp")]);
    let snapshot = corpus.snapshot();
    let catalogue = snapshot.catalogue().unwrap();
    let file = corpus.root().join("a.md");
    fs::remove_file(&file).unwrap();
    // A link to itself cannot be opened, whoever asks.
    std::os::unix::fs::symlink(&file, &file).unwrap();
    for check in [FreshnessCheck::ModificationTime, FreshnessCheck::Content(&catalogue)] {
        let got = snapshot.freshness(&file, check);
        assert!(matches!(&got, Freshness::Unreadable(why) if !why.is_empty()), "{got:?}");
    }
}
