#include "bluke/dealing.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace bluke::dealing {
namespace {

using Bytes = std::array<unsigned char, EVP_MAX_MD_SIZE>;

std::string big_endian(std::uint64_t number, int bytes) {
  std::string text;
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) text += static_cast<char>(number >> shift & 0xff);
  return text;
}

/// SHA-256(key + counter) for counter 0, 1, ..., read as words of four bytes.
class Words {
 public:
  explicit Words(std::string key) : key_(std::move(key)) {}

  std::uint64_t next() {
    if (at_ == block_.size()) {
      block_ = sha256(key_ + big_endian(counter_++, 4));
      at_ = 0;
    }
    std::uint64_t word = 0;
    for (int i = 0; i < 4; ++i) word = word << 8 | static_cast<unsigned char>(block_[at_++]);
    return word;
  }

 private:
  std::string key_, block_;
  std::size_t at_ = 0;
  std::uint64_t counter_ = 0;
};

/// Draws again among the tied, appending the rounds, until one of them is highest, or lowest where `sign` is -1.
int settle(std::span<const Card> pack, std::size_t& top, std::vector<DrawnCard> round, Rounds& rounds, int sign) {
  for (;;) {
    const auto strength = [sign](const DrawnCard& drawn) { return sign * drawn.card.rank(); };
    const int best = strength(*std::ranges::max_element(round, {}, strength));
    std::vector<int> tied;
    for (const DrawnCard& drawn : round) {
      if (strength(drawn) == best) tied.push_back(drawn.seat);
    }
    if (tied.size() == 1 || pack.size() - top < tied.size()) return tied.front();
    round.clear();
    for (int seat : tied) round.push_back({seat, pack[top++]});
    rounds.push_back(round);
  }
}

template <class T>
std::string shown(const std::optional<T>& value) {
  return value ? to_string(*value) : "none";
}

std::vector<Card> sorted(std::vector<Card> cards) {
  std::ranges::sort(cards);
  return cards;
}

/// How the rest was cut: as told, or else so that the card turned up comes to the top. None if it can come there by no
/// cut that the rules allow.
std::optional<int> cut_of(const ToldHand& told, const Deal& tapped, CutRule rule) {
  if (tapped.rest.empty() || rule == CutRule::tap) return 0;
  if (told.cut) return told.cut;
  if (!told.turned) return std::nullopt;
  const auto found = std::ranges::find(tapped.rest, *told.turned);
  if (found == tapped.rest.end()) return std::nullopt;
  return static_cast<int>(found - tapped.rest.begin());
}

void check_hand(const ToldHand& told, const Told& game, int first_dealer, std::string_view seed,
                std::vector<std::string>& wrong) {
  const std::string where = "hand " + std::to_string(told.hand) + ": ";
  const auto& sizes = game.rules.hands;
  if (told.hand < 0 || static_cast<std::size_t>(told.hand) >= sizes.size()) {
    wrong.push_back(where + "the schedule has only " + std::to_string(sizes.size()) + " hands");
    return;
  }
  const int seats = game.rules.seats;
  const int size = sizes[static_cast<std::size_t>(told.hand)];
  const int dealer = static_cast<int>((std::int64_t{first_dealer} + told.hand) % seats);
  const auto differ = [&](const std::string& what, const std::string& was, const std::string& is) {
    wrong.push_back(where + what + " was " + was + ", and must be " + is);
  };
  if (told.size != size) differ("its size", std::to_string(told.size), std::to_string(size));
  if (told.dealer != dealer) differ("the dealer", std::to_string(told.dealer), std::to_string(dealer));
  if (!told.cards.empty() && told.cards.size() != static_cast<std::size_t>(seats)) {
    differ("the number of seats with cards", std::to_string(told.cards.size()), std::to_string(seats));
  }

  const std::vector<Card> pack = hand_pack(seed, told.hand);
  Deal right = deal(pack, seats, size, dealer);
  const std::optional<int> cut = cut_of(told, right, game.rules.cut);
  if (told.cut && cut && *told.cut != *cut) differ("the cut", std::to_string(*told.cut), std::to_string(*cut));
  try {
    if (!cut) throw std::invalid_argument("no cut turns up " + shown(told.turned));
    right = deal(pack, seats, size, dealer, *cut);
    if (told.turned != right.turned) differ("the card turned up", shown(told.turned), shown(right.turned));
    if (told.trump != right.trump) differ("the trump", shown(told.trump), shown(right.trump));
  } catch (const std::invalid_argument& error) {
    wrong.push_back(where + error.what());
  }
  for (std::size_t seat = 0; seat < std::min(told.cards.size(), right.cards.size()); ++seat) {
    if (!told.cards[seat].empty() && sorted(told.cards[seat]) != sorted(right.cards[seat])) {
      wrong.push_back(where + "seat " + std::to_string(seat) + " was dealt other cards than the seed gives");
    }
  }
}

}  // namespace

std::string sha256(std::string_view data) {
  Bytes digest;
  unsigned int size = 0;
  if (EVP_Digest(data.data(), data.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1) {
    throw std::runtime_error("libcrypto has no SHA-256");
  }
  return {digest.begin(), digest.begin() + size};
}

std::string hmac_sha256(std::string_view key, std::string_view message) {
  Bytes digest;
  unsigned int size = 0;
  // libcrypto takes a null key for "the key of last time"; an empty string has an address.
  const char* bytes = key.empty() ? "" : key.data();
  if (!HMAC(EVP_sha256(), bytes, static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(message.data()),
            message.size(), digest.data(), &size)) {
    throw std::runtime_error("libcrypto has no HMAC-SHA-256");
  }
  return {digest.begin(), digest.begin() + size};
}

std::string to_hex(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    text += digits[value >> 4];
    text += digits[value & 15];
  }
  return text;
}

