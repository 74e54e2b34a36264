// Bots and tools as processes: what they are told by the environment, what they say, and how they end.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <sstream>

#include "referee.hpp"

namespace {

/// A program of this build, its standard output and error in a file.
class Process {
 public:
  Process(const std::string& name, const std::string& server, const std::vector<std::string>& arguments = {})
      : folder_(std::filesystem::temp_directory_path() / ("bluke-" + std::to_string(getpid()) + "-" + name)) {
    std::filesystem::create_directory(folder_);
    std::vector<std::string> words = {std::string(BINARIES) + "/" + name};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<std::string> environment = {"BLUKE_TOKEN=a token"};
    if (!server.empty()) environment.push_back("BLUKE_SERVER=" + server);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, (folder_ / "output").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    const int failure =
        posix_spawn(&pid, words[0].c_str(), &actions, nullptr, pointers(words).data(), pointers(environment).data());
    posix_spawn_file_actions_destroy(&actions);
    REQUIRE(failure == 0);
  }

  ~Process() { std::filesystem::remove_all(folder_); }

  /// Its exit code, once it has ended by itself.
  int code() {
    int status = 0;
    REQUIRE(waitpid(pid, &status, 0) == pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

  std::string output() const {
    std::ifstream file(folder_ / "output");
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }

  pid_t pid = 0;

 private:
  static std::vector<char*> pointers(std::vector<std::string>& words) {
    std::vector<char*> all;
    for (std::string& word : words) all.push_back(word.data());
    all.push_back(nullptr);
    return all;
  }

  std::filesystem::path folder_;
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

}  // namespace

TEST_CASE("a bot without a referee to dial says what to set, and ends with 2") {
  Process bot("rule", "");
  CHECK(bot.code() == 2);
  CHECK(bot.output() == "rule: no referee to dial: set BLUKE_SERVER to its address, such as localhost:7373\n");
}

TEST_CASE("a refused bot shows the message made harmless, and ends with 2") {
  Referee referee({[](Talk& talk) {
    talk.refuse(v1::REFUSAL_REASON_TOKEN, "unknown token\x1b[2J");
    return grpc::Status::OK;
  }});
  Process bot("rule", referee.address);
  CHECK(bot.code() == 2);
  CHECK(bot.output() == "rule: refused by the referee at " + referee.address + ": unknown token<U+001B>[2J\n");
}

TEST_CASE("a bot takes its token from the environment, prints nothing, and ends with 0 after a goodbye") {
  std::string token;
  Referee referee({[&](Talk& talk) {
    token = talk.welcome().token();
    talk.ask({bid("g", 0, 1)});
    talk.move();
    talk.goodbye();
    return grpc::Status::OK;
  }});
  Process bot("rule", referee.address);
  CHECK(bot.code() == 0);
  CHECK(bot.output().empty());
  CHECK(token == "a token");
}

TEST_CASE("a stream that cannot be mended ends a bot with 1") {
  Referee referee({[](Talk& talk) {
    talk.welcome();
    return grpc::Status(grpc::StatusCode::RESOURCE_EXHAUSTED, "too many moves");
  }});
  Process bot("rule", referee.address);
  CHECK(bot.code() == 1);
  CHECK(has(bot.output(), "too many moves"));
}

TEST_CASE("after a signal a bot says goodbye and ends with 128 and the signal, even while it thinks") {
  for (const int signum : {SIGTERM, SIGINT}) {
    std::promise<void> asked;
    std::promise<std::string> reason;
    Referee referee({[&](Talk& talk) {
      talk.welcome();
      talk.ask({bid("g", 0, 1), turn("h", 0, 1, v1::ASKED_PLAY, {7})});
      talk.move();
      asked.set_value();
      reason.set_value(talk.hear().goodbye().reason());
      return grpc::Status::OK;
    }});
    Process bot("thinker", referee.address);
    asked.get_future().wait();
    kill(bot.pid, signum);
    CHECK(reason.get_future().get() == (signum == SIGTERM ? "SIGTERM" : "SIGINT"));
    CHECK(bot.code() == 128 + signum);
  }
}

TEST_CASE("a bot that still thinks when the referee says goodbye ends all the same") {
  Referee referee({[](Talk& talk) {
    talk.welcome();
    talk.ask({bid("g", 0, 1), turn("h", 0, 1, v1::ASKED_PLAY, {7})});
    talk.move();
    talk.goodbye();
    return grpc::Status::OK;
  }});
  Process bot("thinker", referee.address);
  CHECK(bot.code() == 0);
}

TEST_CASE("the checker says what it cannot read, and ends with 1 or 2") {
  Process none("check-dealing", "");
  CHECK(none.code() == 2);
  CHECK(has(none.output(), "usage"));
  Process missing("check-dealing", "", {"/nowhere/at/all.jsonl"});
  CHECK(missing.code() == 1);
  CHECK(missing.output() == "/nowhere/at/all.jsonl: No such file or directory\n");
  Process other("check-dealing", "", {VECTORS "/dealing.json"});
  CHECK(other.code() == 1);
  CHECK(has(other.output(), "line 1: this is no JSON"));
}
