//! The project's worked cases.

use std::fmt::Debug;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::dealing::{Dealt, Record, Seed, commitment, deal, draw, game_seed, pack, schedule, verify};
use crate::{BlukeLed, Card, CutRule, Draw, Rules, Suit, Variant};

fn vectors(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors").join(name);
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

fn cases<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    let cases = value[key].as_array().unwrap();
    assert!(!cases.is_empty());
    cases
}

fn number<N: TryFrom<u64, Error: Debug>>(value: &Value) -> N {
    value.as_u64().unwrap().try_into().unwrap()
}

fn optional(value: &Value) -> Option<u32> {
    (!value.is_null()).then(|| number(value))
}

fn cards(value: &Value) -> Vec<Card> {
    value.as_array().unwrap().iter().map(|card| card.as_str().unwrap().parse().unwrap()).collect()
}

fn hands(value: &Value) -> Vec<Vec<Card>> {
    value.as_array().unwrap().iter().map(cards).collect()
}

fn card(value: &Value) -> Option<Card> {
    value.as_str().map(|card| card.parse().unwrap())
}

fn trump(value: &Value) -> Option<Suit> {
    value.as_str().map(|suit| suit.parse().unwrap())
}

fn seed_of(case: &Value) -> Seed {
    game_seed(case["match_seed_text"].as_str().unwrap().as_bytes(), number(&case["deal"]))
}

fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .map(|digit| char::from(b"0123456789abcdef"[usize::from(digit)]))
        .collect()
}

fn drawn(case: &Value) -> Draw {
    let one = |drawn: &Value| (number(&drawn[0]), card(&drawn[1]).unwrap());
    let round = |round: &Value| round.as_array().unwrap().iter().map(one).collect();
    Draw {
        rounds: case["rounds"].as_array().unwrap().iter().map(round).collect(),
        dealer: number(&case["dealer"]),
        scorekeeper: number(&case["scorekeeper"]),
    }
}

fn variant(case: &Value) -> Variant {
    if case["variant"] == "new_jersey" { Variant::NewJersey } else { Variant::Standard }
}

fn sizes(value: &Value) -> Vec<u32> {
    value.as_array().unwrap().iter().map(number).collect()
}

#[test]
fn seeds_packs_and_draws_are_those_of_the_vectors() {
    for case in cases(&vectors("dealing.json"), "games") {
        let seed = seed_of(case);
        assert_eq!(hex(&seed), case["game_seed"]);
        assert_eq!(hex(&commitment(&seed, case["game"].as_str().unwrap())), case["commitment"]);
        assert_eq!(pack(&seed, &[b"bluke/1/draw"])[..], cards(&case["draw_pack"]));
        assert_eq!(draw(&seed, number(&case["seats"])), drawn(case));
    }
    for case in cases(&vectors("dealing.json"), "draws_with_ties") {
        assert_eq!(draw(&seed_of(case), number(&case["seats"])), drawn(case));
    }
}

#[test]
fn hands_are_dealt_as_in_the_vectors() {
    let vectors = vectors("dealing.json");
    let games =
        cases(&vectors, "games").iter().flat_map(|game| cases(game, "hands").iter().map(move |hand| (game, hand)));
    for (game, hand) in games.chain(cases(&vectors, "special_deals").iter().map(|case| (case, case))) {
        let (number_of_hand, size, dealer) = (number(&hand["hand"]), number(&hand["size"]), number(&hand["dealer"]));
        let deal = deal(&seed_of(game), number(&game["seats"]), number_of_hand, size, dealer);
        assert_eq!(deal.cards, hands(&hand["cards"]));
        if !hand["remaining"].is_null() {
            assert_eq!(deal.rest, cards(&hand["remaining"]));
        }
        let cut = optional(&hand["cut"]).unwrap_or(0);
        let turned = deal.rest.get(cut as usize).copied();
        assert_eq!(turned, card(&hand["turned"]));
        assert_eq!(turned.and_then(Card::suit), trump(&hand["trump"]));
    }
}

