/** The games of a visitor's bot: against evil, against every secret, and a match on the server. */

import { enumerateCodes, parseCode } from "../core/codes.js";
import { chooseReply } from "../core/evil.js";
import { countParts, feedbackNumbers, selectCandidates } from "../core/partition.js";
import { parseRules } from "../core/rules.js";
import { BotError } from "./bot.js";

/** @typedef {import("./bot.js").Bot} Bot */
/** @typedef {import("./bot.js").Turn} Turn */
/** @typedef {import("../core/rules.js").Rules} Rules */

export const LIMIT = 10;
/** Rules with more codes would keep a bot busy for longer than a guess may take. */
export const MOST_CODES = 50_000;
const SWEEP_MS = 120_000;

/** @param {Bot} bot @param {Rules} rules @param {(turns: (Turn & {left: number})[]) => void} onTurn */
export async function playEvil(bot, rules, onTurn) {
  /** @type {(Turn & {left: number})[]} */
  const turns = [];
  let codes = enumerateCodes(rules);
  while (turns.length < LIMIT && turns.at(-1)?.black !== rules.pegs) {
    const code = await bot.choose(rules, turns, codes);
    const numbers = feedbackNumbers(rules, codes, parseCode(rules, code));
    const { black, white } = chooseReply(countParts(rules, numbers), rules.pegs);
    codes = selectCandidates(rules, codes, numbers, { black, white });
    turns.push({ code, black, white, left: codes.length / rules.pegs });
    onTurn([...turns]);
  }
}

/**
 * Play against every secret. Secrets that have had the same replies are played together: a bot that guesses codes that
 * are possible is asked at most 1,296 times on 4x6, instead of some 6,000 times. `onSolved` receives the secrets by
 * guesses; those that were not found come last.
 *
 * @param {Bot} bot @param {Rules} rules @param {(counts: readonly number[]) => void} onSolved @param {() => number} now
 */
export async function playAll(bot, rules, onSolved, now) {
  const counts = Array(LIMIT + 2).fill(0);
  const end = now() + SWEEP_MS;
  /** @param {Turn[]} turns @param {Uint8Array} codes */
  const play = async (turns, codes) => {
    if (turns.length === LIMIT) {
      counts[LIMIT + 1] += codes.length / rules.pegs;
      return onSolved([...counts]);
    }
    if (now() > end) throw new BotError(`Stopped after ${SWEEP_MS / 60_000} minutes. Make the bot faster to see them all.`);
    const code = await bot.choose(rules, turns, codes);
    const numbers = feedbackNumbers(rules, codes, parseCode(rules, code));
    for (const { black, white, count } of countParts(rules, numbers)) {
      if (black < rules.pegs) await play([...turns, { code, black, white }], selectCandidates(rules, codes, numbers, { black, white }));
      else {
        counts[turns.length + 1] += count;
        onSolved([...counts]);
      }
    }
  };
  await play([], enumerateCodes(rules));
}

/** A match of a bot on the server. The page holds the connection; the bot only chooses. */
export class BotMatch {
  #isBusy = false;
  #done = "";

  /** @param {import("./server_play.js").ServerPlay} play @param {Bot} bot */
  constructor(play, bot) {
    this.play = play;
    this.bot = bot;
  }

  /** Make the moves that are the bot's to make now. To be called after every change of the play. @throws {BotError} */
  async follow() {
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      while (await this.#move());
    } finally {
      this.#isBusy = false;
    }
  }

  /** Make one move; return false if there is none, or if it was made before and refused. */
  async #move() {
    const { play, bot } = this;
    const { match } = play;
    if (match?.started == null || match.isCatchingUp) return false;
    const place = placeOf(match);
    const isReady = match.phase === "ready" && !play.beginsAtOnce;
    if (place === this.#done || !(isReady || play.moves.canGuess)) return false;
    this.#done = place;
    if (isReady) {
      await play.moves.ready();
      return true;
    }
    const rules = parseRules(match.started.rules);
    const turns = match.current?.turns ?? [];
    const codes = turns.reduce((left, turn) => {
      return selectCandidates(rules, left, feedbackNumbers(rules, left, parseCode(rules, turn.code)), turn);
    }, enumerateCodes(rules));
    const code = await bot.choose(rules, turns, codes);
    // meanwhile the clock may have ended the game, or a cut the connection
    if (play.match === match && placeOf(match) === place && play.moves.canGuess) await play.moves.guess(code);
    else this.#done = "";
    return true;
  }
}

/** @param {import("./match_state.js").MatchState} match */
function placeOf({ id, game, turn, phase }) {
  return `${id} ${game} ${phase === "ready" ? 0 : turn}`;
}
