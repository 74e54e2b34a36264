#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <latch>

#include "workers.hpp"

using bluke::Workers;
using namespace std::chrono_literals;

namespace {

constexpr auto long_enough = 60s;

void ignore(bool) {}

}  // namespace

TEST_CASE("jobs of one strand run in order and never at the same time, with any number of threads") {
  constexpr int strands = 20, jobs = 200;
  for (const int threads : {1, 4}) {
    std::vector<std::vector<int>> order(strands);
    std::atomic<int> overlaps = 0;
    std::vector<std::atomic<bool>> inside(strands);
    Workers workers(threads, ignore);
    std::vector<std::shared_ptr<Workers::Strand>> all;
    for (int s = 0; s < strands; ++s) all.push_back(std::make_shared<Workers::Strand>());
    for (int j = 0; j < jobs; ++j) {
      std::vector<Workers::Task> tasks;
      for (std::size_t s = 0; s < strands; ++s) {
        tasks.push_back({all[s], [&, s, j] {
                           overlaps += inside[s].exchange(true);
                           order[s].push_back(j);
                           inside[s] = false;
                         }});
      }
      workers.post(std::move(tasks));
    }
    CHECK(workers.settle(long_enough));
    CHECK(overlaps == 0);
    for (const auto& one : order) {
      REQUIRE(one.size() == jobs);
      CHECK(std::ranges::is_sorted(one));
    }
  }
}

TEST_CASE("different strands run at the same time where there are threads") {
  std::latch both(2);
  Workers workers(2, ignore);
  for (int i = 0; i < 2; ++i) workers.post({{std::make_shared<Workers::Strand>(), [&] { both.arrive_and_wait(); }}});
  CHECK(workers.settle(long_enough));
}

TEST_CASE("whether more waits is told after each job") {
  std::vector<bool> told;
  {
    Workers workers(1, [&](bool more) { told.push_back(more); });
    std::vector<Workers::Task> tasks;
    for (int i = 0; i < 3; ++i) tasks.push_back({std::make_shared<Workers::Strand>(), [] {}});
    workers.post(std::move(tasks));
    CHECK(workers.settle(long_enough));
  }
  CHECK(told == std::vector{true, true, false});
}

TEST_CASE("closing drops what has not begun, and what runs is waited for") {
  std::latch begun(1), go(1);
  std::atomic<int> ran = 0;
  Workers workers(1, ignore);
  const auto strand = std::make_shared<Workers::Strand>();
  workers.post({{strand,
                 [&] {
                   begun.count_down();
                   go.wait();
                   ++ran;
                 }},
                {strand, [&] { ++ran; }},
                {std::make_shared<Workers::Strand>(), [&] { ++ran; }}});
  begun.wait();
  workers.close();
  workers.post({{strand, [&] { ++ran; }}});
  CHECK_FALSE(workers.settle(0ms));
  go.count_down();
  CHECK(workers.settle(long_enough));
  CHECK(ran == 1);
}
