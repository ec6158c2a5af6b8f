//! Slack exports.

use recall_sources::{ReadOptions, ScanOptions, scan};

use crate::chat_damage::zipped;
use crate::chat_show::{fixtures, lines, talk};
use crate::show::{read, read_source, source};

#[test]
fn an_export_gives_threads_across_days_and_talk() {
    insta::assert_snapshot!(talk("slack"), @r#"
    # DM1/1738654000.000100 chat slack:DM1 "Mai, Zoë, 2025-02-04" from=2025-02-04T07:26:40+00:00 to=2025-02-04T07:26:40+00:00 by=Zoë channel="Mai, Zoë"
      1738654000.000100 2025-02-04T07:26:40+00:00 https://riverbakery.slack.com/archives/DM1/p1738654000000100 "Zoë: the spare key hangs behind the flour"
    # mpdm-mai--jonas--zoe-1/1738655000.000100 chat slack:mpdm-mai--jonas--zoe-1 "Mai, Jonas Weiß, Zoë, 2025-02-04" from=2025-02-04T07:43:20+00:00 to=2025-02-04T07:43:20+00:00 by=Jonas Weiß channel="Mai, Jonas Weiß, Zoë"
      1738655000.000100 2025-02-04T07:43:20+00:00 https://riverbakery.slack.com/archives/G4/p1738655000000100 "Jonas Weiß: three of us"
    # ovens/1738566000.000200 chat slack:ovens "Oven 3" from=2025-02-03T07:00:00+00:00 to=2025-02-04T07:20:00+00:00 by=kilnbot|Mai|Jonas Weiß channel="ovens"
      1738566000.000200 2025-02-03T07:00:00+00:00 https://riverbakery.slack.com/archives/C7/p1738566000000200 "kilnbot: Oven 3\nhttps://kiln.example/3\nover temperature: 291 °C\nzone: rear & top"
      1738566060.000300 2025-02-03T07:01:00+00:00 https://riverbakery.slack.com/archives/C7/p1738566060000300?thread_ts=1738566000.000200&cid=C7 "Mai: @Jonas Weiß bạn xem giúp, cc @here #ovens ops@kiln.example"
      1738653000.000500 2025-02-04T07:10:00+00:00 https://riverbakery.slack.com/archives/C7/p1738653000000500?thread_ts=1738566000.000200&cid=C7 "Jonas Weiß: set OVEN_FAN_MIN=1400, ask @Mai:fire:\n- stop the fan\n- fan page (https://kiln.example/fan)"
    # ovens/1738566200.000400 chat slack:ovens "ovens, 2025-02-03" from=2025-02-03T07:03:20+00:00 to=2025-02-03T07:03:20+00:00 by=Zoë|U9 channel="ovens"
      ~ "@Mai set the channel topic: hot"
      1738566200.000400 2025-02-03T07:03:20+00:00 https://riverbakery.slack.com/archives/C7/p1738566200000400 "Zoë: flour arrives at 2 <3 pallets>\n[file: Delivery note (note.pdf)]\n[file: a.txt]\nrye 20 kg"
      broken "U9: who am I"
    # ovens/1738653100.000600 chat slack:ovens "ovens, 2025-02-04" from=2025-02-04T07:11:40+00:00 to=2025-02-04T07:13:20+00:00 by=Mai channel="ovens"
      1738653100.000600 2025-02-04T07:11:40+00:00 https://riverbakery.slack.com/archives/C7/p1738653100000600 "Mai: Deploy done\n*build* 77"
      1738653150.000700 2025-02-04T07:12:30+00:00 https://riverbakery.slack.com/archives/C7/p1738653150000700 "Mai: changed afterwards"
    = slack, 9 messages
    "#);
}

#[test]
fn one_file_of_an_export_is_read_by_itself() {
    let day = std::fs::read(fixtures().join("slack/ovens/2025-02-03.json")).expect("a fixture");
    let outcome = read("part/ovens/2025-02-03.json", &day, &ReadOptions::default());
    insta::assert_snapshot!(lines(&outcome), @r#"
    # ovens/1738566000.000200 chat slack:ovens "Oven 3" from=2025-02-03T07:00:00+00:00 to=2025-02-03T07:01:00+00:00 by=kilnbot|U1 channel="ovens"
      1738566000.000200 2025-02-03T07:00:00+00:00 "kilnbot: Oven 3\nhttps://kiln.example/3\nover temperature: 291 °C\nzone: rear & top"
      1738566060.000300 2025-02-03T07:01:00+00:00 "U1: @U2 bạn xem giúp, cc @here #C7 ops@kiln.example"
    # ovens/1738566200.000400 chat slack:ovens "ovens, 2025-02-03" from=2025-02-03T07:03:20+00:00 to=2025-02-03T07:03:20+00:00 by=Zoë|U9 channel="ovens"
      ~ "@U1 set the channel topic: hot"
      1738566200.000400 2025-02-03T07:03:20+00:00 "Zoë: flour arrives at 2 <3 pallets>\n[file: Delivery note (note.pdf)]\n[file: a.txt]\nrye 20 kg"
      broken "U9: who am I"
    = slack-channel, 4 messages
    "#);
    let object = [b"{\"name\":\"ovens\",\"messages\":", &day[..], b"}"].concat();
    let outcome = read("ovens.json", &object, &ReadOptions::default());
    assert_eq!(outcome.documents.len(), 2);
    assert_eq!(outcome.documents[0].source, "slack:ovens");
}

#[test]
fn a_folder_and_a_zip_give_the_same() {
    let folder = read_source(&source(&fixtures(), "slack"), &ReadOptions::default());
    let bytes = zipped(&fixtures().join("slack"));
    let zip = read("slack", &bytes, &ReadOptions::default());
    assert_eq!(zip.problems, []);
    assert_eq!(zip.documents, folder.documents);
    assert_eq!(zip.end.expect("it is read").format.name(), "slack");
}

#[test]
fn a_scan_gives_an_export_as_one() {
    let sources: Vec<_> = scan(&fixtures(), &ScanOptions::default()).flatten().collect();
    let folders: Vec<_> = sources
        .iter()
        .filter(|source| source.is_folder)
        .map(|source| source.path.as_str())
        .collect();
    assert_eq!(folders, ["slack"]);
    assert!(sources.iter().all(|source| !source.path.starts_with("slack/")));
}

#[test]
fn what_lies_beside_the_messages_is_named() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("its folder");
        std::fs::write(path, text).expect("the file is written");
    };
    write("e/channels.json", "[]");
    write(
        "e/ovens/2025-02-03.json",
        r#"[{"type":"message","text":"hi","ts":"1738562400.000100"}]"#,
    );
    write(
        "e/ovens/2025-02-04.json",
        "[{\"type\":\"message\",\"text\":\"then\",\"ts\":\"1738662400.000100\"},\n{\"ty",
    );
    write("e/ovens/fan.png", "x");
    let outcome = read_source(&source(folder.path(), "e"), &ReadOptions::default());
    insta::assert_snapshot!(lines(&outcome), @r#"
    # ovens/1738562400.000100 chat slack:ovens "ovens, 2025-02-03" from=2025-02-03T06:00:00+00:00 to=2025-02-03T06:00:00+00:00 by= channel="ovens"
      1738562400.000100 2025-02-03T06:00:00+00:00 "hi"
    # ovens/1738662400.000100 chat slack:ovens "ovens, 2025-02-04" from=2025-02-04T09:46:40+00:00 to=2025-02-04T09:46:40+00:00 by= channel="ovens"
      1738662400.000100 2025-02-04T09:46:40+00:00 "then"
    ! e: cut: 1 files beside the messages are not read, such as ovens/fan.png
    ! e/ovens/2025-02-04.json:2: malformed: incomplete document at column 5
    = slack, 2 messages
    "#);
}