std::string from_hex(std::string_view text) {
  const auto digit = [&](char letter) {
    if (letter >= '0' && letter <= '9') return letter - '0';
    if (letter >= 'a' && letter <= 'f') return letter - 'a' + 10;
    if (letter >= 'A' && letter <= 'F') return letter - 'A' + 10;
    throw std::invalid_argument("'" + std::string(text) + "' is not hex");
  };
  if (text.size() % 2 != 0) throw std::invalid_argument("'" + std::string(text) + "' has half a byte too much");
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    bytes += static_cast<char>(digit(text[i]) << 4 | digit(text[i + 1]));
  }
  return bytes;
}

std::string commitment(std::string_view game_seed, std::string_view game_id) {
  return sha256("bluke/1/commit" + std::string(game_seed) + std::string(game_id));
}

std::string game_seed(std::string_view match_seed, std::uint64_t deal) {
  return hmac_sha256(match_seed, "bluke/1/game" + big_endian(deal, 8));
}

std::vector<Card> pack(std::string_view game_seed, std::string_view label) {
  constexpr std::uint64_t all = std::uint64_t{1} << 32;
  Words words(hmac_sha256(game_seed, label));
  std::vector<Card> cards;
  for (int index = 0; index < 54; ++index) cards.emplace_back(index);
  for (std::uint64_t i = 53; i > 0; --i) {
    const std::uint64_t m = i + 1;
    std::uint64_t word = words.next();
    while (word >= all - all % m) word = words.next();
    std::swap(cards[i], cards[word % m]);
  }
  return cards;
}

std::vector<Card> draw_pack(std::string_view game_seed) { return pack(game_seed, "bluke/1/draw"); }

std::vector<Card> hand_pack(std::string_view game_seed, int hand) {
  return pack(game_seed, "bluke/1/hand" + big_endian(static_cast<std::uint64_t>(hand), 4));
}

Draw draw(std::span<const Card> pack, int seats) {
  if (seats < 1 || static_cast<std::size_t>(seats) > pack.size()) {
    throw std::invalid_argument(std::to_string(seats) + " seats cannot draw from this pack");
  }
  std::vector<DrawnCard> first;
  for (int seat = 0; seat < seats; ++seat) first.push_back({seat, pack[static_cast<std::size_t>(seat)]});
  auto top = static_cast<std::size_t>(seats);
  Draw result;
  result.rounds.push_back(first);
  result.dealer = settle(pack, top, first, result.rounds, 1);
  result.scorekeeper = settle(pack, top, first, result.rounds, -1);
  return result;
}

Deal deal(std::span<const Card> pack, int seats, int size, int dealer, int cut) {
  if (seats < 1 || size < 1 || std::int64_t{seats} * size > static_cast<std::int64_t>(pack.size())) {
    throw std::invalid_argument("the pack cannot give " + std::to_string(size) + " cards to each of " +
                                std::to_string(seats) + " seats");
  }
  if (dealer < 0 || dealer >= seats) throw std::invalid_argument("there is no dealer " + std::to_string(dealer));
  const auto dealt = static_cast<std::size_t>(seats) * static_cast<std::size_t>(size);
  Deal result;
  result.cards.resize(static_cast<std::size_t>(seats));
  for (std::size_t i = 0; i < dealt; ++i) {
    result.cards[(static_cast<std::size_t>(dealer) + 1 + i) % result.cards.size()].push_back(pack[i]);
  }
  result.rest.assign(pack.begin() + static_cast<std::ptrdiff_t>(dealt), pack.end());
  if (cut < 0 || (cut > 0 && static_cast<std::size_t>(cut) >= result.rest.size())) {
    throw std::invalid_argument(std::to_string(result.rest.size()) + " cards cannot be cut at " + std::to_string(cut));
  }
  if (!result.rest.empty()) {
    std::ranges::rotate(result.rest, result.rest.begin() + cut);
    result.turned = result.rest.front();
    result.trump = result.turned->suit();
  }
  return result;
}

std::vector<std::string> check(const Told& told, std::string_view game_seed) {
  std::vector<std::string> wrong;
  if (told.rules.seats < 2 || told.rules.seats > 15) {
    return {"there are no games of " + std::to_string(told.rules.seats) + " seats"};
  }
  if (commitment(game_seed, told.game_id) != told.commitment) {
    wrong.push_back("the seed is not the one that was committed to before the first card");
  }
  const Draw right = draw(draw_pack(game_seed), told.rules.seats);
  if (told.draw != right.rounds) wrong.push_back("the draw was another than the seed gives");
  if (told.dealer != right.dealer) {
    wrong.push_back("the first dealer was seat " + std::to_string(told.dealer) + ", and must be seat " +
                    std::to_string(right.dealer));
  }
  if (told.scorekeeper != right.scorekeeper) {
    wrong.push_back("the scorekeeper was seat " + std::to_string(told.scorekeeper) + ", and must be seat " +
                    std::to_string(right.scorekeeper));
  }
  for (const ToldHand& hand : told.hands) {
    try {
      check_hand(hand, told, right.dealer, game_seed, wrong);
    } catch (const std::invalid_argument& error) {
      wrong.push_back("hand " + std::to_string(hand.hand) + ": " + error.what());
    }
  }
  return wrong;
}

}  // namespace bluke::dealing
