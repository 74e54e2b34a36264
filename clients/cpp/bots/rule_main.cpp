#include "rule.hpp"

int main() { return bluke::run<rule::Rule>({.name = "rule"}); }