#[test]
fn schedules_are_those_of_the_vectors() {
    for case in cases(&vectors("schedules.json"), "cases") {
        let (max_hand, last_hand) = (optional(&case["max_hand"]), optional(&case["last_hand"]));
        let made = schedule(number(&case["seats"]), variant(case), max_hand, last_hand);
        assert_eq!(made, sizes(&case["schedule"]), "{case}");
    }
}

#[test]
fn tricks_are_taken_as_in_the_vectors() {
    for case in cases(&vectors("tricks.json"), "cases") {
        let (cards, trump) = (cards(&case["cards"]), trump(&case["trump"]));
        let mut best = 0;
        for (at, card) in cards.iter().enumerate() {
            if card.beats(cards[best], trump) {
                best = at;
            }
        }
        assert_eq!(best, number::<usize>(&case["winner"]), "{case}");
    }
}

/// The record of a game that was played to its end with the cuts given.
fn record(case: &Value, cut: CutRule, cut_at: u32) -> Record {
    let (seed, seats) = (seed_of(case), number(&case["seats"]));
    let draw = draw(&seed, seats);
    let rules = Rules {
        seats,
        variant: variant(case),
        hands: sizes(&case["schedule"]),
        bluke_led: BlukeLed::Free,
        cut,
        max_hand: None,
        last_hand: None,
        custom_hands: false,
    };
    let dealt = |(hand, &size): (u32, &u32)| {
        let dealer = (draw.dealer + hand as usize) % seats;
        let deal = deal(&seed, seats, hand, size, dealer);
        let turned = deal.rest.get(cut_at as usize).copied();
        let trump = turned.and_then(Card::suit);
        Dealt { hand, size, dealer, cards: deal.cards, cut: turned.map(|_| cut_at), turned, trump }
    };
    let hands = (0..).zip(&rules.hands).map(dealt).collect();
    let game_id = case["game"].as_str().unwrap().to_owned();
    Record { commitment: commitment(&seed, &game_id).into(), game_id, seed, rules, draw, hands }
}

#[test]
fn an_honest_record_is_right() {
    for case in cases(&vectors("dealing.json"), "games") {
        assert_eq!(verify(&record(case, CutRule::Tap, 0)), Ok(()));
        assert_eq!(verify(&record(case, CutRule::Player, 1)), Ok(()));
    }
}

#[test]
fn whatever_is_changed_in_a_record_is_found() {
    type Change = fn(&mut Record);
    let changes: [(&str, Change); 16] = [
        ("8.1", |record| record.game_id.push('x')),
        ("8.1", |record| record.seed[31] ^= 1),
        ("8.1", |record| record.commitment.clear()),
        ("2.1", |record| record.rules.seats = 16),
        ("2", |record| record.rules.hands[3] += 1),
        ("3", |record| record.draw.dealer ^= 1),
        ("3", |record| record.draw.rounds[0].swap(0, 1)),
        ("2", |record| record.hands.swap(0, 1)),
        ("2", |record| record.hands[5].size = 1),
        ("3.5", |record| record.hands[2].dealer ^= 1),
        ("4.1", |record| record.hands[2].cards.swap(0, 1)),
        ("4.1", |record| record.hands[2].cards.truncate(1)),
        ("4.2", |record| record.hands[2].cut = Some(1)),
        ("4.2", |record| record.hands[2].cut = None),
        ("4.3", |record| record.hands[2].turned = None),
        ("2", |record| record.hands.push(record.hands[2].clone())),
    ];
    let vectors = vectors("dealing.json");
    let honest = record(&cases(&vectors, "games")[0], CutRule::Tap, 0);
    for (at, (rule, change)) in changes.into_iter().enumerate() {
        let mut record = honest.clone();
        change(&mut record);
        let found = verify(&record).expect_err("it was changed");
        assert_eq!(found.rule, rule, "change {at}: {found}");
    }
}
