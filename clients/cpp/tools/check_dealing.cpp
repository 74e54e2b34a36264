// check-dealing FILE...: works every card of finished games out of their seeds, and compares with their replays.
#include <bluke/dealing.hpp>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "json.hpp"

namespace {

using bluke::DrawnCard;
using bluke::dealing::Told;
using bluke::dealing::ToldHand;

DrawnCard drawn(const json::Value& value) {
  const auto& pair = value.list_value();
  if (pair.values_size() != 2) throw std::invalid_argument("a seat and a card were expected");
  return {json::number(pair.values(0)), json::card(pair.values(1))};
}

void read_game(const json::Value& line, Told& told) {
  const json::Value& rules = json::at(line, "rules");
  told.game_id = json::text(json::at(line, "game"));
  told.commitment = bluke::dealing::from_hex(json::text(json::at(line, "commitment")));
  told.rules.seats = json::number(json::at(rules, "seats"));
  told.rules.hands = json::list(json::at(rules, "hands"), json::number);
  const bool player = json::text(json::at(rules, "cut")) == "player";
  told.rules.cut = player ? bluke::CutRule::player : bluke::CutRule::tap;
}

void read_draw(const json::Value& line, Told& told) {
  told.draw = json::list(json::at(line, "rounds"), [](const json::Value& round) { return json::list(round, drawn); });
  told.dealer = json::number(json::at(line, "dealer"));
  told.scorekeeper = json::number(json::at(line, "scorekeeper"));
}

ToldHand read_hand(const json::Value& line) {
  const auto cards = [](const json::Value& seat) { return json::list(seat, json::card); };
  return {
      .hand = json::number(json::at(line, "hand")),
      .size = json::number(json::at(line, "size")),
      .dealer = json::number(json::at(line, "dealer")),
      .cards = json::list(json::at(line, "cards"), cards),
      .cut = json::unless_null(json::at(line, "cut"), json::number),
      .turned = json::unless_null(json::at(line, "turned"), json::card),
      .trump = json::unless_null(json::at(line, "trump"), json::suit),
  };
}

/// What is wrong with the dealing of one replay; nothing if all is right. Throws std::exception for what is no
/// replay of a finished game.
std::vector<std::string> check(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(std::strerror(errno));
  Told told;
  std::string seed, text;
  for (int number = 1; std::getline(file, text); ++number) {
    try {
      const json::Value line = json::parse(text);
      const std::string& type = json::text(json::at(line, "type"));
      if (number == 1 && type != "game") throw std::invalid_argument("a replay begins with a 'game' line");
      if (type == "game") read_game(line, told);
      if (type == "draw") read_draw(line, told);
      if (type == "hand") told.hands.push_back(read_hand(line));
      if (type == "end") seed = bluke::dealing::from_hex(json::text(json::at(line, "game_seed")));
    } catch (const std::invalid_argument& error) {
      throw std::runtime_error("line " + std::to_string(number) + ": " + error.what());
    }
  }
  if (seed.empty()) throw std::runtime_error("the game was not finished, so nothing tells its seed");
  return bluke::dealing::check(told, seed);
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> paths(arguments + 1, arguments + count);
  if (paths.empty()) {
    std::cerr << "usage: check-dealing REPLAY.jsonl...\n";
    return 2;
  }
  bool right = true;
  for (const std::string& path : paths) {
    try {
      const std::vector<std::string> wrong = check(path);
      if (wrong.empty()) std::cout << path << ": ok\n";
      for (const std::string& sentence : wrong) std::cout << path << ": " << sentence << '\n';
      right = right && wrong.empty();
    } catch (const std::exception& error) {
      std::cout << path << ": " << error.what() << '\n';
      right = false;
    }
  }
  return right ? 0 : 1;
}
