// Cards and suits, in the notation of the rules: rank and suit (`9H`, `TD`), `LO` and `HI`.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace bluke {

enum class Suit : std::uint8_t { clubs, diamonds, hearts, spades };

inline constexpr std::string_view suit_letters = "CDHS";
inline constexpr std::string_view rank_letters = "23456789TJQKA";

/// The letter of a suit: C, D, H or S.
constexpr char letter(Suit suit) { return suit_letters[static_cast<std::size_t>(suit)]; }

/// One card. Cards compare by index, which is not their strength in a trick: ask `beats` for that.
class Card {
 public:
  /// The card of an index, 0 to 53 in the order 2C … AC 2D … AD 2H … AH 2S … AS LO HI.
  /// Throws std::out_of_range for any other.
  constexpr explicit Card(std::int64_t index) : index_(static_cast<std::uint8_t>(index)) {
    if (index < 0 || index > 53) {
      throw std::out_of_range("there is no card " + std::to_string(index) + ": cards are 0 to 53");
    }
  }

  /// The card of a notation. Throws std::invalid_argument for anything else.
  static constexpr Card parse(std::string_view text);

  constexpr int index() const { return index_; }
  constexpr bool is_bluke() const { return index_ >= 52; }

  /// Its suit; none for a Bluke.
  constexpr std::optional<Suit> suit() const {
    return is_bluke() ? std::nullopt : std::optional(static_cast<Suit>(index_ / 13));
  }

  /// 0 for a two to 12 for an ace; 13 and 14 for the Lo and the Hi Bluke.
  constexpr int rank() const { return is_bluke() ? index_ - 39 : index_ % 13; }

  /// Whether this card, played later, takes a trick that `best` would take so far. `best` is the card that is
  /// winning, so it is of the suit led, a trump or a Bluke.
  constexpr bool beats(Card best, std::optional<Suit> trump) const {
    if (is_bluke() || best.is_bluke()) return index_ > best.index_;
    if (suit() == best.suit()) return rank() > best.rank();
    return trump.has_value() && suit() == trump;
  }

  friend constexpr auto operator<=>(Card, Card) = default;

 private:
  std::uint8_t index_;
};

inline constexpr Card lo{52};
inline constexpr Card hi{53};

constexpr Card Card::parse(std::string_view text) {
  if (text == "LO") return lo;
  if (text == "HI") return hi;
  if (text.size() == 2) {
    const auto rank = rank_letters.find(text[0]);
    const auto suit = suit_letters.find(text[1]);
    if (rank != text.npos && suit != text.npos) return Card(static_cast<std::int64_t>(13 * suit + rank));
  }
  throw std::invalid_argument("'" + std::string(text) +
                              "' is not a card: rank 2-9TJQKA and suit CDHS, such as TD, or LO or HI");
}

std::string to_string(Suit suit);
std::string to_string(Card card);
std::ostream& operator<<(std::ostream& out, Suit suit);
std::ostream& operator<<(std::ostream& out, Card card);

namespace literals {

/// `"TD"_card`, checked while compiling.
consteval Card operator""_card(const char* text, std::size_t size) { return Card::parse({text, size}); }

}  // namespace literals
}  // namespace bluke

template <>
struct std::hash<bluke::Card> {
  std::size_t operator()(bluke::Card card) const noexcept { return static_cast<std::size_t>(card.index()); }
};
