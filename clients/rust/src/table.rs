//! The bots at their seats, and the thread that they think on.

use std::collections::{HashMap, HashSet};
use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use crate::bot::Bot;
use crate::guard::guarded;
use crate::line::Line;
use crate::views::{Rules, View};
use crate::warn;
use crate::wire::v1::r#move::Answer;
use crate::wire::{self, UnknownCard, v1};

/// After this time of answering what there is goes out, so that slow answers do not hold up fast ones.
const FLUSH_AFTER: Duration = Duration::from_millis(2);

/// What a table is told.
pub(crate) enum Job {
    /// Questions, read off the stream at this moment.
    Turns(Vec<v1::Turn>, Instant, Line),
    Started(v1::GameStarted, Line),
    Scored(v1::HandScored, Line),
    Over(v1::GameOver),
    Event(v1::Event, Line),
    /// The seats of all games are lost.
    Forget,
}

/// The bots of some games. All that happens in one game happens on one table, in order.
pub(crate) struct Table<B, F> {
    name: String,
    make: Arc<F>,
    leaving: Arc<AtomicBool>,
    games: HashMap<String, HashMap<u32, Seat<B>>>,
    /// Answers not yet said, where to say them, and when the first was given.
    moves: Vec<v1::Move>,
    line: Option<Line>,
    since: Instant,
    warned: HashSet<i32>,
}

impl<B: Bot, F: Fn() -> B> Table<B, F> {
    /// An empty table; once `leaving` is set, no more questions are answered.
    pub(crate) fn new(name: String, make: Arc<F>, leaving: Arc<AtomicBool>) -> Self {
        let (games, moves, line, since) = (HashMap::new(), Vec::new(), None, Instant::now());
        Table { name, make, leaving, games, moves, line, since, warned: HashSet::new() }
    }

    /// Works until nobody can send a job any more.
    pub(crate) fn serve(mut self, jobs: &Receiver<Job>) {
        loop {
            let job = jobs.try_recv().or_else(|_| {
                self.flush();
                jobs.recv()
            });
            match job {
                Ok(job) => self.work(job),
                Err(_) => return self.forget(),
            }
        }
    }

    fn work(&mut self, job: Job) {
        match job {
            Job::Turns(turns, asked_at, line) => {
                for turn in turns {
                    if self.leaving.load(Ordering::Relaxed) {
                        return;
                    }
                    self.turn(&turn, asked_at, &line);
                }
            }
            Job::Started(started, line) => self.started(&started, &line),
            Job::Scored(message, line) => {
                let number = message.seat;
                let scored = wire::hand_scored(message);
                self.tell(&scored.game_id, number, "hand_scored", &line, |bot| bot.hand_scored(&scored));
            }
            Job::Over(over) => self.over(over),
            Job::Event(event, line) => self.event(&event, &line),
            Job::Forget => self.forget(),
        }
    }

    fn turn(&mut self, turn: &v1::Turn, asked_at: Instant, line: &Line) {
        let (id, make) = (turn.decision_id, Arc::clone(&self.make));
        let seat = self.seat(&turn.game_id, turn.seat, || {
            wire::rules(turn.view.as_ref().and_then(|view| view.rules.as_ref()).unwrap_or(&v1::Rules::default()))
        });
        if let Some(answer) = seat.answer.as_ref().filter(|answer| answer.decision_id == id) {
            // Asked again on a new stream: the bot has thought about it.
            let answer = answer.clone();
            return self.say(answer, line);
        }
        let numbers = || Ok(turn.legal.clone());
        let (method, result) = match turn.asked() {
            v1::Asked::Cut => {
                ("cut", seat.decide(&*make, turn, asked_at, numbers, |bot, view| Answer::Cut(bot.cut(view))))
            }
            v1::Asked::Bid => {
                ("bid", seat.decide(&*make, turn, asked_at, numbers, |bot, view| Answer::Bid(bot.bid(view))))
            }
            v1::Asked::Play => {
                let cards = || wire::cards(&turn.legal);
                let play = |bot: &mut B, view: &View<_>| Answer::Card(bot.play(view).index());
                ("play", seat.decide(&*make, turn, asked_at, cards, play))
            }
            v1::Asked::Unspecified => {
                if self.warned.insert(turn.asked) {
                    warn(format_args!("asked for {}, which this SDK does not know: left to the referee", turn.asked));
                }
                return;
            }
        };
        match result {
            Ok(answer) => {
                seat.answer = Some(answer.clone());
                self.say(answer, line);
            }
            Err(detail) => self.failed(method, &turn.game_id, turn.seat, id, &detail, line),
        }
    }

    fn started(&mut self, message: &v1::GameStarted, line: &Line) {
        let (game_id, number, make) = (message.game_id.clone(), message.seat, Arc::clone(&self.make));
        let rules = || wire::rules(message.rules.as_ref().unwrap_or(&v1::Rules::default()));
        let seat = self.seat(&game_id, number, rules);
        match wire::game_started(message, Arc::clone(&seat.rules)) {
            // Even for a bot that does not listen: makes it while no clock is running.
            Ok(started) => {
                if let Err(detail) = seat.call(&*make, |bot| bot.game_started(&started)) {
                    self.failed("game_started", &game_id, number, 0, &detail, line);
                }
            }
            Err(error) => skipped(&game_id, &error),
        }
    }

