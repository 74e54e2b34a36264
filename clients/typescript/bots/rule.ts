// The reference bot `rule`: BLUKE_SERVER=localhost:7373 node dist/bots/rule.js

import { run } from "bluke-sdk";

import { Rule } from "./rule-strategy.js";

await run(Rule, { name: "rule" });
