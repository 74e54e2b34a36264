// What a bot is shown: one view for each decision, and what it is told between them.
//
// Seats, hands and tricks count from 0; seat s + 1 sits to the left of seat s. Vectors with one entry for each seat
// are in the order of seats.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "bluke/cards.hpp"

namespace bluke {

using Clock = std::chrono::steady_clock;

/// Which form of the game is played. `other` comes from a referee newer than this SDK, here and below.
enum class Variant { other, standard, new_jersey };

/// What a led Bluke asks of the other seats; has no meaning in the New Jersey variant.
enum class BlukeLed { other, free, trump };

/// Who cuts: the referee taps every time, or the seat left of the dealer is asked.
enum class CutRule { other, tap, player };

/// What became of a bid: set, made with overtricks, or made exactly.
enum class Outcome { other, set, overtricks, perfect };

/// How faults are treated: a fixed legal move is made and the fault counted, or the first one ends the game.
enum class Policy { other, lenient, strict };

/// How a game ended: every hand played, ended by a fault, or counted for nobody.
enum class Status { other, complete, forfeited, void_game };

enum class FaultKind { other, illegal, timeout, disconnected, protocol, crash };

/// The rules of one game; they never change while it lasts.
struct Rules {
  int seats = 0;  ///< 2 to 15
  Variant variant = Variant::standard;
  std::vector<int> hands;  ///< the size of every hand, in the order in which they are dealt
  BlukeLed bluke_led = BlukeLed::free;
  CutRule cut = CutRule::tap;
  std::optional<int> max_hand;   ///< the largest hand, where it was chosen
  std::optional<int> last_hand;  ///< where the way back up ends, where it was chosen
  bool custom_hands = false;     ///< whether `hands` was given as a list

  bool operator==(const Rules&) const = default;
};

/// One trick: its cards in the order played, the first by `leader`, each next one by the seat to the left.
struct Trick {
  int leader = 0;
  std::vector<Card> cards;
  std::optional<int> winner;  ///< none while it is being played

  bool operator==(const Trick&) const = default;
};

/// What the referee made of this seat's last decision.
struct LastDecision {
  std::uint64_t decision_id = 0;
  std::chrono::microseconds measured{};      ///< from handing the turn to the stream to reading the answer
  std::chrono::microseconds excused_time{};  ///< the part of it that was the referee's own and not charged
  std::uint32_t applied = 0;                 ///< the answer that took effect: a cut, a bid or a card's index
  bool by_referee = false;                   ///< whether the referee made that answer, after a fault
  bool excused = false;                      ///< whether it would have been late, but was not counted so
};

/// All that one seat knows of its game at one moment: enough to decide without any memory.
struct View {
  std::string game_id;
  int seat = 0;
  std::uint64_t decision_id = 0;  ///< grows within the game
  Rules rules;
  std::vector<int> totals;  ///< points before this hand, by seat
  int hand = 0;             ///< number of this hand
  int size = 0;             ///< cards dealt to each seat in this hand
  int dealer = 0;
  std::optional<Suit> trump;                           ///< none for no trump, and before the cut
  std::optional<Card> turned;                          ///< none before the cut, and when the whole pack was dealt
  std::vector<Card> cards;                             ///< what this seat still holds, in index order
  std::vector<std::optional<int>> bids;                ///< by seat; none for a seat that has not bid yet
  std::vector<Trick> tricks;                           ///< of this hand so far, the one being played last
  std::vector<int> tricks_won;                         ///< in this hand, by seat
  std::optional<LastDecision> last;                    ///< none on the first decision
  bool again = false;                                  ///< asked before, on a stream that broke; its clock has run on
  Clock::time_point received{};                        ///< when this bot read the question
  std::optional<std::chrono::milliseconds> time_left;  ///< then, before the bank is drawn on; none without a clock
  std::optional<std::chrono::milliseconds> bank_left;  ///< then, in this seat's bank; none without a clock

  /// When the bank begins to be drawn on; none without a clock. What the network took is not in it.
  std::optional<Clock::time_point> deadline() const;

  /// This seat's bid, once it has bid.
  std::optional<int> my_bid() const;
  /// Tricks that this seat has taken in this hand.
  int my_tricks() const;
  /// Tricks that a seat still needs to make its bid; 0 once it has made it, and before it bids.
  int needed_by(int seat) const;
  int needed() const { return needed_by(seat); }

