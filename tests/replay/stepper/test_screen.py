from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from replay.page.games import HOSTILE
from replay.stepper.games import GAMES, tale

from bluke.replay.page.steps import Kind
from bluke.replay.render import plain
from bluke.replay.stepper.course import Panel, State, press
from bluke.replay.stepper.screen import LOOKS, screen, settle
from bluke.replay.stepper.tale import find, hand_so_far
from bluke.replay.text import width

CARD = re.compile(r"\b(?:[2-9TJQKA][CDHS]|HI|LO)\b")


@pytest.fixture(scope="module")
def tales(tmp_path_factory):
    """All games of these tests."""
    return {name: tale(tmp_path_factory.mktemp("screen"), name) for name in GAMES}


def shown(told, state: State, columns: int = 80, rows: int = 24) -> str:
    """The screen as text."""
    return plain(screen(told, settle(told, state, columns, rows), columns, rows))


@settings(max_examples=300, deadline=None)
@given(data=st.data(), name=st.sampled_from(list(GAMES)), columns=st.integers(1, 200), rows=st.integers(1, 60))
def test_the_screen_is_as_large_as_the_terminal(tales, data, name, columns, rows):
    """Whatever is shown, there are as many lines as the terminal has, none is too wide, and all can be printed."""
    told = tales[name]
    state = State(
        at=data.draw(st.integers(0, len(told.steps) - 1)),
        view=data.draw(st.one_of(st.none(), st.integers(0, len(told.names) - 1))),
        panel=data.draw(st.one_of(st.none(), st.sampled_from(Panel))),
        scroll=data.draw(st.integers(-50, 50)),
        help=data.draw(st.booleans()),
        told=data.draw(st.sampled_from(["", "No more sets of seat 3."])),
    )
    lines = screen(told, settle(told, state, columns, rows), columns, rows)
    assert len(lines) == rows
    for line in lines:
        text = "".join(piece.text for piece in line)
        assert width(text) <= columns
        assert text.isprintable()
        assert all(piece.style in LOOKS for piece in line)


def test_a_whole_screen(tales):
    """A screen at 80 by 24, as a person would check it by hand."""
    told = tales["four"]
    assert shown(told, State(at=find(told, "2.1.2"))).splitlines() == WHOLE.splitlines()[1:]


WHOLE = r"""
 hand 2/10  4 cards  trump D (7D turned)  trick 1  game-1.jsonl   2.1.2  68/231
   seat name  bid took total  card   hand, + may be played
     0  bot 0   4    1   -19  >2D     AC 7C
     1  bot 1   3    0  -100   JD*    AS JH
     2  bot 2   2    0   -90   JC     3S 3C
>D   3  bot 3   2    0   -70         +4D 4S 2S
Seat 2 bot 2 plays JC.
9.3 ms; could play 3S JC 3C
it said: two
  lines \u202egnp.exe
... the rest is in the panels said and faults
-- [hand]  sheet  said  faults -------------------------------------------------
seat      0     1     2     3
bid       4     3     2     2
taken     1     0     0     0
trick 0  >QC*   9C    2C    AH
trick 1  >2D    JD    JC






 ? keys  q quit  arrows step/hand  tab panel  v view  n set  f fault  r regret
"""


@pytest.mark.parametrize("name", ["four", "fifteen", "hostile", "jersey"])
def test_a_seat_sees_no_cards_that_it_did_not_see(tales, name):
    """With the view of a seat no card is on the screen that the seat could not know, in any panel."""
    told = tales[name]
    for at in range(0, len(told.steps), 7):
        step = told.steps[at]
        seat = at % len(told.names)
        known = {card for drawn in told.rounds for _, card in drawn}
        if step.hand is not None:
            hand = told.hands[step.hand]
            known = {*hand.cards[seat], *([hand.turned] if hand.turned else [])}
            known |= {str(one.value) for one in hand_so_far(told, at) if one.kind is Kind.PLAY}
        for panel in (Panel.HAND, Panel.SHEET, Panel.SAID):
            assert set(CARD.findall(shown(told, State(at=at, view=seat, panel=panel)))) <= known


