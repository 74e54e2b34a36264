// A bot that is bad on purpose, for the tests of the process.

import { Bot, type Card, type PlayView, run } from "bluke-sdk";

class Broken extends Bot {
  bid(): number {
    throw new Error("on purpose");
  }

  play(view: PlayView): Card {
    void Promise.reject(new Error("forgotten"));
    return view.legal[0] as Card;
  }
}

await run(Broken);