  /// The trick on the table; null when this seat is to lead, and while bidding.
  const Trick* trick() const;
  /// The card led to the trick on the table, if any.
  std::optional<Card> led() const;
  /// The seat that is taking the trick on the table, and its card; none when this seat is to lead.
  std::optional<std::pair<int, Card>> winning() const;
  /// The seats that play to the trick on the table after this one, in order; when leading, all others.
  std::vector<int> seats_after() const;
  /// Every card of this hand whose place is known (held, turned up or played), in index order.
  std::vector<Card> seen() const;
};

/// The pack is to be cut. `legal`: how many cards may be moved from its top to its bottom; 0 taps.
struct CutView : View {
  std::vector<int> legal;
};

/// A bid is to be made. `legal`: the bids that may be made, 1 to `size`.
struct BidView : View {
  std::vector<int> legal;
};

/// A card is to be played. `legal`: those of `cards` that may be played now, in index order; never empty.
struct PlayView : View {
  std::vector<Card> legal;
};

/// What a bot says of itself: show it, never trust it.
struct Player {
  std::string name, version, sdk, author;
};

/// Clock and policy of one game.
struct Limits {
  Policy policy = Policy::other;
  std::optional<std::chrono::milliseconds> decision;  ///< for one decision, before the bank; none without a clock
  std::optional<std::chrono::milliseconds> bank;      ///< beyond that, for the whole game; none without a clock
  std::chrono::milliseconds wall{};                   ///< no decision may take longer than this, clock or not
  std::chrono::milliseconds grace{};                  ///< how long a bot whose stream broke may take to come back
  int max_faults = 0;  ///< a seat with this many is played out by the referee (lenient only)
};

struct DrawnCard {
  int seat;
  Card card;

  bool operator==(const DrawnCard&) const = default;
};

/// The draw for the first dealer and the scorekeeper, round by round.
using Rounds = std::vector<std::vector<DrawnCard>>;

/// A game begins.
struct GameStarted {
  std::string game_id;
  int seat = 0;
  std::string match_id;
  Rules rules;
  std::vector<Player> players;  ///< by seat
  Limits limits;
  std::string commitment;  ///< 32 bytes: what the seed of the game must fit, see bluke/dealing.hpp
  Rounds draw;
  int dealer = 0;
  int scorekeeper = 0;
};

/// A hand was scored; every vector has one entry for each seat.
struct HandScored {
  std::string game_id;
  int seat = 0;
  int hand = 0;
  std::vector<int> bids, tricks;
  std::vector<int> points;  ///< won or lost in this hand
  std::vector<int> totals;  ///< after it
  std::vector<Outcome> outcomes;
};

/// A game is over.
struct GameOver {
  std::string game_id;
  int seat = 0;
  Status status = Status::other;
  std::vector<int> totals;               ///< by seat
  std::vector<int> places;               ///< by seat, 1 is best, equal ones share the better; empty for a void game
  std::vector<int> faults;               ///< by seat
  std::vector<int> played_out;           ///< the seats that the referee took over for good
  std::string reason;                    ///< why it ended early; empty for a complete game
  std::optional<std::string> game_seed;  ///< 32 bytes; none while another game on this deal is left to be played
};

/// Public: a hand was dealt and a card turned up.
struct HandDealt {
  std::string game_id;
  int hand = 0, size = 0, dealer = 0;
  std::optional<int> cut;  ///< none when there was nothing to cut
  std::optional<Card> turned;
  std::optional<Suit> trump;
};

/// Public: a seat bid.
struct BidMade {
  std::string game_id;
  int hand = 0, seat = 0, bid = 0;
};

/// Public: a seat played a card.
struct CardPlayed {
  std::string game_id;
  int hand = 0, trick = 0, seat = 0;
  Card card;
};

/// Public: a trick was taken.
struct TrickTaken {
  std::string game_id;
  int hand = 0, trick = 0, winner = 0;
};

/// Public: a seat did something wrong.
struct FaultCharged {
  std::string game_id;
  int hand = 0, seat = 0;
  FaultKind kind = FaultKind::other;
  bool played_out = false;
};

/// What everybody at the table can see, as `Bot::event` is told of it.
using Event = std::variant<HandDealt, BidMade, CardPlayed, TrickTaken, FaultCharged>;

}  // namespace bluke
