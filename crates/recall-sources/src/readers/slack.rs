//! Slack exports: a zip or a folder with a folder a channel and a file a day; or one such file.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use crate::archive::Archive;
use crate::date;
use crate::document::Kind;
use crate::format::Head;
use crate::input::Input;
use crate::problem::Reason;
use crate::readers::channel::Channel;
use crate::readers::conversation::Saying;
use crate::readers::keys::Keys;
use crate::readers::slack_text::{self, Names};
use crate::readers::threads::{Ends, Threads};
use crate::readers::{json, pointer, zip};
use crate::reading::{Context, Halt, Outcome, Sink};

/// The lists at the top of an export; some may be missing.
pub(crate) const LISTS: &[&str] =
    &["channels.json", "groups.json", "dms.json", "mpims.json", "users.json"];

/// What Slack writes into a channel when nobody spoke.
const EVENTS: &str = "\
    channel_join channel_leave channel_archive channel_unarchive group_join group_leave \
    group_archive group_unarchive bot_add bot_remove bot_enable bot_disable pinned_item \
    unpinned_item channel_convert_to_private channel_convert_to_public channel_posting_permissions \
    reminder_add sh_room_created mpdm_move joiner_notification joiner_notification_for_inviter \
    app_conversation_join app_conversation_leave tombstone";
/// The same, but with something to say.
const NEWS: &str = "\
    channel_topic channel_purpose channel_name channel_canvas_updated group_topic group_purpose \
    group_name";

/// `"ts": "1709542512.000000"`
static STAMP: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#""ts"\s*:\s*"\d{9,11}\.\d{6}""#).expect("a test reads a file with it")
});

pub(crate) fn is_slack(names: &[String]) -> bool {
    root(names).is_some_and(|root| names.iter().any(|name| day_file(name, root).is_some()))
}

/// One file of an export, or the file of a tool that writes a channel into one.
pub(crate) fn is_slack_channel(head: &Head<'_>) -> bool {
    if !head.has_extension(&["json"]) || !STAMP.is_match(head.text) {
        return false;
    }
    let keys = Keys::of(head.text);
    let messages = if keys.is_array { keys } else { keys.inside("messages") };
    messages.is_array && messages.has_all(&["type", "text", "ts"])
}

/// What stands before the lists in their names: nothing, or the one folder that all is in.
fn root(names: &[String]) -> Option<&str> {
    let before = |name: &'_ String| {
        let list = LISTS.iter().find(|list| name.ends_with(*list))?;
        let folder = &name[..name.len() - list.len()];
        let is_root = folder.is_empty() || folder.find('/') == Some(folder.len() - 1);
        is_root.then_some(folder.len())
    };
    names.iter().find_map(|name| before(name).map(|length| &name[..length]))
}

/// The channel and the day of a file of messages.
fn day_file<'a>(name: &'a str, root: &str) -> Option<(&'a str, &'a str)> {
    let (channel, file) = name.strip_prefix(root)?.split_once('/')?;
    let day = file.strip_suffix(".json")?;
    is_day(day).then_some((channel, day))
}

/// `2024-03-04`
fn is_day(text: &str) -> bool {
    text.len() == 10 && text.parse::<jiff::civil::Date>().is_ok()
}

/// Reads an export of many files, channel by channel.
pub(crate) fn read(input: &Input, context: &Context<'_>, sink: &mut Sink<'_>) -> Outcome {
    let limit = context.options.max_bytes;
    let archive = Archive::open(input, limit).map_err(|error| context.failed(&error))?;
    zip::report_refused(&archive, context, sink)?;
    report_others(archive.names(), context, sink)?;
    let root = root(archive.names()).unwrap_or_default();
    let mut channels: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for name in archive.names() {
        if let Some((channel, _)) = day_file(name, root) {
            channels.entry(channel).or_default().push(name);
        }
    }
    let mut export = Export::default();
    for list in LISTS {
        export.read_list(&archive, &format!("{root}{list}"), context, sink)?;
    }
    export.survey(&archive, &channels, context)?;
    for (channel, files) in channels {
        export.read_channel(&archive, channel, &files, context, sink)?;
    }
    Ok(())
}

