#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace {

std::string content(const std::string& path) {
  std::ifstream file(std::string(FOLDER) + "/" + path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("the bot of the README is the one that is built") {
  const std::string bot = content("bots/cautious.cpp");
  REQUIRE_FALSE(bot.empty());
  CHECK(content("README.md").find("```cpp\n" + bot + "```\n") != std::string::npos);
}
