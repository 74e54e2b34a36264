//! Checks the dealing of replay files: that their seed is the one committed to, and that it gives the cards dealt.
//!
//! `check_dealing FILE...` takes plain `.jsonl` files and says `ok` or what is wrong; the exit code is 1 if any is
//! wrong. It knows nothing of bids and plays, for which there is `bluke replay verify`.

use std::error::Error;
use std::process::ExitCode;
use std::{env, fs};

use bluke_sdk::dealing::{Dealt, Record, Seed, verify};
use bluke_sdk::{BlukeLed, Card, CutRule, Draw, Rules, Variant};
use serde_json::Value;

type Outcome<T> = Result<T, Box<dyn Error>>;

fn list<T>(value: &Value, read: impl Fn(&Value) -> Outcome<T>) -> Outcome<Vec<T>> {
    value.as_array().ok_or_else(|| format!("{value} is no list"))?.iter().map(read).collect()
}

fn number<N: TryFrom<u64, Error: Error + 'static>>(value: &Value) -> Outcome<N> {
    Ok(value.as_u64().ok_or_else(|| format!("{value} is no number"))?.try_into()?)
}

fn text(value: &Value) -> Outcome<&str> {
    Ok(value.as_str().ok_or_else(|| format!("{value} is no text"))?)
}

fn card(value: &Value) -> Outcome<Card> {
    Ok(text(value)?.parse()?)
}

fn optional<T>(value: &Value, read: impl Fn(&Value) -> Outcome<T>) -> Outcome<Option<T>> {
    if value.is_null() { Ok(None) } else { read(value).map(Some) }
}

fn bytes(value: &Value) -> Outcome<Vec<u8>> {
    let digits: Option<Vec<u8>> = text(value)?.chars().map(|digit| digit.to_digit(16)?.try_into().ok()).collect();
    let digits = digits.ok_or_else(|| format!("{value} is not in hex"))?;
    Ok(digits.chunks(2).map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit)).collect())
}

fn rules(value: &Value) -> Outcome<Rules> {
    Ok(Rules {
        seats: number(&value["seats"])?,
        variant: if value["variant"] == "new_jersey" { Variant::NewJersey } else { Variant::Standard },
        hands: list(&value["hands"], number)?,
        bluke_led: if value["bluke_led"] == "trump" { BlukeLed::Trump } else { BlukeLed::Free },
        cut: if value["cut"] == "player" { CutRule::Player } else { CutRule::Tap },
        max_hand: optional(&value["max_hand"], number)?,
        last_hand: optional(&value["last_hand"], number)?,
        custom_hands: value["custom_hands"] == true,
    })
}

fn dealt(line: &Value) -> Outcome<Dealt> {
    Ok(Dealt {
        hand: number(&line["hand"])?,
        size: number(&line["size"])?,
        dealer: number(&line["dealer"])?,
        cards: list(&line["cards"], |cards| list(cards, card))?,
        cut: optional(&line["cut"], number)?,
        turned: optional(&line["turned"], card)?,
        trump: optional(&line["trump"], |suit| Ok(text(suit)?.parse()?))?,
    })
}

/// Reads what a replay says of the dealing.
fn record(lines: &[Value]) -> Outcome<Record> {
    let line = |kind| lines.iter().find(|line| line["type"] == kind).ok_or_else(|| format!("it has no line {kind:?}"));
    let (game, draw, end) = (line("game")?, line("draw")?, line("end")?);
    let seed = Seed::try_from(bytes(&end["game_seed"])?).map_err(|_| "its seed is not 32 bytes long")?;
    let drawn = |drawn: &Value| Ok((number(&drawn[0])?, card(&drawn[1])?));
    Ok(Record {
        game_id: text(&game["game"])?.to_owned(),
        commitment: bytes(&game["commitment"])?,
        seed,
        rules: rules(&game["rules"])?,
        draw: Draw {
            rounds: list(&draw["rounds"], |round| list(round, drawn))?,
            dealer: number(&draw["dealer"])?,
            scorekeeper: number(&draw["scorekeeper"])?,
        },
        hands: lines.iter().filter(|line| line["type"] == "hand").map(dealt).collect::<Outcome<_>>()?,
    })
}

fn check(path: &str) -> Outcome<()> {
    let lines: Vec<Value> = fs::read_to_string(path)?.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    Ok(verify(&record(&lines)?)?)
}

fn main() -> ExitCode {
    let paths: Vec<String> = env::args().skip(1).collect();
    if paths.is_empty() {
        eprintln!("check_dealing FILE...: name the replay files to check");
        return ExitCode::from(2);
    }
    let mut code = ExitCode::SUCCESS;
    for path in paths {
        match check(&path) {
            Ok(()) => println!("{path}: ok"),
            Err(error) => {
                println!("{path}: {error}");
                code = ExitCode::FAILURE;
            }
        }
    }
    code
}