/// Names what lies beside the messages: downloaded files. Lists are no loss.
fn report_others(names: &[String], context: &Context<'_>, sink: &mut Sink<'_>) -> Outcome {
    let mut others = names.iter().filter(|name| !name.ends_with(".json"));
    let Some(first) = others.next() else { return Ok(()) };
    let count = others.count() + 1;
    let what = format!("{count} files beside the messages are not read, such as {first}");
    sink.problem(context.problem(None, Reason::Cut(what)))
}

/// Reads one file of messages.
pub(crate) fn read_channel(input: &Input, context: &Context<'_>, sink: &mut Sink<'_>) -> Outcome {
    let folder = context.name.rsplit('/').nth(1);
    let channel = match folder {
        Some(folder) if is_day(context.stem()) => folder,
        _ => context.stem(),
    };
    let path: &[&str] = if Keys::of(&input.head_text()).is_array { &[] } else { &["messages"] };
    let mut export = Export::default();
    // What is wrong with the file is said when it is read again.
    let _ = json::elements(input, context, path, |element| {
        export.look_at(channel, &element.value);
        Ok(())
    });
    export.number = 0;
    let Export { names, ends, domain, mut number, .. } = export;
    let about = About { name: channel.to_owned(), ..About::default() };
    let mut talk = Talk::new(channel, &about, &names, &domain, &ends, context);
    let outcome = json::elements(input, context, path, |element: json::Element<Value>| {
        number += 1;
        talk.message(&element.value, number, sink)
    });
    talk.threads.finish(sink)?;
    outcome
}

/// What the lists say of a channel.
#[derive(Debug, Default)]
struct About {
    id: String,
    name: String,
}

/// What must be known before the first message is read.
#[derive(Default)]
struct Export {
    names: Names,
    /// By the name of the folder.
    channels: BTreeMap<String, About>,
    ends: Ends,
    /// `TEAM.slack.com`, if a link in the export says so.
    domain: String,
    /// How many messages were passed.
    number: u64,
}

impl Export {
    fn read_list(
        &mut self,
        archive: &Archive<'_>,
        name: &str,
        context: &Context<'_>,
        sink: &mut Sink<'_>,
    ) -> Outcome {
        let each = |element: &Value| match name.ends_with("users.json") {
            true => self.names.add_user(element),
            false => self.add_channel(element),
        };
        match each_element(archive, name, context, each) {
            Err(Halt::Failed(problem)) if archive.names().iter().any(|known| known == name) => {
                sink.problem(problem)
            }
            Err(Halt::Failed(_)) => Ok(()),
            outcome => outcome,
        }
    }

    fn add_channel(&mut self, value: &Value) {
        let (id, name) = (pointer::text(value, &["/id"]), pointer::text(value, &["/name"]));
        let is_direct = name.is_empty() || name.starts_with("mpdm-");
        let members = pointer::list(value, "/members").iter().filter_map(Value::as_str);
        let folder = if name.is_empty() { &id } else { &name }.clone();
        let name = match is_direct {
            // The lists of people come last: names are looked up when they are needed.
            true => members.collect::<Vec<_>>().join(" "),
            false => name,
        };
        self.names.channels.insert(id.clone(), name.clone());
        self.channels.insert(folder, About { id, name });
    }

    /// Notes where threads end, and names and links that only messages hold.
    fn survey(
        &mut self,
        archive: &Archive<'_>,
        channels: &BTreeMap<&str, Vec<&str>>,
        context: &Context<'_>,
    ) -> Outcome {
        for (channel, files) in channels {
            for file in files {
                let looked = each_element(archive, file, context, |message| {
                    self.look_at(channel, message);
                });
                if let Err(Halt::Stopped) = looked {
                    return looked;
                }
            }
        }
        self.number = 0;
        Ok(())
    }

    fn look_at(&mut self, channel: &str, message: &Value) {
        self.number += 1;
        let (ts, thread) = (pointer::str(message, "/ts"), pointer::str(message, "/thread_ts"));
        match thread.is_empty() || thread == ts {
            true => self.ends.pass(channel, ts, self.number),
            false => self.ends.note(channel, thread, self.number),
        }
        self.names.learn(message);
        if self.domain.is_empty() {
            self.domain = slack_text::domain(message).unwrap_or_default();
        }
    }

