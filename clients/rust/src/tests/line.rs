//! How what is said is packed into messages.

use tokio::sync::mpsc;

use crate::line::Line;
use crate::wire::v1::{Move, PlayRequest, StreamLimits, r#move::Answer, play_request::Payload};

fn said(limits: StreamLimits, say: impl FnOnce(&Line)) -> Vec<PlayRequest> {
    let (sender, mut receiver) = mpsc::unbounded_channel();
    say(&Line::new(sender, &limits));
    std::iter::from_fn(|| receiver.try_recv().ok()).collect()
}

fn moves(count: u64, note: &str) -> Vec<Move> {
    let made = |decision_id| Move {
        game_id: "5f0c2a917be3d846".into(),
        decision_id,
        answer: Some(Answer::Bid(1)),
        note: Some(note.into()),
    };
    (1..=count).map(made).collect()
}

#[test]
fn many_moves_are_few_messages() {
    let sizes: Vec<usize> = said(StreamLimits::default(), |line| line.moves(moves(130, "")))
        .into_iter()
        .map(|request| match request.payload {
            Some(Payload::Moves(moves)) => moves.moves.len(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(sizes, [64, 64, 2]);
    assert_eq!(said(StreamLimits::default(), |line| line.moves(Vec::new())), []);
}

#[test]
fn no_message_is_larger_than_the_referee_takes() {
    use prost::Message;

    let limits = StreamLimits { max_message_bytes: 2000, max_note_bytes: 300, ..StreamLimits::default() };
    let requests = said(limits, |line| line.moves(moves(40, &"é".repeat(200))));
    let mut count = 0;
    for request in requests {
        assert!(request.encoded_len() <= 2000, "{}", request.encoded_len());
        let Some(Payload::Moves(moves)) = request.payload else { panic!("no moves") };
        for one in &moves.moves {
            assert_eq!(one.note, Some("é".repeat(150)));
        }
        count += moves.moves.len();
    }
    assert_eq!(count, 40);
}

#[test]
fn a_long_note_ends_between_two_characters() {
    let limits = StreamLimits { max_note_bytes: 5, ..StreamLimits::default() };
    let requests = said(limits, |line| line.moves(moves(1, "aéé☃")));
    let Some(Payload::Moves(moves)) = &requests[0].payload else { panic!("no moves") };
    assert_eq!(moves.moves[0].note.as_deref(), Some("aéé"));
    let requests = said(limits, |line| line.error("a", 7, &"☃".repeat(2000)));
    let Some(Payload::Error(error)) = &requests[0].payload else { panic!("no error") };
    assert_eq!(error.detail, "☃".repeat(1365));
}