    fn over(&mut self, message: v1::GameOver) {
        let Some(seats) = self.games.get_mut(&message.game_id) else { return };
        let seat = seats.remove(&message.seat);
        if seats.is_empty() {
            self.games.remove(&message.game_id);
        }
        let Some(mut seat) = seat else { return };
        let number = message.seat;
        let over = wire::game_over(message);
        let told = seat.call(&*self.make, |bot| bot.game_over(&over));
        if let Err(detail) = told.and(guarded(|| drop(seat))) {
            // Nothing can be charged any more.
            warn(format_args!("{} failed on game_over of game {}, seat {number}: {detail}", self.name, over.game_id));
        }
    }

    fn event(&mut self, message: &v1::Event, line: &Line) {
        let event = match wire::event(message) {
            Ok(Some(event)) => event,
            Ok(None) => return,
            Err(error) => return skipped(&message.game_id, &error),
        };
        let seats = self.games.get(&event.game_id).map(|seats| seats.keys().copied().collect::<Vec<_>>());
        for number in seats.unwrap_or_default() {
            self.tell(&event.game_id, number, "event", line, |bot| bot.event(&event));
        }
    }

    fn tell(&mut self, game_id: &str, number: u32, method: &str, line: &Line, call: impl FnOnce(&mut B)) {
        let make = Arc::clone(&self.make);
        let Some(seat) = self.games.get_mut(game_id).and_then(|seats| seats.get_mut(&number)) else { return };
        if let Err(detail) = seat.call(&*make, call) {
            self.failed(method, game_id, number, 0, &detail, line);
        }
    }

    fn seat(&mut self, game_id: &str, number: u32, rules: impl FnOnce() -> Rules) -> &mut Seat<B> {
        if !self.games.contains_key(game_id) {
            self.games.insert(game_id.to_owned(), HashMap::new());
        }
        let seats = self.games.get_mut(game_id).expect("it is there by now");
        seats.entry(number).or_insert_with(|| Seat { bot: None, rules: Arc::new(rules()), answer: None })
    }

    fn forget(&mut self) {
        // Dropping a bot is code of its own.
        for seat in self.games.drain().flat_map(|(_, seats)| seats.into_values()) {
            let _ = guarded(|| drop(seat));
        }
    }

    fn say(&mut self, answer: v1::Move, line: &Line) {
        if self.line.as_ref().is_none_or(|before| !before.is_same(line)) {
            self.flush();
            self.line = Some(line.clone());
        }
        if self.moves.is_empty() {
            self.since = Instant::now();
        }
        self.moves.push(answer);
        if self.since.elapsed() > FLUSH_AFTER {
            self.flush();
        }
    }

    fn flush(&mut self) {
        if let Some(line) = &self.line {
            line.moves(std::mem::take(&mut self.moves));
        }
    }

    fn failed(&self, method: &str, game_id: &str, seat: u32, decision_id: u64, detail: &str, line: &Line) {
        let decision = if decision_id == 0 { String::new() } else { format!(", decision {decision_id}") };
        warn(format_args!("{} failed on {method}{decision} of game {game_id}, seat {seat}: {detail}", self.name));
        line.error(game_id, decision_id, &format!("{method}: {detail}"));
    }
}

/// One seat of one game.
struct Seat<B> {
    bot: Option<B>,
    rules: Arc<Rules>,
    /// The last decision made; said again if it is asked again.
    answer: Option<v1::Move>,
}

impl<B> Seat<B> {
    /// Lets the bot make a decision; an error is why there is none.
    fn decide<A>(
        &mut self,
        make: impl Fn() -> B,
        turn: &v1::Turn,
        asked_at: Instant,
        legal: impl FnOnce() -> Result<Vec<A>, UnknownCard>,
        choose: impl FnOnce(&mut B, &View<A>) -> Answer,
    ) -> Result<v1::Move, String> {
        let view = legal().and_then(|legal| wire::view(turn, legal, Arc::clone(&self.rules), asked_at));
        let view = view.map_err(|error| error.to_string())?;
        let answer = Some(self.call(make, |bot| choose(bot, &view))?);
        Ok(v1::Move { game_id: turn.game_id.clone(), decision_id: turn.decision_id, answer, note: view.notes.take() })
    }

    /// Calls the bot, which is made first if need be; an error is what it panicked with.
    fn call<R>(&mut self, make: impl Fn() -> B, call: impl FnOnce(&mut B) -> R) -> Result<R, String> {
        guarded(|| call(self.bot.get_or_insert_with(make)))
    }
}

fn skipped(game_id: &str, error: &dyn Display) {
    warn(format_args!("a message of game {game_id} was skipped: {error}"));
}
