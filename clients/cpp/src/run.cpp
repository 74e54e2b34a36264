// `run`, for a bot's own process, and `play`, for a program with a life of its own.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <system_error>
#include <thread>
#include <utility>

#include "bluke/bot.hpp"
#include "client.hpp"
#include "settings.hpp"
#include "text.hpp"

namespace bluke {
namespace {

// A signal handler may do little more than write to a pipe that is there already.
int signal_pipe = -1;

void on_signal(int signum) {
  const int before = errno;
  const auto byte = static_cast<unsigned char>(signum);
  [[maybe_unused]] const auto written = write(signal_pipe, &byte, 1);
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  errno = before;
}

/// Calls `then` in a thread of its own on the first SIGINT or SIGTERM; after that both do what they always do.
class Signals {
  using Action = struct sigaction;

 public:
  explicit Signals(std::function<void(int)> then) {
    if (pipe(ends_) != 0) throw std::system_error(errno, std::generic_category(), "no pipe for signals");
    // Programs that the bot starts have no business with it.
    for (const int end : ends_) fcntl(end, F_SETFD, FD_CLOEXEC);
    signal_pipe = ends_[1];
    thread_ = std::jthread([this, then = std::move(then)] {
      unsigned char byte = 0;
      while (read(ends_[0], &byte, 1) == 1 && byte) {
        caught_ = byte;
        then(byte);
      }
    });
    Action action{};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigaction(SIGINT, &action, &old_int_);
    sigaction(SIGTERM, &action, &old_term_);
  }

  ~Signals() {
    sigaction(SIGINT, &old_int_, nullptr);
    sigaction(SIGTERM, &old_term_, nullptr);
    const unsigned char end = 0;
    [[maybe_unused]] const auto written = write(ends_[1], &end, 1);
    thread_.join();
    close(ends_[0]);
    close(ends_[1]);
  }

  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  int caught() const { return caught_; }

 private:
  int ends_[2] = {};
  std::atomic<int> caught_ = 0;
  Action old_int_{};
  Action old_term_{};
  std::jthread thread_;
};

int play_to_the_end(Client& client, const std::string& name) {
  try {
    client.run();
    return 0;
  } catch (const RefusedError& error) {
    warn(name + ": " + error.what());
    return 2;
  } catch (const SetupError& error) {
    warn(name + ": " + error.what());
    return 2;
  } catch (const SdkError& error) {
    warn(name + ": " + error.what());
    return 1;
  }
}

}  // namespace

int run(Factory factory, Options options) {
  const std::string name = options.name.empty() ? "bot" : options.name;
  try {
    options = with_environment(std::move(options));
  } catch (const SetupError& error) {
    warn(name + ": " + error.what());
    return 2;
  }
  Client client(std::move(factory), std::move(options));
  const Signals signals([&client](int signum) { client.stop(signum == SIGINT ? "SIGINT" : "SIGTERM"); });
  int code = play_to_the_end(client, name);
  if (code == 0 && signals.caught()) code = 128 + signals.caught();
  // A bot that still thinks cannot be stopped, and nobody waits for what it thinks.
  if (!client.settle(parting_wait)) std::_Exit(code);
  return code;
}

void play(Factory factory, Options options, std::stop_token stop) {
  Client client(std::move(factory), with_environment(std::move(options)));
  const std::stop_callback leave(stop, [&client] { client.stop("the program that it is part of stopped it"); });
  client.run();
  client.settle(parting_wait);
}

}  // namespace bluke
