//! The bot's side of the stream: dial, say hello, pass on what the referee says, and dial again when the stream breaks.
//!
//! The stream is read and written here and never waits for a bot: those think on threads of their own, the tables. The
//! end of a stream is never the end of a game: only the referee's goodbye or refusal, or a signal, ends a client.

use std::error::{self, Error as _};
use std::hash::{BuildHasher, DefaultHasher, Hash, Hasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc as jobs;
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, watch};
use tokio::time::{sleep, timeout};
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::transport::Endpoint;
use tonic::{Code, Status, Streaming};

use crate::bot::Bot;
use crate::error::Error;
use crate::line::Line;
use crate::settings::Settings;
use crate::table::{Job, Table};
use crate::warn;
use crate::wire::v1::play_response::Payload;
use crate::wire::v1::referee_service_client::RefereeServiceClient;
use crate::wire::v1::{self, PlayRequest, PlayResponse};

const PROTOCOL: u32 = 1;
const SDK: &str = concat!("rust/", env!("CARGO_PKG_VERSION_MAJOR"), ".", env!("CARGO_PKG_VERSION_MINOR"));

/// Time that a referee which took the connection may take to answer the hello.
const WELCOME_WAIT: Duration = Duration::from_secs(15);
/// Before attempt n a wait is drawn from 0 to `FIRST_WAIT * 2^n` milliseconds, but no more than `LONGEST_WAIT`.
const FIRST_WAIT: u64 = 250;
const LONGEST_WAIT: u64 = 5000;
/// Time that the last words of either side may take.
const PARTING_WAIT: Duration = Duration::from_secs(1);

/// Statuses that dialling again cannot mend. After `Aborted` another stream has taken over, or the referee has given
/// this bot up: dialling again would only push it out.
const HOPELESS: [Code; 5] =
    [Code::Aborted, Code::InvalidArgument, Code::PermissionDenied, Code::ResourceExhausted, Code::Unauthenticated];

/// The signal that tells a client to leave, once there is one.
pub(crate) type Stop = watch::Receiver<Option<Signal>>;

/// A signal that was caught.
#[derive(Clone, Copy)]
pub(crate) struct Signal {
    pub(crate) name: &'static str,
    pub(crate) number: u8,
}

async fn stopped(stop: &mut Stop) -> Signal {
    let signal = stop.wait_for(Option::is_some).await.ok().and_then(|signal| *signal);
    match signal {
        Some(signal) => signal,
        None => std::future::pending().await,
    }
}

/// How one stream ended.
enum End {
    Goodbye,
    Stopped,
    Broken(String),
}

/// Plays with one kind of bot until the referee says goodbye.
pub(crate) struct Client {
    settings: Settings,
    endpoint: Endpoint,
    tables: Vec<jobs::Sender<Job>>,
    /// Closed once all tables have ended.
    tables_done: mpsc::Receiver<()>,
    leaving: Arc<AtomicBool>,
    resume_key: Vec<u8>,
    attempt: u32,
    deadline: Instant,
    warned: bool,
}

impl Client {
    /// Sets up the tables; nothing is dialled yet.
    pub(crate) fn new<B, F>(settings: Settings, make: F) -> Result<Self, Error>
    where
        B: Bot + 'static,
        F: Fn() -> B + Send + Sync + 'static,
    {
        let endpoint = settings.endpoint()?;
        let (make, leaving) = (Arc::new(make), Arc::new(AtomicBool::new(false)));
        let (done, tables_done) = mpsc::channel(1);
        let mut tables = Vec::new();
        for _ in 0..settings.threads.max(1) {
            let (sender, receiver) = jobs::channel();
            let (name, make, leaving) = (settings.name.clone(), Arc::clone(&make), Arc::clone(&leaving));
            let done = done.clone();
            let serve = move || {
                let _done = done;
                Table::new(name, make, leaving).serve(&receiver);
            };
            let thread = thread::Builder::new().name("bluke table".into()).spawn(serve);
            thread.map_err(|error| Error::Setup(format!("cannot start a thread for the bots: {error}")))?;
            tables.push(sender);
        }
        let deadline = Instant::now() + settings.give_up;
        let (resume_key, attempt, warned) = (Vec::new(), 0, false);
        Ok(Client { settings, endpoint, tables, tables_done, leaving, resume_key, attempt, deadline, warned })
    }

