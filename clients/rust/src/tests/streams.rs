//! The life of a stream: hello, refusal, resumption, the end.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use tokio::sync::watch;
use tonic::{Code, Status};

use super::referee::{Referee, turn};
use crate::client::{Client, Signal};
use crate::wire::v1::{Asked, Move, RefusalReason, r#move::Answer, play_request::Payload};
use crate::{BidView, Bot, Card, Error, GameOver, PlayView, Settings, play};

/// Bids how many have been made before it, and one more.
struct Numbered(u32);

impl Bot for Numbered {
    fn bid(&mut self, _view: &BidView) -> u32 {
        self.0
    }

    fn play(&mut self, view: &PlayView) -> Card {
        view.legal[0]
    }
}

fn numbered() -> impl Fn() -> Numbered + Send + Sync + 'static {
    let made = AtomicUsize::new(0);
    move || Numbered(u32::try_from(made.fetch_add(1, Ordering::Relaxed)).unwrap() + 1)
}

fn bid_of(answer: &Move) -> (&str, u64, u32) {
    let Some(Answer::Bid(bid)) = answer.answer else { panic!("no bid: {answer:?}") };
    (&answer.game_id, answer.decision_id, bid)
}

#[tokio::test]
async fn the_hello_says_who_the_bot_is() {
    let mut referee = Referee::new().await;
    let labels = Settings { version: "1.2".into(), author: "Ann".into(), max_games: 9, ..referee.settings.clone() };
    let playing = tokio::spawn(play(Settings { events: true, ..labels }, numbered()));
    let (stream, hello) = referee.welcomed(false).await;
    assert_eq!((&*hello.token, &*hello.name, &*hello.version), ("secret", "tester", "1.2"));
    assert_eq!((&*hello.sdk, &*hello.author, hello.max_games), ("rust/0.1", "Ann", 9));
    assert_eq!((hello.protocols, hello.wants_events, hello.resume_key), (vec![1], true, vec![]));
    stream.goodbye().await;
    assert_eq!(playing.await.unwrap(), Ok(()));
}

#[tokio::test]
async fn a_refusal_ends_the_bot_with_the_words_of_the_referee() {
    let mut referee = Referee::new().await;
    let playing = tokio::spawn(play(referee.settings.clone(), numbered()));
    referee.stream().await.0.refuse(RefusalReason::Token, "there is no such token").await;
    let error = playing.await.unwrap().unwrap_err();
    assert!(matches!(&error, Error::Refused(text) if text.ends_with(": there is no such token")), "{error}");
    assert_eq!(error.exit_code(), 2);
}

#[tokio::test]
async fn a_decision_asked_again_is_answered_without_the_bot() {
    let mut referee = Referee::new().await;
    let playing = tokio::spawn(play(referee.settings.clone(), numbered()));
    let (mut first, _) = referee.welcomed(false).await;
    first.ask([turn("a", 1, Asked::Bid), turn("b", 1, Asked::Bid)]).await;
    let answers = [first.next_move().await, first.next_move().await];
    first.end(Status::unavailable("gone")).await;

    let (mut second, hello) = referee.welcomed(true).await;
    assert_eq!(hello.resume_key, b"key");
    second.ask([turn("b", 1, Asked::Bid), turn("a", 2, Asked::Bid)]).await;
    assert_eq!(second.next_move().await, answers[1]);
    assert_eq!(bid_of(&second.next_move().await), ("a", 2, 1));
    second.goodbye().await;
    assert_eq!(playing.await.unwrap(), Ok(()));
}

#[tokio::test]
async fn a_bot_whose_seats_are_lost_comes_back_as_a_new_one() {
    let mut referee = Referee::new().await;
    let playing = tokio::spawn(play(referee.settings.clone(), numbered()));
    let (mut first, _) = referee.welcomed(false).await;
    first.ask([turn("a", 1, Asked::Bid)]).await;
    assert_eq!(bid_of(&first.next_move().await), ("a", 1, 1));
    drop(first);

    let (second, hello) = referee.stream().await;
    assert_eq!(hello.resume_key, b"key");
    second.refuse(RefusalReason::Resume, "the grace time is over").await;

    let (mut third, hello) = referee.welcomed(false).await;
    assert_eq!(hello.resume_key, b"");
    third.ask([turn("a", 1, Asked::Bid)]).await;
    assert_eq!(bid_of(&third.next_move().await), ("a", 1, 2));
    third.goodbye().await;
    assert_eq!(playing.await.unwrap(), Ok(()));
}

