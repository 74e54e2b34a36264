//! `run`, for a bot's own process, and `play`, for a program that has an event loop already.

use std::io::{self, Write};
use std::process::{self, ExitCode};

use tokio::runtime::Builder;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

use crate::bot::Bot;
use crate::client::{Client, Signal};
use crate::error::Error;
use crate::settings::Settings;

/// Plays with the bots that `make` makes, one for each seat in each game, until the referee says goodbye.
///
/// `settings` are a name, or [`Settings`]. Nothing is written to standard output. On SIGINT and SIGTERM it says
/// goodbye and leaves, even while a bot is thinking; a second one ends the process at once.
///
/// The exit code is 0 after a goodbye of the referee, 1 when no referee answered or the stream cannot be mended, 2 when
/// the referee refused or a setting is wrong (each with a sentence on standard error), and 128 plus the signal's number
/// after a signal.
pub fn run<B, F>(settings: impl Into<Settings>, make: F) -> ExitCode
where
    B: Bot + 'static,
    F: Fn() -> B + Send + Sync + 'static,
{
    let settings = settings.into();
    let name = settings.name.clone();
    match until_signal(settings, make) {
        Ok(None) => ExitCode::SUCCESS,
        Ok(Some(signal)) => ExitCode::from(128 + signal.number),
        Err(error) => {
            let _ = writeln!(io::stderr(), "{name}: {error}");
            ExitCode::from(error.exit_code())
        }
    }
}

/// Plays as [`run`] does, on a Tokio runtime that is running already; leaves signals alone.
///
/// # Errors
///
/// What [`run`] would end the process with.
pub async fn play<B, F>(settings: impl Into<Settings>, make: F) -> Result<(), Error>
where
    B: Bot + 'static,
    F: Fn() -> B + Send + Sync + 'static,
{
    let (_never, stop) = watch::channel(None);
    Client::new(settings.into(), make)?.run(stop).await
}

fn until_signal<B, F>(settings: Settings, make: F) -> Result<Option<Signal>, Error>
where
    B: Bot + 'static,
    F: Fn() -> B + Send + Sync + 'static,
{
    let wrong = |error: io::Error| Error::Setup(format!("cannot start an event loop: {error}"));
    // One thread does for the stream; the bots have their own.
    let runtime = Builder::new_current_thread().enable_all().build().map_err(wrong)?;
    let result = runtime.block_on(async {
        let (caught, stop) = watch::channel(None);
        let mut interrupt = signal(SignalKind::interrupt()).map_err(wrong)?;
        let mut terminate = signal(SignalKind::terminate()).map_err(wrong)?;
        let mut next = async move || {
            tokio::select! {
                _ = interrupt.recv() => Signal { name: "SIGINT", number: 2 },
                _ = terminate.recv() => Signal { name: "SIGTERM", number: 15 },
            }
        };
        tokio::spawn(async move {
            caught.send_replace(Some(next().await));
            process::exit(128 + i32::from(next().await.number));
        });
        Client::new(settings, make)?.run(stop.clone()).await?;
        let signal = *stop.borrow();
        Ok(signal)
    });
    // A name that is still being looked up is not waited for.
    runtime.shutdown_background();
    result
}
