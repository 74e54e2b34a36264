//! What a bot says, on the stream on which it was asked.

use prost::Message;
use tokio::sync::mpsc::UnboundedSender;

use crate::wire::v1::{BotError, Goodbye, Move, Moves, PlayRequest, StreamLimits, play_request::Payload};

/// A gathered message is worth no delay beyond so many moves.
const MOST_MOVES: usize = 64;
/// Bytes of tag and length before a move in its list, at most.
const MOVE_HEAD: usize = 8;
const DETAIL_BYTES: usize = 4096;

/// The writing side of one stream. What is said after the stream is over is lost: open decisions are asked again.
#[derive(Clone)]
pub(crate) struct Line {
    sender: UnboundedSender<PlayRequest>,
    note_bytes: usize,
    message_bytes: usize,
}

impl Line {
    /// Keeps within the limits of the referee's welcome.
    pub(crate) fn new(sender: UnboundedSender<PlayRequest>, limits: &StreamLimits) -> Self {
        let or = |limit: u32, default: usize| if limit == 0 { default } else { limit as usize };
        Line {
            sender,
            note_bytes: or(limits.max_note_bytes, 1024),
            message_bytes: or(limits.max_message_bytes, 65_536).saturating_sub(16),
        }
    }

    pub(crate) fn is_same(&self, other: &Line) -> bool {
        self.sender.same_channel(&other.sender)
    }

    /// Says moves, in as few messages as may be.
    pub(crate) fn moves(&self, moves: Vec<Move>) {
        let (mut gathered, mut bytes) = (Vec::new(), 0);
        for mut one in moves {
            one.note = one.note.map(|note| clip(&note, self.note_bytes).to_owned());
            let size = one.encoded_len() + MOVE_HEAD;
            if !gathered.is_empty() && (gathered.len() == MOST_MOVES || bytes + size > self.message_bytes) {
                self.say(Payload::Moves(Moves { moves: std::mem::take(&mut gathered) }));
                bytes = 0;
            }
            bytes += size;
            gathered.push(one);
        }
        if !gathered.is_empty() {
            self.say(Payload::Moves(Moves { moves: gathered }));
        }
    }

    /// Says that the bot's own code failed; of a long text the beginning is kept.
    pub(crate) fn error(&self, game_id: &str, decision_id: u64, detail: &str) {
        let detail = clip(detail, DETAIL_BYTES).into();
        self.say(Payload::Error(BotError { game_id: game_id.into(), decision_id, detail }));
    }

    pub(crate) fn goodbye(&self, reason: &str) {
        self.say(Payload::Goodbye(Goodbye { reason: reason.into() }));
    }

    fn say(&self, payload: Payload) {
        let _ = self.sender.send(PlayRequest { payload: Some(payload) });
    }
}

/// The beginning of a text, of at most so many bytes.
fn clip(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rev().find(|&end| text.is_char_boundary(end));
    &text[..end.unwrap_or(0)]
}