    /// Plays until the referee says goodbye or there is a signal.
    pub(crate) async fn run(mut self, mut stop: Stop) -> Result<(), Error> {
        loop {
            let trouble = match self.dial(&mut stop).await? {
                End::Goodbye => {
                    self.settle(&mut stop).await;
                    return Ok(());
                }
                End::Stopped => return Ok(()),
                End::Broken(trouble) => trouble,
            };
            let longest = (FIRST_WAIT << self.attempt.min(16)).min(LONGEST_WAIT);
            let wait = Duration::from_millis(RandomState::new().hash_one(0) % (longest + 1));
            let server = &self.settings.server;
            if Instant::now() + wait > self.deadline {
                let (seconds, cure) = (self.settings.give_up.as_secs_f32(), "set BLUKE_SERVER to where it listens");
                let text = format!("no referee at {server} for {seconds} s ({trouble}): start one there, or {cure}");
                return Err(Error::Unreachable(text));
            }
            if self.attempt == 0 {
                warn(format_args!("no referee at {server} ({trouble}); trying again"));
            }
            self.attempt += 1;
            tokio::select! {
                _ = stopped(&mut stop) => return Ok(()),
                () = sleep(wait) => {}
            }
        }
    }

    /// Lets the bots hear what was said before the goodbye.
    async fn settle(&mut self, stop: &mut Stop) {
        self.leaving.store(true, Ordering::Relaxed);
        self.tables.clear();
        tokio::select! {
            _ = self.tables_done.recv() => {}
            _ = stopped(stop) => {}
        }
    }

    // The stream

    /// Opens one stream and follows it to its end.
    async fn dial(&mut self, stop: &mut Stop) -> Result<End, Error> {
        let (sender, said) = mpsc::unbounded_channel();
        let greeted = tokio::select! {
            biased;
            _ = stopped(stop) => return Ok(End::Stopped),
            greeted = timeout(WELCOME_WAIT, self.greet(&sender, said)) => greeted,
        };
        let (mut stream, welcome) = match greeted {
            Err(_) => return Ok(End::Broken("it took the connection but did not answer".into())),
            Ok(Err(status)) => return self.status(&status),
            Ok(Ok(None)) => return Ok(End::Broken("it closed the stream".into())),
            Ok(Ok(Some((stream, first)))) => match first.payload {
                Some(Payload::Welcome(welcome)) => (stream, welcome),
                Some(Payload::Refusal(refusal)) => return self.refused(&refusal),
                Some(Payload::Goodbye(_)) => return Ok(End::Goodbye),
                _ => return Ok(End::Broken("its first word was no welcome".into())),
            },
        };
        if self.attempt > 0 {
            warn(format_args!("playing at {}", self.settings.server));
        }
        if !self.resume_key.is_empty() && !welcome.resumed {
            self.forget();
        }
        let line = Line::new(sender, &welcome.limits.unwrap_or_default());
        self.resume_key = welcome.resume_key;
        let end = self.follow(&mut stream, &line, stop).await;
        // Dialling again begins with a clock of its own.
        self.deadline = Instant::now() + self.settings.give_up;
        end
    }

    /// Connects and says hello; gives the referee's first word, or `None` if it said none.
    async fn greet(
        &self,
        sender: &mpsc::UnboundedSender<PlayRequest>,
        said: mpsc::UnboundedReceiver<PlayRequest>,
    ) -> Result<Option<(Streaming<PlayResponse>, PlayResponse)>, Status> {
        let settings = &self.settings;
        let hello = v1::Hello {
            token: settings.token.clone(),
            name: settings.name.clone(),
            version: settings.version.clone(),
            sdk: SDK.into(),
            author: settings.author.clone(),
            protocols: vec![PROTOCOL],
            max_games: settings.max_games,
            resume_key: self.resume_key.clone(),
            wants_events: settings.events,
            // A bot may have the hook, and this side cannot know.
            skips_hand_scored: false,
        };
        let _ = sender.send(PlayRequest { payload: Some(v1::play_request::Payload::Hello(hello)) });
        let channel = self.endpoint.connect().await.map_err(|error| Status::unavailable(cause(&error)))?;
        let mut stream =
            RefereeServiceClient::new(channel).play(UnboundedReceiverStream::new(said)).await?.into_inner();
        let first = stream.message().await?;
        Ok(first.map(|first| (stream, first)))
    }

    async fn follow(
        &mut self,
        stream: &mut Streaming<PlayResponse>,
        line: &Line,
        stop: &mut Stop,
    ) -> Result<End, Error> {
        loop {
            let said = tokio::select! {
                biased;
                signal = stopped(stop) => {
                    self.leaving.store(true, Ordering::Relaxed);
                    line.goodbye(signal.name);
                    let ended = async { while let Ok(Some(_)) = stream.message().await {} };
                    let _ = timeout(PARTING_WAIT, ended).await;
                    return Ok(End::Stopped);
                }
                said = stream.message() => said,
            };
            match said {
                Ok(Some(response)) => {
                    self.attempt = 0;
                    if self.heard(response, line) {
                        return Ok(End::Goodbye);
                    }
                }
                Ok(None) => return Ok(End::Broken("the stream ended".into())),
                Err(status) => return self.status(&status),
            }
        }
    }

