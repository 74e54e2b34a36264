//! What becomes of turns and of what else the referee says.

use std::sync::{Arc, Mutex};

use super::referee::{Referee, Stream, turn};
use crate::wire::v1::{self, Asked, PlayResponse, r#move::Answer, play_request, play_response::Payload};
use crate::{
    BidView, Bot, Card, CutView, Event, EventKind, GameOver, GameStarted, HandScored, Outcome, PlayView, Settings,
    Status, Variant, play,
};

/// Keeps what it is told, and fails on decision 13.
struct Witness {
    told: Arc<Mutex<Vec<String>>>,
    decisions: usize,
}

impl Witness {
    fn tell(&self, text: String) {
        self.told.lock().unwrap().push(text);
    }
}

impl Bot for Witness {
    fn cut(&mut self, view: &CutView) -> u32 {
        view.legal[2]
    }

    fn bid(&mut self, view: &BidView) -> u32 {
        self.decisions += 1;
        assert!(view.decision_id != 13, "thirteen is too many");
        view.note(format!("decision {} of mine", self.decisions));
        view.note("surely");
        self.tell(format!("{:?} {:?}", view.rules.variant, view.trump));
        view.legal[self.decisions]
    }

    fn play(&mut self, view: &PlayView) -> Card {
        view.legal[1]
    }

    fn game_started(&mut self, game: &GameStarted) {
        self.tell(format!("{} begins with {:?}, {:?}", game.game_id, game.rules.hands, game.draw.rounds));
    }

    fn hand_scored(&mut self, hand: &HandScored) {
        assert!(hand.outcomes == [Outcome::Perfect, Outcome::Other], "{:?}", hand.outcomes);
        self.tell(format!("scored {:?}", hand.points));
    }

    fn game_over(&mut self, game: &GameOver) {
        assert!(game.status == Status::Other, "{:?}", game.status);
        self.tell("over".into());
    }

    fn event(&mut self, event: &Event) {
        if let EventKind::CardPlayed { card, .. } = event.kind {
            self.tell(format!("{card} was played"));
        }
    }
}

/// A referee with a witness at its tables, and what that was told.
async fn witnessed(threads: usize) -> (Referee, Stream, Arc<Mutex<Vec<String>>>) {
    let mut referee = Referee::new().await;
    let told = Arc::<Mutex<Vec<String>>>::default();
    let witness = Arc::clone(&told);
    let settings = Settings { threads, ..referee.settings.clone() };
    tokio::spawn(play(settings, move || Witness { told: Arc::clone(&witness), decisions: 0 }));
    let (stream, _) = referee.welcomed(false).await;
    (referee, stream, told)
}

#[tokio::test]
async fn each_kind_of_question_gets_its_kind_of_answer() {
    let (_referee, mut stream, _) = witnessed(1).await;
    stream.ask([turn("a", 1, Asked::Cut), turn("b", 2, Asked::Bid), turn("c", 3, Asked::Play)]).await;
    for answer in [Answer::Cut(3), Answer::Bid(2), Answer::Card(52)] {
        assert_eq!(stream.next_move().await.answer, Some(answer));
    }
}

#[tokio::test]
async fn each_seat_of_each_game_has_a_bot_of_its_own_on_any_number_of_threads() {
    let (_referee, mut stream, _) = witnessed(4).await;
    let games: Vec<String> = (0..20).map(|game| format!("game {game}")).collect();
    let mut turns: Vec<_> = games.iter().map(|game| turn(game, 1, Asked::Bid)).collect();
    turns.extend(games.iter().map(|game| v1::Turn { seat: 2, ..turn(game, 2, Asked::Bid) }));
    turns.extend(games.iter().map(|game| turn(game, 3, Asked::Bid)));
    stream.ask(turns).await;
    let mut answers = Vec::new();
    for _ in 0..60 {
        let answer = stream.next_move().await;
        answers.push((answer.game_id, answer.decision_id, answer.answer));
    }
    for game in games {
        let own: Vec<_> = answers.iter().filter(|answer| answer.0 == game).map(|(_, id, bid)| (*id, *bid)).collect();
        assert_eq!(own, [(1, Some(Answer::Bid(2))), (2, Some(Answer::Bid(2))), (3, Some(Answer::Bid(3)))]);
    }
}

#[tokio::test]
async fn notes_go_with_the_decision_they_were_made_on() {
    let (_referee, mut stream, _) = witnessed(1).await;
    stream.ask([turn("a", 1, Asked::Bid), turn("a", 2, Asked::Play)]).await;
    assert_eq!(stream.next_move().await.note.as_deref(), Some("decision 1 of mine\nsurely"));
    assert_eq!(stream.next_move().await.note, None);
}

#[tokio::test]
async fn a_panic_is_reported_and_the_same_bot_is_asked_on() {
    let (_referee, mut stream, _) = witnessed(1).await;
    stream.ask([turn("a", 13, Asked::Bid)]).await;
    let Some(play_request::Payload::Error(error)) = stream.hear().await else { panic!("no report") };
    assert_eq!((&*error.game_id, error.decision_id), ("a", 13));
    assert!(error.detail.starts_with("bid: panicked at src/tests/turns.rs:"), "{}", error.detail);
    assert!(error.detail.contains("thirteen is too many"), "{}", error.detail);
    stream.ask([turn("a", 14, Asked::Bid)]).await;
    assert_eq!(stream.next_move().await.answer, Some(Answer::Bid(3)));
}

#[tokio::test]
async fn what_a_newer_referee_says_is_something_else_or_nothing() {
    let (_referee, mut stream, told) = witnessed(1).await;
    stream.say_raw(PlayResponse { payload: None }).await;
    let mut newer = turn("a", 2, Asked::Bid);
    let view = newer.view.as_mut().unwrap();
    view.trump = Some(77);
    view.rules.as_mut().unwrap().variant = 77;
    stream.ask([v1::Turn { asked: 77, ..turn("a", 1, Asked::Bid) }]).await;
    stream.ask([v1::Turn { game_id: "b".into(), ..newer }]).await;
    let answer = stream.next_move().await;
    assert_eq!((&*answer.game_id, answer.decision_id), ("b", 2));
    assert_eq!(*told.lock().unwrap(), [format!("{:?} None", Variant::Other)]);

    stream.ask([v1::Turn { legal: vec![60], ..turn("a", 3, Asked::Play) }]).await;
    let Some(play_request::Payload::Error(error)) = stream.hear().await else { panic!("no report") };
    assert_eq!((&*error.game_id, error.decision_id), ("a", 3));
    assert!(error.detail.contains("names card 60"), "{}", error.detail);
}

#[tokio::test]
async fn hooks_are_told_what_happens_in_their_game() {
    let (_referee, mut stream, told) = witnessed(1).await;
    let rules = Some(v1::Rules { seats: 2, hands: vec![1], ..v1::Rules::default() });
    let drawn = |seat, card| v1::DrawnCard { seat, card };
    let draw = vec![v1::DrawRound { cards: vec![drawn(0, 52), drawn(1, 0)] }];
    let (game_id, seat) = (String::from("a"), 1);
    let started = v1::GameStarted { game_id: game_id.clone(), seat, rules, draw, ..v1::GameStarted::default() };
    stream.say(Payload::GameStarted(started)).await;
    let played = |card| v1::Event {
        game_id: game_id.clone(),
        event: Some(v1::event::Event::CardPlayed(v1::CardPlayed { card, ..v1::CardPlayed::default() })),
    };
    stream.say(Payload::Events(v1::Events { events: vec![played(60), played(21)] })).await;
    let result = v1::HandResult { points: vec![10, -10], outcomes: vec![3, 77], ..v1::HandResult::default() };
    stream.say(Payload::HandScored(v1::HandScored { game_id: game_id.clone(), seat, result: Some(result) })).await;
    stream.over("a", 1).await;
    stream.ask([turn("b", 1, Asked::Play)]).await;
    stream.next_move().await;
    let right = ["a begins with [1], [[(0, LO), (1, 2C)]]", "TD was played", "scored [10, -10]", "over"];
    assert_eq!(*told.lock().unwrap(), right);
}

/// Says all that can be worked out from a view.
struct Reader;

impl Bot for Reader {
    fn bid(&mut self, _view: &BidView) -> u32 {
        1
    }

    fn play(&mut self, view: &PlayView) -> Card {
        let mut seen: Vec<Card> = view.seen().collect();
        seen.sort_unstable();
        let (bid, tricks, needed) = (view.my_bid(), view.my_tricks(), view.needed());
        view.note(format!("{bid:?} {tricks} {needed} {} {:?}", view.needed_by(2), view.bids));
        view.note(format!("{:?} {:?} {:?} {seen:?}", view.led(), view.winning(), view.seats_after()));
        let (left, bank) = (view.time_left, view.bank_left);
        let deadline = view.deadline().map(|deadline| deadline - view.asked_at);
        view.note(format!("{left:?} {bank:?} {deadline:?} {:?}", view.last.as_ref().map(|last| last.measured)));
        view.legal[0]
    }
}

#[tokio::test]
async fn a_view_tells_what_follows_from_it() {
    let mut referee = Referee::new().await;
    tokio::spawn(play(referee.settings.clone(), || Reader));
    let (mut stream, _) = referee.welcomed(false).await;

    let mut following = turn("a", 1, Asked::Play);
    following.decision_left_ms = Some(2000);
    following.bank_left_ms = Some(59_400);
    following.last = Some(v1::LastDecision { measured_us: 2_603_120, ..v1::LastDecision::default() });
    let trick = |leader, cards: &[u32], winner| v1::Trick { leader, cards: cards.into(), winner };
    following.view.as_mut().unwrap().tricks = vec![trick(2, &[19, 15, 39], Some(2)), trick(0, &[49], None)];
    stream.ask([following]).await;
    let note = stream.next_move().await.note.unwrap();
    let right = "Some(2) 0 2 0 [Some(1), Some(2), None]\n\
                 Some(QS) Some((0, QS)) [2] [5C, 9C, 4D, 8D, 2S, JS, QS, LO]\n\
                 Some(2s) Some(59.4s) Some(2s) Some(2.60312s)";
    assert_eq!(note, right);

    let mut leading = turn("b", 1, Asked::Play);
    leading.view.as_mut().unwrap().tricks = vec![trick(2, &[19, 15, 39], Some(2))];
    stream.ask([leading]).await;
    let note = stream.next_move().await.note.unwrap();
    assert!(note.ends_with("\nNone None [2, 0] [5C, 9C, 4D, 8D, 2S, JS, LO]\nNone None None None"), "{note}");
}
