//! Exports of team chat and messengers in JSON.

use recall_sources::ReadOptions;

use crate::chat_show::{lines, talk};
use crate::show::read;

#[test]
fn discord_channels() {
    insta::assert_snapshot!(talk("discord.json"), @r#"
    # ovens/100 chat discord:ovens "ovens, 2025-02-03" from=2025-02-03T08:00:00+01:00 to=2025-02-03T08:30:00+01:00 by=kilnbot|Mai Trần @14-66 category="plant" channel="ovens" server="River Bakery"
      100 2025-02-03T08:00:00+01:00 https://discord.com/channels/11/22/100 "kilnbot: Oven 3\nover temperature: 291 °C\nzone: rear\nkilnbot"
      101 2025-02-03T08:01:00+01:00 https://discord.com/channels/11/22/101 "Mai Trần: set OVEN_FAN_MIN=1400\n[file: fan.png]"
    # ovens/103 chat discord:ovens "ovens, 2025-02-03" from=2025-02-03T10:00:00+01:00 to=2025-02-03T10:00:00+01:00 by=Mai Trần|7 @83-117 category="plant" channel="ovens" server="River Bakery"
      103 2025-02-03T10:00:00+01:00 https://discord.com/channels/11/22/103 "Mai Trần: [sticker: bread]"
      104 https://discord.com/channels/11/22/104 "7: no time"
    = discord, 4 messages
    "#);
}

#[test]
fn a_discord_thread_is_one_document() {
    insta::assert_snapshot!(talk("discord-thread.json"), @r#"
    # fan noise/1 chat discord:fan noise "it hums" from=2025-02-03T08:00:00+00:00 to=2025-02-05T08:00:00+00:00 by=Mai Trần @12-43 channel="fan noise" server="Direct Messages"
      1 2025-02-03T08:00:00+00:00 https://discord.com/channels/@me/33/1 "Mai Trần: it hums"
      2 2025-02-05T08:00:00+00:00 https://discord.com/channels/@me/33/2 "Mai Trần: still hums"
    = discord, 2 messages
    "#);
}

#[test]
fn mattermost_exports() {
    insta::assert_snapshot!(talk("mattermost.jsonl"), @r#"
    # mattermost.jsonl#6 chat mattermost:ovens "oven 3 is too hot" from=2025-02-03T07:00:00+00:00 to=2025-02-04T09:06:40+00:00 by=Mai Trần|Zoë|gone @6-6 channel="Ovens & kilns" team="bakery"
      2025-02-03T07:00:00+00:00 "Mai Trần: oven 3 is too hot\n[file: fan.png]"
      2025-02-03T07:01:00+00:00 "Zoë: set OVEN_FAN_MIN=1400"
      2025-02-04T06:20:00+00:00 "gone: ok"
    # mattermost.jsonl#8 chat mattermost:ovens "Ovens & kilns, 2025-02-03" from=2025-02-03T07:00:02+00:00 to=2025-02-03T07:00:02+00:00 by=kilnbot @8-8 channel="Ovens & kilns" team="bakery"
      2025-02-03T07:00:02+00:00 "kilnbot: Oven 3\n291 °C\nzone: 4"
    # mattermost.jsonl#9 chat mattermost:mai,zoe "Mai Trần, Zoë, 2025-02-03" from=2025-02-03T07:00:03+00:00 to=2025-02-03T07:00:03+00:00 by=Zoë @9-9 channel="Mai Trần, Zoë"
      2025-02-03T07:00:03+00:00 "Zoë: the spare key hangs behind the flour"
    ! mattermost.jsonl:10: malformed: expected ident at column 2
    ! mattermost.jsonl:11: malformed: not an object
    ! mattermost.jsonl:12: cut: the line ends in the middle
    = mattermost, 5 messages
    "#);
}

#[test]
fn teams_messages_newest_first() {
    insta::assert_snapshot!(talk("teams.json"), @r#"
    # 1738566000000 chat teams:teams "Oven 3" from=2025-02-03T07:00:00+00:00 to=2025-02-03T07:05:00+00:00 by=Mai Trần|Zoë|Jonas Weiß channel="teams"
      1738566000000 2025-02-03T07:00:00+00:00 https://teams.example/l/1738566000000 "Mai Trần: Oven 3\noven 3 is too hot"
      1738566050000 2025-02-03T07:00:50+00:00 https://teams.example/l/1738566050000 "Zoë: (deleted)"
      1738566100000 2025-02-03T07:01:40+00:00 https://teams.example/l/1738566100000 "Jonas Weiß: set OVEN_FAN_MIN=1400\nand\u{a0}wait\n[file: fan.pdf]\nCard: 291 °C\nzone: rear"
    # 1738566200000 chat teams:teams "teams, 2025-02-03" from=2025-02-03T07:03:20+00:00 to=2025-02-03T07:03:20+00:00 by=Mai Trần channel="teams"
      1738566200000 2025-02-03T07:03:20+00:00 https://teams.example/l/1738566200000 "Mai Trần: newest first & last"
    = teams, 4 messages
    "#);
}

#[test]
fn teams_of_one_account() {
    insta::assert_snapshot!(talk("teams-own.json"), @r#"
    # Zoë/17 chat teams:Zoë "Zoë, 2025-02-03" from=2025-02-03T07:00:00+00:00 to=2025-02-03T07:01:00+00:00 by=Zoë|live:mai @15-30 channel="Zoë"
      16 2025-02-03T07:00:00+00:00 "Zoë: too hot"
      17 2025-02-03T07:01:00+00:00 "live:mai: set OVEN_FAN_MIN=1400"
    = teams, 2 messages
    "#);
}

#[test]
fn a_telegram_chat() {
    insta::assert_snapshot!(talk("telegram.json"), @r#"
    # 4100/3 chat telegram:Lò nướng "Lò nướng, 2025-02-03" from=2025-02-03T14:00:00+07:00 to=2025-02-03T14:10:00+07:00 by=Mai Trần|user77 @32-77 channel="Lò nướng"
      ~ "* Mai Trần: Lò nướng"
      3 2025-02-03T14:00:00+07:00 "Mai Trần: set OVEN_FAN_MIN=1400, see here (https://kiln.example/fan)"
      4 2025-02-03T14:01:00+07:00 "Mai Trần: (forwarded from Zoë) \n[photo]"
      5 2025-02-03T14:02:00+07:00 "user77: gone"
    # 4100/6 chat telegram:Lò nướng "Lò nướng, 2025-02-03" from=2025-02-03T16:00:00+07:00 to=2025-02-03T16:00:00+07:00 by=Mai Trần @78-115 channel="Lò nướng"
      6 2025-02-03T16:00:00+07:00 "Mai Trần: [application/pdf: oven.pdf]"
      7 "Mai Trần: Rye?\n- yes"
    ! telegram.json:116: malformed: a message of type `unsupported`
    = telegram, 5 messages
    "#);
}

#[test]
fn telegram_places_buttons_and_entities() {
    let export = r#"{"name": "Ovens", "type": "bot_chat", "id": 5, "messages": [
        {"id": 1, "type": "message", "from": "Mai", "from_id": "user1", "text": "",
         "text_entities": [{"type": "plain", "text": "only "}, {"type": "bold", "text": "entities"}]},
        {"id": 2, "type": "message", "from": "Mai", "text": "", "place_name": "Bakery", "address": "1 Rye St",
         "location_information": {"latitude": 10.5, "longitude": 106.7}},
        {"id": 3, "type": "message", "from": "Bot", "text": "done?",
         "inline_bot_buttons": [[{"type": "callback", "text": "Yes", "data": "y"}], [{"type": "url", "text": "How", "data": "https://kiln.example/how"}]]}
    ]}"#;
    insta::assert_snapshot!(lines(&read("result.json", export.as_bytes(), &ReadOptions::default())), @r#"
    # 5/1 chat telegram:Ovens "Ovens" by=Mai|Bot @2-7 channel="Ovens"
      1 "Mai: only entities"
      2 "Mai: Bakery\n1 Rye St\n[location: 10.5, 106.7]"
      3 "Bot: done?\n[Yes]\n[How] (https://kiln.example/how)"
    = telegram, 3 messages
    "#);
}

#[test]
fn all_chats_of_telegram() {
    insta::assert_snapshot!(talk("telegram-all.json"), @r#"
    # 4100/3 chat telegram:Lò nướng "Lò nướng, 2025-02-03" from=2025-02-03T14:00:00+07:00 to=2025-02-03T14:10:00+07:00 by=Mai Trần @21-56 channel="Lò nướng"
      3 2025-02-03T14:00:00+07:00 "Mai Trần: set OVEN_FAN_MIN=1400, see here (https://kiln.example/fan)"
      4 2025-02-03T14:01:00+07:00 "Mai Trần: (forwarded from Zoë) \n[photo]"
    # 9/1 chat telegram:saved messages "saved messages, 2025-02-03" from=2025-02-03T14:00:00+07:00 to=2025-02-03T14:00:00+07:00 by=Mai Trần @63-72 channel="saved messages"
      1 2025-02-03T14:00:00+07:00 "Mai Trần: remember OVEN_FAN_MIN=1400"
    # 13/5 chat telegram:Old ovens "Old ovens, 2025-02-03" from=2025-02-03T14:00:00+07:00 to=2025-02-03T14:00:00+07:00 by=Mai Trần @90-99 channel="Old ovens"
      5 2025-02-03T14:00:00+07:00 "Mai Trần: sold"
    = telegram, 4 messages
    "#);
}

#[test]
fn messenger_with_each_byte_as_a_character() {
    insta::assert_snapshot!(talk("messenger.json"), @r#"
    # messenger.json#11 chat messenger:Lò nướng "Lò nướng, 2025-02-03" from=2025-02-03T10:53:20+00:00 to=2025-02-03T10:53:20+00:00 by=Mai Trần @11-16 channel="Lò nướng"
      2025-02-03T10:53:20+00:00 "Mai Trần: đã xong 👍"
    # messenger.json#17 chat messenger:Lò nướng "Lò nướng, 2025-02-03" from=2025-02-03T06:59:50+00:00 to=2025-02-03T07:01:00+00:00 by=Mai Trần|Zoë Lind @17-38 channel="Lò nướng"
      2025-02-03T06:59:50+00:00 "Mai Trần: (deleted)"
      2025-02-03T07:00:00+00:00 "Mai Trần: đặt OVEN_FAN_MIN=1400"
      2025-02-03T07:01:00+00:00 "Zoë Lind: https://kiln.example/fan\n[photos: 1.jpg]"
    ! messenger.json:39: malformed: a message that is no object
    = messenger, 4 messages
    "#);
}

#[test]
fn messenger_as_it_is_now() {
    insta::assert_snapshot!(talk("messenger-new.json"), @r#"
    # messenger-new.json#8 chat messenger:Zoë_1 "Zoë_1, 2025-02-03" from=2025-02-03T07:00:00+00:00 to=2025-02-03T07:00:00+00:00 by=Zoë @8-20 channel="Zoë_1"
      2025-02-03T07:00:00+00:00 "Zoë: set OVEN_FAN_MIN=1400\n[media: a.jpg]"
    = messenger, 1 messages
    "#);
}