def test_a_view_hides_what_others_said_and_did_wrong(tales):
    """Notes and details of faults are for their own seat's view."""
    told = tales["hostile"]
    noted = next(at for at, step in enumerate(told.steps) if step.note.startswith("regret") and step.seat == 1)
    assert "regret 4.5" in shown(told, State(at=noted, view=1))
    assert "What it said is hidden in this view." in shown(told, State(at=noted, view=2))
    assert "regret 4.5" not in shown(told, State(at=noted, view=2))
    faulty = next(at for at, step in enumerate(told.steps) if step.faults)
    seat = told.faults[told.steps[faulty].faults[0]].seat
    assert "It went wrong [sent: 99]" in shown(told, State(at=faulty, view=seat), columns=160)
    other = shown(told, State(at=faulty, view=(seat + 1) % 4, panel=Panel.FAULTS), columns=160)
    assert "fault, seat" in other
    own = {fault.seat for fault in told.faults} - {(seat + 1) % 4}
    assert other.count("It went wrong") == sum(fault.seat not in own for fault in told.faults)


def test_nothing_is_told_by_colour_alone(tales):
    """Who is to act, what may be played, who led, takes and deals, and what the referee did are characters."""
    told = tales["hostile"]
    for at, step in enumerate(told.steps):
        if step.kind is not Kind.PLAY:
            continue
        lines = shown(told, State(at=at), columns=120).splitlines()[1:6]
        seats = [line for line in lines if re.match(r"[> ][D ] +\d ", line)]
        assert len(seats) == 4
        assert [line[0] == ">" for line in seats] == [step.turn == seat for seat in range(4)]
        assert [line[1] == "D" for line in seats] == [told.hands[step.hand].dealer == seat for seat in range(4)]
        mover = f"{seats[step.seat]} "
        assert f"{step.value}{'*' if step.best == step.seat else ''}{'!' if step.referee else ''} " in mover
        if step.turn is not None:
            legal = [card for i, card in enumerate(told.hands[step.hand].cards[step.turn]) if step.legal >> i & 1]
            assert re.findall(r"\+(\w\w)", seats[step.turn]) == legal != []


def test_the_move_says_what_else_could_be_done(tales):
    """Beside a card stand the cards that could be played, its time, and what was said."""
    told = tales["four"]
    at = next(i for i, step in enumerate(told.steps) if step.note and step.kind is Kind.PLAY and "regret" in step.note)
    before, step = told.steps[at - 1], told.steps[at]
    legal = [card for i, card in enumerate(told.hands[step.hand].cards[step.seat]) if before.legal >> i & 1]
    text = shown(told, State(at=at))
    assert (f"could play {' '.join(legal)}" if len(legal) > 1 else "had no choice") in text
    assert f"{step.ms:.{1 if step.ms < 9.95 else 0}f} ms; " in text
    assert f"\n{step.note}\n" in text
    bid = next(i for i, step in enumerate(told.steps) if step.kind is Kind.BID)
    assert f"could bid 1 to {told.hands[0].size}" in shown(told, State(at=bid))


def test_text_from_bots_stays_text(tales):
    """Markup stands as it is, and marks that turn the direction of writing are spelled out."""
    told = tales["hostile"]
    text = "".join(
        shown(told, State(at=at, panel=panel), columns=200)
        for at in range(len(told.steps))
        for panel in (Panel.SAID, Panel.FAULTS)
    )
    assert "</script><script>document.tit" in text
    assert "\\u202egnp.exe \\u2028\\u2029" in text
    assert not re.search("[\u202e\u2028\u2029\x1b]", text)
    assert HOSTILE[3].name in text


def test_a_line_of_a_note_looks_like_none_of_ours(tales):
    """What follows a line end in a note is set in."""
    told = tales["hostile"]
    at = next(i for i, step in enumerate(told.steps) if step.note.startswith("two\n"))
    assert "it said: two\n  lines " in shown(told, State(at=at), rows=40, columns=60)
    assert "\n  two\n  lines " in shown(told, State(at=at, panel=Panel.SAID))


def test_a_cut_note_points_to_where_it_is_whole(tales):
    """A note that is longer than its place is cut, and the panel has all of it."""
    told = tales["hostile"]
    at = next(i for i, step in enumerate(told.steps) if step.note.startswith("two\n"))
    assert "... the rest is in the panels said and faults" in shown(told, State(at=at))
    said = shown(told, State(at=at, panel=Panel.SAID), rows=50)
    assert said.count("x") >= 300


