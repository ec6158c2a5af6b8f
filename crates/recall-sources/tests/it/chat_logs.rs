//! Chat as lines of text.

use recall_sources::ReadOptions;

use crate::chat_show::talk;
use crate::show::read;

#[test]
fn whatsapp_of_the_united_states() {
    insta::assert_snapshot!(talk("whatsapp-us.txt"), @r#"
    # whatsapp-us.txt#2 chat whatsapp:whatsapp-us "whatsapp-us, 2025-02-03" from=2025-02-03T08:00:00+00:00 to=2025-02-03T08:00:00+00:00 by=Mai Trần @2-5 channel="whatsapp-us"
      ~ "Messages and calls are end-to-end encrypted."
      2025-02-03T08:00:00+00:00 "Mai Trần: oven 3 is too hot\nsecond line\n\n12/31/24: not a header"
    # whatsapp-us.txt#6 chat whatsapp:whatsapp-us "whatsapp-us, 2025-02-03" from=2025-02-03T12:05:00+00:00 to=2025-02-03T12:05:00+00:00 by=Zoë @6-6 channel="whatsapp-us"
      2025-02-03T12:05:00+00:00 "Zoë: set OVEN_FAN_MIN=1400"
      ~ "Zoë changed the group name from \"a: b\" to \"c\""
    # whatsapp-us.txt#8 chat whatsapp:whatsapp-us "whatsapp-us, 2025-02-04" from=2025-02-04T00:07:00+00:00 to=2025-02-04T00:08:00+00:00 by=Jonas|Mai Trần @8-9 channel="whatsapp-us"
      2025-02-04T00:07:00+00:00 "Jonas: https://kiln.example/fan"
      2025-02-04T00:08:00+00:00 "Mai Trần: "
    = whatsapp, 4 messages
    "#);
}

#[test]
fn whatsapp_of_ios() {
    insta::assert_snapshot!(talk("whatsapp-ios.txt"), @r#"
    # whatsapp-ios.txt#2 chat whatsapp:whatsapp-ios "whatsapp-ios, 2025-02-03" from=2025-02-03T08:00:02+00:00 to=2025-02-03T08:00:03+00:00 by=Mai Trần|Zoë @2-3 channel="whatsapp-ios"
      ~ "Messages and calls are end-to-end encrypted."
      2025-02-03T08:00:02+00:00 "Mai Trần: oven 3 is too hot"
      2025-02-03T08:00:03+00:00 "Zoë: <attached: 00000001-PHOTO.jpg>"
    # whatsapp-ios.txt#4 chat whatsapp:whatsapp-ios "whatsapp-ios, 2025-02-25" from=2025-02-25T20:00:04+00:00 to=2025-02-25T20:00:04+00:00 by=+49 170 0000000 @4-5 channel="whatsapp-ios"
      2025-02-25T20:00:04+00:00 "+49 170 0000000: set OVEN_FAN_MIN=1400\nnext line"
    = whatsapp, 3 messages
    "#);
}

#[test]
fn irssi() {
    insta::assert_snapshot!(talk("irc-irssi.log"), @r##"
    # irc-irssi.log#3 chat irc:#ovens "#ovens, 2025-02-03" from=2025-02-03T23:58:00+00:00 to=2025-02-04T00:02:00+00:00 by=mai|zoe|jonas|kilnbot @3-8 channel="#ovens"
      2025-02-03T23:58:00+00:00 "mai: oven 3 is too hot"
      2025-02-03T23:59:00+00:00 "zoe: set OVEN_FAN_MIN=1400"
      ~ "-!- mai changed the topic of #ovens to: hot"
      2025-02-04T00:01:00+00:00 "jonas: * bows"
      2025-02-04T00:02:00+00:00 "kilnbot: 250 °C"
    = irc, 4 messages
    "##);
}

#[test]
fn weechat() {
    insta::assert_snapshot!(talk("irc-weechat.weechatlog"), @r##"
    # irc-weechat.weechatlog#2 chat irc:#ovens "#ovens, 2025-02-03" from=2025-02-03T23:58:10+00:00 to=2025-02-04T00:01:00+00:00 by=mai|zoe|jonas @2-4 channel="#ovens"
      2025-02-03T23:58:10+00:00 "mai: oven 3 is too hot"
      2025-02-03T23:59:00+00:00 "zoe: set OVEN_FAN_MIN=1400\ta tab"
      2025-02-04T00:01:00+00:00 "jonas: * bows"
      ~ "mai has changed topic for #ovens to \"hot\""
    # irc-weechat.weechatlog#7 chat irc:#ovens "#ovens, 2025-02-04" from=2025-02-04T03:00:00+00:00 to=2025-02-04T03:00:00+00:00 by=mai @7-7 channel="#ovens"
      2025-02-04T03:00:00+00:00 "mai: good morning"
    = irc, 4 messages
    "##);
}

#[test]
fn a_day_in_the_name_of_the_file() {
    insta::assert_snapshot!(talk("irc-2025-02-03-#ovens.txt"), @r##"
    # irc-2025-02-03-#ovens.txt#2 chat irc:#ovens "#ovens, 2025-02-03" from=2025-02-03T23:58:00+00:00 to=2025-02-04T00:02:00+00:00 by=mai|zoe|jonas @2-6 channel="#ovens"
      2025-02-03T23:58:00+00:00 "mai: oven 3 is too hot"
      2025-02-03T23:59:00+00:00 "zoe: set OVEN_FAN_MIN=1400"
      2025-02-04T00:01:00+00:00 "jonas: * bows"
      2025-02-04T00:02:00+00:00 "mai: "
      ~ "stray words\n[99:99] <mai> no such time"
    = irc, 4 messages
    "##);
}

/// The first message of a file of these lines: format, author, date, text.
fn first(name: &str, text: &str) -> String {
    let outcome = read(name, text.as_bytes(), &ReadOptions::default());
    let format = outcome.end.expect("it is read").format;
    let message = outcome.documents.first().and_then(|document| {
        let message = document.messages.first()?;
        let date = message.date.map(|date| date.to_string()).unwrap_or_default();
        Some(format!(" {date} {}", &document.text[message.start..message.end]))
    });
    format!("{format}{}", message.unwrap_or_default())
}

#[test]
fn whatsapp_in_many_locales() {
    let check = |line: &str, expected: &str| {
        assert_eq!(first("chat.txt", line), format!("whatsapp {expected} Mai: x"), "{line}");
    };
    check("04/03/2024 à 08:55 - Mai: x", "2024-03-04T08:55:00+00:00");
    check("04.03.24, 08:55 - Mai: x", "2024-03-04T08:55:00+00:00");
    check("2024-03-04, 08:55 - Mai: x", "2024-03-04T08:55:00+00:00");
    check("2024/3/4 下午8:55 - Mai: x", "2024-03-04T20:55:00+00:00");
    check("2024. 3. 4. 오전 8:55 - Mai: x", "2024-03-04T08:55:00+00:00");
    check("04/03/24, 8:55\u{a0}p.\u{a0}m. - Mai: x", "2024-03-04T20:55:00+00:00");
    check("3/4/24, 12:05\u{202f}AM - Mai: x", "2024-03-04T00:05:00+00:00");
    check("[4/3/24, 8:55:12\u{202f}PM] Mai: x", "2024-04-03T20:55:12+00:00");
    check("[04/03/2024, 08:55:12 CH] Mai: x", "2024-03-04T20:55:12+00:00");
    check("25/03/2024 08:55 - Mai: x", "2024-03-25T08:55:00+00:00");
    check("٤\u{200f}/٣\u{200f}/٢٠٢٤، ٨:٥٥ م - Mai: x", "2024-03-04T20:55:00+00:00");
    check("20:55, 04/03/2024 - Mai: x", "2024-03-04T20:55:00+00:00");
    check("[20:55:12, 4/3/24] Mai: x", "2024-03-04T20:55:12+00:00");
    check("8:55 CH, 25/03/2024 - Mai: x", "2024-03-25T20:55:00+00:00");
    check("99/99/2024, 08:55 - Mai: x", "");
}

#[test]
fn the_order_of_day_and_month_is_seen_from_all_lines() {
    let check = |text: &str, expected: &str| {
        assert_eq!(first("chat.txt", text), format!("whatsapp {expected} a: x"), "{text}");
    };
    check("1/2/24, 8:00 - a: x\n1/13/24, 8:00 - a: y", "2024-01-02T08:00:00+00:00");
    check("1/2/24, 8:00 - a: x\n13/2/24, 8:00 - a: y", "2024-02-01T08:00:00+00:00");
    check("3/4/24, 8:00 - a: x\n3/5/24, 8:00 - a: y", "2024-03-04T08:00:00+00:00");
    check("3/4/24, 8:00 - a: x\n4/4/24, 8:00 - a: y", "2024-04-03T08:00:00+00:00");
}

#[test]
fn logs_of_programs_are_no_chat() {
    let check = |text: &str| {
        let format = first("app.log", text);
        assert!(!format.starts_with("irc") && !format.starts_with("whatsapp"), "{text}: {format}");
    };
    check("[2024-03-04 08:55:12] app.ERROR: no disk\n[2024-03-04 08:55:13] app.INFO: fine\n");
    check("2024-03-04 08:55:12 - root - INFO: started\n");
    check("2024-03-04 08:55:12\tINFO\tstarted\n2024-03-04 08:55:13\tWARN\tslow\n");
    check("2024-03-04 08:55:12\talpha\t1\n2024-03-04 08:55:13\tbeta\t2\n");
    check("08:55:12 worker started\n08:55:13 worker stopped\n");
}

#[test]
fn irc_of_other_clients() {
    let check = |name: &str, text: &str, expected: &str| {
        assert_eq!(first(name, text), format!("irc {expected}"), "{text}");
    };
    let hexchat = "**** BEGIN LOGGING AT Mon Feb  3 08:00:00 2025\n\
        Feb 03 08:00:00 *\tzoe has joined\nFeb 03 08:00:01 <mai>\thello\n";
    check("ovens.log", hexchat, "2025-02-03T08:00:01+00:00 mai: hello");
    let znc = "[08:00:00] *** Joins: zoe (z@h)\n[08:00:01] <mai> hello\n";
    check("net/#ovens/2025-02-03.log", znc, "2025-02-03T08:00:01+00:00 mai: hello");
    check("x.log", "[2025-02-03 08:00:01] <mai> hello\n", "2025-02-03T08:00:01+00:00 mai: hello");
    check("x.log", "2025-02-03T08:00:01  <mai> hello\n", "2025-02-03T08:00:01+00:00 mai: hello");
    check("x.log", "[08:00] <mai> no day\n", " mai: no day");
    check("2025/02/03/#ovens.txt", "[08:00] <m> hi\n", "2025-02-03T08:00:00+00:00 m: hi");
}

#[test]
fn talk_is_cut_at_silence_and_after_eighty_messages() {
    let line = |minute: u32| format!("[{:02}:{:02}] <mai> {minute}\n", minute / 60, minute % 60);
    let check = |minutes: Vec<u32>, expected: &[usize]| {
        let text: String = minutes.into_iter().map(line).collect();
        let outcome = read("2025-02-03.log", text.as_bytes(), &ReadOptions::default());
        let counts: Vec<_> = outcome.documents.iter().map(|d| d.messages.len()).collect();
        assert_eq!(counts, expected);
    };
    check((0..80).collect(), &[80]);
    check((0..81).collect(), &[80, 1]);
    check(vec![0, 60, 121], &[2, 1]);
}
