// A bot: derive from Bot, write `bid` and `play`, and return `bluke::run<YourBot>()` from main.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <typeinfo>

#include "bluke/views.hpp"

namespace bluke {

/// One instance is made for each seat in each game, so what it keeps belongs to one seat, and its methods never
/// overlap. A view holds all there is to know, so a bot need not remember anything. One that does should expect to
/// begin in the middle of a game: a bot that was started again takes its seats back.
///
/// An exception that leaves a method is shown on standard error and reported to the referee, which charges a fault
/// and does not wait; the bot is asked on as ever.
class Bot {
 public:
  virtual ~Bot() = default;

  /// How many tricks to contract for: one of `view.legal`.
  virtual int bid(const BidView& view) = 0;
  /// Which card to play: one of `view.legal`.
  virtual Card play(const PlayView& view) = 0;
  /// How many cards to move from the top of the pack to its bottom; asked only if the rules want it.
  virtual int cut(const CutView&) { return 0; }

  virtual void game_started(const GameStarted&) {}
  virtual void hand_scored(const HandScored&) {}
  /// The instance is not used again after this.
  virtual void game_over(const GameOver&) {}
  /// Every public event as it happens; only with `Options::events`.
  virtual void event(const Event&) {}

 protected:
  Bot() = default;
  Bot(const Bot&) = default;
  Bot& operator=(const Bot&) = default;

  /// Attaches a line to the decision being made, for whoever reads the replay. The referee keeps the first 1024 bytes
  /// and shows them to nobody while the game lasts.
  void note(std::string_view text);

 private:
  friend class Client;
  std::optional<std::string> note_;
};

/// What can be chosen. What is left empty is taken from the environment where a variable is named.
struct Options {
  std::string name = {};     ///< the label to be shown, at most 64 bytes; empty for the name of the class
  std::string version = {};  ///< the bot's own version, at most 64 bytes
  std::string author = {};   ///< who wrote it, at most 64 bytes
  std::string server = {};   ///< `host:port` or `unix:/path` (BLUKE_SERVER)
  std::string token = {};    ///< who the bot is (BLUKE_TOKEN)
  std::string ca = {};       ///< file with the root certificate of the referee, PEM (BLUKE_CA)
  bool insecure = false;     ///< no TLS to another machine (BLUKE_INSECURE=1)
  int max_games = 0;         ///< games at once; 0 leaves that to the referee
  bool events = false;       ///< be told every public event
  int threads = 1;           ///< decisions of different seats that are made at the same time
  std::chrono::milliseconds give_up{60'000};  ///< without a welcome
};

/// The bot cannot go on; the text says why, for a person. `run` ends with exit code 1 after it.
struct SdkError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// No referee answered for longer than `Options::give_up`. Exit code 1.
struct UnreachableError : SdkError {
  using SdkError::SdkError;
};
/// The referee refused the hello; the text is its own. Exit code 2.
struct RefusedError : SdkError {
  using SdkError::SdkError;
};
/// An option or an environment variable is missing or wrong. Exit code 2.
struct SetupError : SdkError {
  using SdkError::SdkError;
};

/// Makes the bot of one seat; called from as many threads as `Options::threads`.
using Factory = std::function<std::unique_ptr<Bot>()>;

/// Plays until the referee says goodbye, and returns the exit code for main: 0 after a goodbye, 1 when no referee
/// answered or the stream cannot be mended, 2 when the referee refused or a setting is wrong (each with a sentence on
/// standard error), and 128 + n after signal n. On SIGINT and SIGTERM it says goodbye and leaves, even while the bot
/// thinks; a second one ends the process at once. Writes nothing to standard output.
int run(Factory factory, Options options = {});

/// Plays as `run` does inside a program with a life of its own: leaves signals and the process alone. `stop` makes it
/// say goodbye and return. Throws SdkError and those derived from it.
void play(Factory factory, Options options = {}, std::stop_token stop = {});

/// The name of a class without its namespaces.
std::string class_name(const std::type_info& type);

template <class B>
Options labelled(Options options) {
  if (options.name.empty()) options.name = class_name(typeid(B));
  return options;
}

template <class B>
int run(Options options = {}) {
  return run([] { return std::make_unique<B>(); }, labelled<B>(std::move(options)));
}

template <class B>
void play(Options options = {}, std::stop_token stop = {}) {
  play([] { return std::make_unique<B>(); }, labelled<B>(std::move(options)), std::move(stop));
}

}  // namespace bluke
