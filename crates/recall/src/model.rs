//! `recall model`, and fetching the model for the commands that need one.

use recall_embed::{
    EmbedError, Home, Installed, ModelCatalogue, ModelSpec, State, installed, pull, verify,
};

use crate::bars::Bars;
use crate::failure::Failure;
use crate::flags::{Flags, ModelCommand, ModelFlags};
use crate::print::out;

/// Runs `recall model`.
pub(crate) fn run(flags: &Flags, options: &ModelFlags) -> Result<u8, Failure> {
    let home = Home::from_env();
    let catalogue = ModelCatalogue::of(&home)?;
    match &options.command {
        ModelCommand::List { json } => list(&home, &catalogue, *json),
        ModelCommand::Pull { id } => {
            let installed = fetch(&home, find(&catalogue, id.as_deref())?, flags.offline)?;
            out(&format!("{}\n", installed.dir.display()))?;
            Ok(0)
        }
        ModelCommand::Verify { id } => check(&home, find(&catalogue, id.as_deref())?),
        ModelCommand::Path { id } => {
            let installed = installed(&home, find(&catalogue, id.as_deref())?)?;
            out(&format!("{}\n", installed.dir.display()))?;
            Ok(0)
        }
    }
}

/// Finds the model with this id, or the default model.
pub(crate) fn find<'a>(
    catalogue: &'a ModelCatalogue,
    id: Option<&str>,
) -> Result<&'a ModelSpec, EmbedError> {
    catalogue.find(id.unwrap_or(recall_embed::DEFAULT_MODEL))
}

/// Returns the installed model; fetches it first if it is missing and the network may be used.
pub(crate) fn fetch(
    home: &Home,
    model: &ModelSpec,
    offline: bool,
) -> Result<Installed, EmbedError> {
    let bars = Bars::new();
    let result = pull(home, model, offline, &|progress| bars.fetch(progress));
    bars.clear();
    result
}

fn list(home: &Home, catalogue: &ModelCatalogue, json: bool) -> Result<u8, Failure> {
    let state = |model: &ModelSpec| match installed(home, model) {
        Ok(_) => "installed",
        Err(EmbedError::NotInstalled { .. }) => "not installed",
        Err(_) => "damaged",
    };
    let mut text = String::new();
    if json {
        let rows: Vec<_> = catalogue
            .models()
            .map(|m| {
                serde_json::json!({
                    "id": m.id, "dims": m.dims, "max_tokens": m.max_tokens,
                    "languages": m.languages, "licence": m.licence, "state": state(m),
                    "default": m.id == recall_embed::DEFAULT_MODEL,
                })
            })
            .collect();
        text = format!("{}\n", serde_json::Value::from(rows));
    } else {
        for model in catalogue.models() {
            let default = if model.id == recall_embed::DEFAULT_MODEL { "  (default)" } else { "" };
            text.push_str(&format!(
                "{:<24} {:<14} {} dimensions, {} tokens, {}, {}{default}\n",
                model.id,
                state(model),
                model.dims,
                model.max_tokens,
                model.languages.join(" "),
                model.licence,
            ));
        }
    }
    out(&text)?;
    Ok(0)
}

fn state(state: &State) -> String {
    match state {
        State::Good => "good".to_owned(),
        State::Own => "supplied by the user, not compared".to_owned(),
        State::Missing => "missing".to_owned(),
        State::Damaged(damage) => format!("damaged: {damage}"),
    }
}

fn check(home: &Home, model: &ModelSpec) -> Result<u8, Failure> {
    let states = verify(home, model)?;
    let mut sound = true;
    for file in &states {
        sound &= matches!(file.state, State::Good | State::Own);
        out(&format!("{}: {}\n", file.path.display(), state(&file.state)))?;
    }
    if sound {
        return Ok(0);
    }
    Err(Failure::usage_hint(
        format!("{} differs from what was installed", model.id),
        format!("fetch it again with: recall model pull {}", model.id),
    ))
}
