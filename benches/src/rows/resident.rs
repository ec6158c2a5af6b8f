//! A hybrid question from the shell while the resident process holds the model.

use crate::asking::Asking;
use crate::figures::{Measured, number};
use crate::outcome::Outcome;
use crate::program::Program;
use crate::stage::Stage;
use crate::statistics::{median, percentile};

/// Start to exit of `recall query` against the time of the same in a warm process.
pub(super) fn from_the_shell(stage: &Stage) -> Outcome<Measured> {
    if !stage.program()?.knows("serve") {
        return Err("this program has no `recall serve`".into());
    }
    let index = &stage.embedded()?.folder;
    let runtime = stage.folder("runtime");
    std::fs::create_dir_all(&runtime)?;
    let program = stage.program()?;
    let resident = |arguments: &[&str]| {
        let mut command = program.command(index, arguments);
        command.env_remove("RECALL_RESIDENT").env("XDG_RUNTIME_DIR", &runtime);
        command
    };
    let asking = Asking::open(index)?;
    let questions = stage.questions()?;
    let measured = (|| -> Outcome<(f64, f64)> {
        let (mut shell, mut warm) = (Vec::new(), Vec::new());
        for round in 0..=stage.size.rounds {
            stage.say(format!("asking the resident process, round {round}"));
            let (mut through, mut inside) = (Vec::new(), Vec::new());
            for question in &questions {
                let mut command = resident(&["query", "--"]);
                through.push(Program::time(command.arg(question))?.as_secs_f64() * 1e3);
                inside.push(asking.ask(question)?.whole);
            }
            // The first round starts it and warms everything up.
            if round > 0 {
                shell.push(percentile(&through, 0.5));
                warm.push(percentile(&inside, 0.5));
            }
        }
        Ok((median(&shell), median(&warm)))
    })();
    let stopped = Program::time(&mut resident(&["serve", "--stop"]));
    let (shell, warm) = measured?;
    stopped?;
    let alone = alone(stage, &questions[0])?;
    let mut out = Measured { met: Some(shell <= warm + 15.0), ..Measured::default() };
    out.reached = format!("warm + {} ms", number(shell - warm));
    out.add("from the shell", shell, "ms");
    out.add("in a warm process", warm, "ms");
    out.add("from the shell without a resident process", alone, "ms");
    Ok(out)
}

fn alone(stage: &Stage, question: &str) -> Outcome<f64> {
    let index = &stage.embedded()?.folder;
    let mut took = Vec::new();
    for _ in 0..stage.size.rounds {
        let mut command = stage.program()?.command(index, &["query", "--", question]);
        took.push(Program::time(&mut command)?.as_secs_f64() * 1e3);
    }
    Ok(median(&took))
}