def test_the_sheet(tales):
    """The sheet has a row for each hand of the schedule, marks sets and perfect bids, and counts them."""
    told = tales["four"]
    score = find(told, "2.score")
    text = shown(told, State(at=score, panel=Panel.SHEET), columns=100, rows=40)
    for seat in range(4):
        totals = re.escape(str(told.steps[score].totals[seat]))
        assert re.search(rf"\n>   2 .*{totals}", text)
    scores = [step for step in told.steps[: score + 1] if step.kind is Kind.SCORE]
    letters = "".join(step.outcomes for step in scores)
    sheet = text.partition("trump  bids")[2]
    assert sheet.count("(") - 3 == letters.count("S")
    assert sheet.count("[") == letters.count("P")
    sets = re.search(r"set \(S\) +(\d+) +(\d+) +(\d+) +(\d+)", text)
    assert sets is not None
    assert [int(count) for count in sets.groups()] == [[s.outcomes[i] for s in scores].count("S") for i in range(4)]
    assert len(re.findall(r"\n[> ] {2,3}\d+ {2,}\d", text)) == len(told.schedule)


def test_many_seats(tales):
    """At 80 by 24 the table of fifteen seats is a panel of its own, and the sheet is cut into blocks of seats."""
    told = tales["fifteen"]
    state = State(at=find(told, "1.1.3"))
    text = shown(told, state)
    assert "[table]  hand  sheet" in text
    assert all(re.search(rf"\n[> ][D ] +{seat}  bot {seat} ", text) for seat in range(15))
    hand = shown(told, replace(state, panel=Panel.HAND))
    assert all(re.search(rf"\n {seat} +\d", hand) for seat in range(15))
    for view in (1, 8, 14):
        sheet = shown(told, replace(state, panel=Panel.SHEET, view=view))
        assert re.search(rf" {view} bot {view}\s", sheet)
    assert "[hand]" in shown(told, state, 120, 40)


def test_a_wide_terminal_shows_two_panels(tales):
    """At 120 by 40 the hand stands beside the sheet, and tab changes what is beside it."""
    told = tales["four"]
    state = settle(told, State(at=find(told, "1.1.0")), 120, 40)
    text = shown(told, state, 120, 40)
    assert re.search(r"-- hand -+ \[sheet\]  said  faults -+\n", text)
    assert re.search(r"seat +0 +1 +2 +3 +hand cards trump", text)
    assert re.search(r"-- hand -+ sheet  \[said\]", shown(told, press(told, state, "tab"), 120, 40))


def test_the_panel_follows(tales):
    """The trick that is played is in sight, however many there were, and scrolling ends where there is no more."""
    told = tales["two"]
    for at, step in enumerate(told.steps):
        if step.kind is Kind.PLAY:
            assert f"\ntrick {step.trick} " in shown(told, State(at=at, panel=Panel.HAND), 80, 16)
    at = find(told, "0.20.0")
    state = settle(told, State(at=at, panel=Panel.HAND), 80, 16)
    up = state
    for _ in range(20):
        up = settle(told, press(told, up, "pageup"), 80, 16)
    assert "\ntrick 0 " in shown(told, up, 80, 16)
    assert settle(told, replace(state, scroll=99), 80, 16).scroll == 0
    # As many lines down as up: nothing was counted beyond the end.
    assert -20 <= up.scroll < 0


def test_an_unfinished_game(tales):
    """That a game was not finished is said in the heading and at its end."""
    told = tales["unfinished"]
    assert "The game was not finished" in shown(told, State(at=3), 160).splitlines()[0]
    end = shown(told, State(at=len(told.steps) - 1))
    assert f"The game was not finished: the file holds 2 of {len(told.schedule)} hands." in end


def test_how_a_game_ended(tales):
    """The end says who came where, and why a game was cut off."""
    end = shown(tales["hostile"], State(at=len(tales["hostile"].steps) - 1))
    assert "The game is over. 1. " in end
    strict = tales["strict"]
    end = shown(strict, State(at=len(strict.steps) - 1))
    assert re.search(r"The game was forfeited: seat \d was at fault\. 1\. ", end)
    assert "The game is void" in shown(tales["two"], State(at=len(tales["two"].steps) - 1))


def test_the_last_line(tales):
    """The last line has the keys, as many as there is room for, or what the last key had to say."""
    told = tales["four"]
    assert shown(told, State()).splitlines()[-1].startswith(" ? keys  q quit ")
    assert shown(told, State(), 18).splitlines()[-1] == " ? keys  q quit"
    assert shown(told, press(told, State(), "left")).splitlines()[-1] == " This is the beginning."


def test_the_help(tales):
    """The help fits a small terminal."""
    text = shown(tales["four"], State(help=True))
    assert "next set, previous set" in text
    assert "+ may be played." in text.replace("\n", " ")