#[tokio::test]
async fn a_status_that_dialling_cannot_mend_ends_the_bot() {
    for code in [Code::Aborted, Code::InvalidArgument, Code::ResourceExhausted, Code::Unimplemented] {
        let mut referee = Referee::new().await;
        let playing = tokio::spawn(play(referee.settings.clone(), numbered()));
        let (stream, _) = referee.welcomed(false).await;
        stream.end(Status::new(code, "for a reason")).await;
        let error = playing.await.unwrap().unwrap_err();
        assert!(matches!(error, Error::Ended(_)), "{code:?}: {error}");
        assert_eq!(error.exit_code(), 1);
    }
}

#[tokio::test]
async fn a_bot_that_finds_no_referee_says_where_it_looked_and_why() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let server = listener.local_addr().unwrap().to_string();
    drop(listener);
    let settings = Settings { server: server.clone(), give_up: Duration::ZERO, ca: None, ..Settings::from("tester") };
    let error = play(settings, numbered()).await.unwrap_err();
    let Error::Unreachable(text) = &error else { panic!("{error}") };
    assert!(text.contains(&server) && text.contains("refused"), "{text}");
    assert_eq!(error.exit_code(), 1);
}

#[tokio::test]
async fn a_unix_socket_will_do() {
    let folder = std::env::temp_dir().join(format!("bluke-{}", std::process::id()));
    std::fs::create_dir(&folder).unwrap();
    let mut referee = Referee::on_socket(&folder.join("referee"));
    let playing = tokio::spawn(play(referee.settings.clone(), numbered()));
    let (mut stream, _) = referee.welcomed(false).await;
    stream.ask([turn("a", 1, Asked::Bid)]).await;
    assert_eq!(bid_of(&stream.next_move().await), ("a", 1, 1));
    stream.goodbye().await;
    assert_eq!(playing.await.unwrap(), Ok(()));
    std::fs::remove_dir_all(folder).unwrap();
}

/// Bids once it is let go, and keeps what it was told in the end.
struct Waiting {
    begun: tokio::sync::mpsc::UnboundedSender<()>,
    go: Arc<Mutex<mpsc::Receiver<()>>>,
    results: Arc<Mutex<Vec<String>>>,
}

impl Bot for Waiting {
    fn bid(&mut self, _view: &BidView) -> u32 {
        self.begun.send(()).unwrap();
        let _ = self.go.lock().unwrap().recv();
        1
    }

    fn play(&mut self, view: &PlayView) -> Card {
        view.legal[0]
    }

    fn game_over(&mut self, game: &GameOver) {
        self.results.lock().unwrap().push(game.game_id.clone());
    }
}

#[tokio::test]
async fn a_signal_is_obeyed_while_the_bot_thinks() {
    let mut referee = Referee::new().await;
    let (begun, mut thinking) = tokio::sync::mpsc::unbounded_channel();
    let (_let_go, go) = mpsc::channel();
    let (go, results) = (Arc::new(Mutex::new(go)), Arc::default());
    let make = move || Waiting { begun: begun.clone(), go: Arc::clone(&go), results: Arc::clone(&results) };
    let (signals, stop) = watch::channel(None);
    let playing = tokio::spawn(Client::new(referee.settings.clone(), make).unwrap().run(stop));
    let (mut stream, _) = referee.welcomed(false).await;
    stream.ask([turn("a", 1, Asked::Bid)]).await;
    thinking.recv().await.unwrap();
    signals.send_replace(Some(Signal { name: "SIGTERM", number: 15 }));
    let Some(Payload::Goodbye(goodbye)) = stream.hear().await else { panic!("no goodbye") };
    assert_eq!(goodbye.reason, "SIGTERM");
    drop(stream);
    assert_eq!(playing.await.unwrap(), Ok(()));
}

#[tokio::test]
async fn results_told_before_the_goodbye_are_heard_once_each() {
    let mut referee = Referee::new().await;
    let (begun, mut thinking) = tokio::sync::mpsc::unbounded_channel();
    let (let_go, go) = mpsc::channel();
    let (go, results) = (Arc::new(Mutex::new(go)), Arc::<Mutex<Vec<String>>>::default());
    let heard = Arc::clone(&results);
    let make = move || Waiting { begun: begun.clone(), go: Arc::clone(&go), results: Arc::clone(&heard) };
    let playing = tokio::spawn(play(referee.settings.clone(), make));
    let (mut stream, _) = referee.welcomed(false).await;
    stream.ask([turn("a", 1, Asked::Bid), turn("b", 1, Asked::Bid)]).await;
    thinking.recv().await.unwrap();
    stream.over("a", 1).await;
    stream.over("a", 1).await;
    stream.over("never seen", 1).await;
    stream.goodbye().await;
    let_go.send(()).unwrap();
    let_go.send(()).unwrap();
    assert_eq!(playing.await.unwrap(), Ok(()));
    assert_eq!(*results.lock().unwrap(), ["a"]);
}