    fn read_channel(
        &mut self,
        archive: &Archive<'_>,
        folder: &str,
        files: &[&str],
        context: &Context<'_>,
        sink: &mut Sink<'_>,
    ) -> Outcome {
        let mut about = About { name: folder.to_owned(), ..About::default() };
        if let Some(known) = self.channels.get(folder) {
            about = About { id: known.id.clone(), name: self.names.of_members(&known.name) };
        }
        let mut talk = Talk::new(folder, &about, &self.names, &self.domain, &self.ends, context);
        let number = &mut self.number;
        for file in files {
            let mut stopped = Ok(());
            let outcome = each_element(archive, file, context, |message| {
                *number += 1;
                if stopped.is_ok() {
                    stopped = talk.message(message, *number, sink);
                }
            });
            stopped?;
            match outcome {
                Err(Halt::Failed(problem)) => sink.problem(problem)?,
                outcome => outcome?,
            }
        }
        talk.threads.finish(sink)
    }
}

/// Passes over the elements of the array in the file `name`.
fn each_element(
    archive: &Archive<'_>,
    name: &str,
    context: &Context<'_>,
    mut each: impl FnMut(&Value),
) -> Outcome {
    let full = format!("{}/{name}", context.name);
    let context = Context { name: &full, ..context.clone() };
    let file = archive.file(name).map_err(|error| context.failed(&error))?;
    json::elements(&file, &context, &[], |element| {
        each(&element.value);
        Ok(())
    })
}

/// One channel while it is read.
struct Talk<'a> {
    threads: Threads<'a>,
    names: &'a Names,
    /// Links are this and the message's time; empty if the export does not name the team.
    links: String,
    channel_id: String,
}

impl<'a> Talk<'a> {
    fn new(
        folder: &str,
        about: &About,
        names: &'a Names,
        domain: &str,
        ends: &'a Ends,
        context: &Context<'_>,
    ) -> Self {
        let mut template = context.document("", Kind::Chat, String::new());
        template.source = format!("slack:{folder}");
        template.metadata.insert("channel".to_owned(), about.name.clone());
        let channel = Channel { name: about.name.clone(), prefix: format!("{folder}/"), template };
        let links = match domain.is_empty() || about.id.is_empty() {
            true => String::new(),
            false => format!("https://{domain}/archives/{}/p", about.id),
        };
        let channel_id = about.id.clone();
        Self { threads: Threads::new(ends, folder, channel), names, links, channel_id }
    }

    fn message(&mut self, message: &Value, number: u64, sink: &mut Sink<'_>) -> Outcome {
        let subtype = pointer::str(message, "/subtype");
        let is = |list: &str| !subtype.is_empty() && list.split(' ').any(|one| one == subtype);
        if is(EVENTS) || !message.is_object() {
            return Ok(());
        }
        if is(NEWS) {
            let text = slack_text::decode(pointer::str(message, "/text"), self.names);
            self.threads.note(&text);
            return Ok(());
        }
        // Compliance exports keep what was there before a change.
        let inner = match subtype {
            "message_changed" => message.get("message"),
            "message_deleted" => message.get("previous_message").or(message.get("original")),
            _ => None,
        };
        let message = inner.unwrap_or(message);
        let ts = pointer::text(message, &["/ts"]);
        let thread = pointer::text(message, &["/thread_ts", "/ts"]);
        let saying = self.saying(message, &ts, &thread);
        self.threads.say(&thread, number, saying, sink)
    }

    fn saying(&self, message: &Value, ts: &str, thread: &str) -> Saying {
        Saying {
            author: self.names.author(message),
            date: pointer::date(message, &["/ts"]),
            edited: pointer::date(message, &["/edited/ts"]),
            text: slack_text::of_message(message, self.names),
            url: self.link(message, ts, thread),
            id: ts.to_owned(),
            ..Saying::default()
        }
    }

    fn link(&self, message: &Value, ts: &str, thread: &str) -> String {
        let own = pointer::str(message, "/permalink");
        if !own.is_empty() || self.links.is_empty() || date::parse(ts).is_none() {
            return own.to_owned();
        }
        let link = format!("{}{}", self.links, ts.replace('.', ""));
        match thread == ts {
            true => link,
            false => format!("{link}?thread_ts={thread}&cid={}", self.channel_id),
        }
    }
}
