/**
 * The matches that a projector shows: of each the game that is played, from a stream that may have begun in the middle.
 * A match of which something is missing is stale until its record is read. The memory stays the same all day.
 */

const MOST = 200;
/** For how many turns of the screen a finished match stays. */
const LINGERS = 2;

/** `seq` is that of the last event in it, `heard` of the last that came; `over` counts turns of the screen down. @typedef {ReturnType<typeof unknown>} LiveMatch */

/** @param {string} match */
function unknown(match) {
  const turns = /** @type {readonly {code: string, black: number, white: number}[]} */ ([]);
  return { match, player: "", ladder: "", pegs: 4, game: 0, games: 0, outcome: "", turns, seq: 0, heard: 0, isStale: true, over: 0, shownIn: 0 };
}

export class LiveMatches {
  /** In the order of their last events. @type {Map<string, LiveMatch>} */
  all = new Map();
  /** What is on the screen, in its places. @type {readonly LiveMatch[]} */
  shown = [];
  turns = 0;

  /** Take an event of any match, perhaps one that is known. @param {import("../core/verification/event_fields.js").RecordEvent} event */
  take({ type, seq, match: id, game, games, player, ladder, pegs, code, black, white, outcome }) {
    const match = this.touch(id);
    match.heard = Math.max(match.heard, seq);
    match.isStale = match.seq + 1 < match.heard;
    if (type === "match_over") match.over ||= LINGERS;
    if (seq !== match.seq + 1) return;
    match.seq = seq;
    if (type === "match_started") Object.assign(match, { player, ladder, games, pegs });
    if (type === "game_started") Object.assign(match, { game, turns: [], outcome: "" });
    if (type === "feedback") match.turns = [...match.turns, { code, black, white }];
    // a match that is given up ends games that never began
    if (type === "game_over" && game === match.game) match.outcome = outcome;
  }

  /**
   * Take the open matches as the server lists them, the newest first.
   * @param {readonly {match: string, player: string, ladder: string}[]} open
   * @param {readonly string[]} known those that were known when it was asked: one that began since is not in the list
   */
  list(open, known = [...this.all.keys()]) {
    for (const id of known) if (!this.all.get(id)?.over && !open.some(({ match }) => match === id)) this.all.delete(id);
    for (const { match, player, ladder } of [...open].reverse()) Object.assign(this.touch(match), { player, ladder, isStale: true });
  }

  /** @param {string} match */
  touch(match) {
    const found = this.all.get(match) ?? unknown(match);
    this.all.delete(match);
    this.all.set(match, found);
    if (this.all.size > MOST) this.all.delete(/** @type {string} */ (this.all.keys().next().value));
    return found;
  }

  /** Begin the next turn of the screen: others are shown if there are more than it has places. @param {number} places */
  next(places) {
    for (const each of this.all.values()) if (each.over && (each.over -= 1) === 0) this.all.delete(each.match);
    this.turns += 1;
    if (this.all.size > places) this.shown = [];
    this.fill(places);
  }

  /** Fill the free places: what is played before what is over, then what was not shown for longest, then what moved last. @param {number} places */
  fill(places) {
    const kept = this.shown.filter((each) => this.all.get(each.match) === each).slice(0, places);
    const others = [...this.all.values()].reverse().filter((each) => !kept.includes(each));
    others.sort((a, b) => Number(a.over > 0) - Number(b.over > 0) || a.shownIn - b.shownIn);
    this.shown = [...kept, ...others.slice(0, places - kept.length)];
    for (const each of this.shown) each.shownIn = this.turns;
  }
}