    fn status(&self, status: &Status) -> Result<End, Error> {
        let server = &self.settings.server;
        let code = status.code();
        if code == Code::Unimplemented {
            return Err(Error::Ended(format!("{server} is not a Bluke referee: it speaks gRPC, but not bluke.v1")));
        }
        // tonic decodes messages itself and blames the other side by this status.
        if code == Code::Internal && status.message().starts_with("failed to decode Protobuf") {
            return Err(Error::Ended(format!("the referee at {server} sent bytes that are no message of bluke.v1")));
        }
        if HOPELESS.contains(&code) {
            let text = format!("the referee at {server} ended the stream: {} ({code:?})", status.message());
            return Err(Error::Ended(text));
        }
        Ok(End::Broken(match status.source() {
            Some(source) => cause(source),
            None if status.message().is_empty() => format!("{code:?}"),
            None => status.message().into(),
        }))
    }

    fn refused(&mut self, refusal: &v1::Refusal) -> Result<End, Error> {
        if !self.resume_key.is_empty() && refusal.reason() == v1::RefusalReason::Resume {
            // The seats are lost, the bot is not: it comes back as a new one.
            warn(format_args!("the seats were not given back: {}", refusal.message));
            self.resume_key.clear();
            self.forget();
            return Ok(End::Broken(refusal.message.clone()));
        }
        Err(Error::Refused(format!("refused by the referee at {}: {}", self.settings.server, refusal.message)))
    }

    // What the referee says

    /// Passes on one message; says whether it was the goodbye.
    fn heard(&mut self, response: PlayResponse, line: &Line) -> bool {
        match response.payload {
            Some(Payload::Turns(turns)) => self.turns(turns.turns, line),
            Some(Payload::GameStarted(started)) => {
                self.table(&started.game_id.clone(), Job::Started(started, line.clone()));
            }
            Some(Payload::HandScored(scored)) => {
                self.table(&scored.game_id.clone(), Job::Scored(scored, line.clone()));
            }
            Some(Payload::GameOver(over)) => self.table(&over.game_id.clone(), Job::Over(over)),
            Some(Payload::Events(events)) => {
                for event in events.events {
                    self.table(&event.game_id.clone(), Job::Event(event, line.clone()));
                }
            }
            Some(Payload::Notice(notice)) => {
                if notice.verdict() != v1::Verdict::Stale {
                    let v1::MoveNotice { game_id, decision_id, detail, .. } = notice;
                    warn(format_args!("decision {decision_id} of game {game_id}: {detail}"));
                }
            }
            Some(Payload::Fault(fault)) => {
                warn(format_args!("fault in game {}, seat {}: {}", fault.game_id, fault.seat, fault.detail));
            }
            Some(Payload::Goodbye(_)) => return true,
            Some(Payload::Welcome(_) | Payload::Refusal(_) | Payload::SeedRevealed(_)) => {}
            None => {
                if !self.warned {
                    self.warned = true;
                    warn(format_args!("a message that this SDK does not know was skipped"));
                }
            }
        }
        false
    }

    fn turns(&self, turns: Vec<v1::Turn>, line: &Line) {
        let now = Instant::now();
        let mut shares: Vec<Vec<v1::Turn>> = self.tables.iter().map(|_| Vec::new()).collect();
        for turn in turns {
            shares[self.table_of(&turn.game_id)].push(turn);
        }
        for (at, share) in shares.into_iter().enumerate().filter(|(_, share)| !share.is_empty()) {
            self.send(at, Job::Turns(share, now, line.clone()));
        }
    }

    fn forget(&self) {
        for at in 0..self.tables.len() {
            self.send(at, Job::Forget);
        }
    }

    fn table(&self, game_id: &str, job: Job) {
        self.send(self.table_of(game_id), job);
    }

    fn table_of(&self, game_id: &str) -> usize {
        let mut hasher = DefaultHasher::new();
        game_id.hash(&mut hasher);
        usize::try_from(hasher.finish() % self.tables.len() as u64).expect("it is less than a usize")
    }

    fn send(&self, at: usize, job: Job) {
        self.tables[at].send(job).expect("a table works as long as its client");
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.leaving.store(true, Ordering::Relaxed);
    }
}

/// What lies at the bottom of an error: "Connection refused", say, and not "transport error".
fn cause(error: &dyn error::Error) -> String {
    let mut deepest = error;
    while let Some(source) = deepest.source() {
        deepest = source;
    }
    deepest.to_string()
}
