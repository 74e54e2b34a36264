#include <doctest/doctest.h>

#include "text.hpp"

TEST_CASE("bytes that are no UTF-8 are replaced, and all others stay") {
  CHECK(bluke::valid_utf8("plain, Ünïcode, \xF0\x9F\x83\x8F\n") == "plain, Ünïcode, \xF0\x9F\x83\x8F\n");
  const std::string sign = "\xEF\xBF\xBD";
  CHECK(bluke::valid_utf8(sign) == sign);
  CHECK(bluke::valid_utf8("a\xFF"
                          "b") == "a" + sign + "b");
  CHECK(bluke::valid_utf8("\xC3") == sign);                                   // cut short
  CHECK(bluke::valid_utf8("\xC0\xAF") == sign + sign);                        // longer than it need be
  CHECK(bluke::valid_utf8("\xED\xA0\x80") == sign + sign + sign);             // half of a pair
  CHECK(bluke::valid_utf8("\xF4\x90\x80\x80") == sign + sign + sign + sign);  // beyond the last
  CHECK(bluke::valid_utf8("\xE2\x28\xA1") == sign + "(" + sign);
}

TEST_CASE("a text is cut between characters") {
  CHECK(bluke::clip("äöü", 6) == "äöü");
  CHECK(bluke::clip("äöü", 5) == "äö");
  CHECK(bluke::clip("äöü", 1).empty());
  CHECK(bluke::clip("äöü", 5, true) == "öü");
  CHECK(bluke::clip("äöü", 1, true).empty());
}

TEST_CASE("what would move the cursor or turn the text is spelled out") {
  CHECK(bluke::visible("two\nlines") == "two\nlines");
  CHECK(bluke::visible("\x1b[2J") == "<U+001B>[2J");
  CHECK(bluke::visible("a\xE2\x80\xAE"
                       "b") == "a<U+202E>b");
  CHECK(bluke::visible("\xC2\x9B") == "<U+009B>");
}
