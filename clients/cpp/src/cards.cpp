#include "bluke/cards.hpp"

#include <ostream>

namespace bluke {

std::string to_string(Suit suit) { return {letter(suit)}; }

std::string to_string(Card card) {
  const auto suit = card.suit();
  if (!suit) return card == lo ? "LO" : "HI";
  return {rank_letters[static_cast<std::size_t>(card.index() % 13)], letter(*suit)};
}

std::ostream& operator<<(std::ostream& out, Suit suit) { return out << letter(suit); }

std::ostream& operator<<(std::ostream& out, Card card) { return out << to_string(card); }

}  // namespace bluke
