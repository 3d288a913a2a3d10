/**
 * The view where a game on the server is chosen: the rules, the codemaker, and a clock or none.
 *
 * Rules and codemaker are part of the address, so a choice can be linked and the browser's Back goes one choice back.
 */

import { css, html, nothing } from "../vendor/lit.js";
import { getJson, isPublished } from "../api.js";
import { canEnumerate } from "../core/codes.js";
import { guessLimit } from "../core/local_game.js";
import { parseRules } from "../core/rules.js";
import {
  clockWords, codemakerWords, isForBots, kindName, ratedWords, rulesWords, timesWords,
} from "../game/ladder_words.js";
import { OpenMatches } from "../game/open_matches.js";
import { browserStorage } from "../game/storage.js";
import { shared } from "../components/shared_style.js";
import { formatNumber, noun, rulesName } from "../components/words.js";
import { LoadingView } from "./loading_view.js";

/** @import { LadderDocument } from "../game/ladder_words.js" */

export default class LaddersView extends LoadingView {
  static properties = { ladders: { state: true }, openLadders: { state: true }, hasRounds: { state: true } };

  static styles = [
    shared,
    css`
      .lead {
        max-width: 44rem;
        margin: 0.4rem 0 1.2rem;
      }
      section { margin-top: 1.3rem; }
      h2 { margin-bottom: 0.55rem; }
      .chip {
        display: inline-grid;
        gap: 0.1rem;
        padding: 0.5rem 0.95rem;
        border: 1px solid var(--line);
        border-radius: var(--radius);
        background: var(--surface);
        color: var(--ink);
        font-weight: 650;
        text-decoration: none;
      }
      .chip small {
        color: var(--muted);
        font-weight: 500;
      }
      .chip:hover { border-color: var(--accent); }
      .chip[aria-current] {
        border-color: var(--accent);
        background: var(--accent-soft);
      }
      .chip[aria-current] small { color: var(--ink); }
      .words {
        max-width: 44rem;
        margin-top: 0.6rem;
      }
      .ways {
        display: grid;
        grid-template-columns: repeat(auto-fit, minmax(min(100%, 15rem), 1fr));
        gap: 0.9rem;
      }
      .way {
        display: flex;
        flex-direction: column;
        gap: 0.45rem;
      }
      .way h3 { font-size: 1.1rem; }
      .way .play {
        gap: 0.5rem 1rem;
        margin-top: auto;
        padding-top: 0.6rem;
      }
      .open { border-color: var(--accent); }
    `,
  ];

  constructor() {
    super();
    /** @type {readonly LadderDocument[] | null} */
    this.ladders = null;
    /** Ladders on which a match of this browser is open. @type {readonly string[]} */
    this.openLadders = [];
    this.hasRounds = false;
  }

  /** @param {AbortSignal} signal */
  async load(signal) {
    const [{ ladders }, { rounds }] = await Promise.all([getJson("api/v1/ladders", signal), getJson("api/v1/rounds", signal)]);
    this.ladders = ladders;
    this.hasRounds = rounds.length > 0;
    await this.findOpenMatches(signal);
  }

  /** Find the ladders on which this browser has left a match open. @param {AbortSignal} signal */
  async findOpenMatches(signal) {
    const { url } = await getJson("api/v1/game", signal);
    const kept = new OpenMatches(browserStorage(), url ?? "");
    const open = [];
    for (const ladder of this.ladders ?? []) {
      const match = kept.get(ladder.id)?.match;
      if (match === undefined) continue;
      const document = await getJson(`api/v1/matches/${match}`, signal).catch(() => null);
      if (document?.over === false) open.push(ladder.id);
    }
    this.openLadders = open;
  }

  get rules() {
    const wanted = this.query.get("rules");
    const all = this.ladders ?? [];
    return all.find((ladder) => ladder.rules === wanted)?.rules ?? all[0]?.rules ?? "";
  }

  get codemaker() {
    const wanted = this.query.get("codemaker");
    const all = (this.ladders ?? []).filter((ladder) => ladder.rules === this.rules);
    return all.find((ladder) => ladder.codemaker === wanted)?.codemaker ?? all[0]?.codemaker ?? "";
  }

  render() {
    return html`
      <h1>Compete</h1>
      <p class="lead muted">
        ${isPublished
          ? "These matches were played on the server that this site comes from: it played the codemaker, kept the time, and recorded every guess. Your browser can check that it was honest."
          : "These matches are played on the server, and rated ones count on its leaderboards. It plays the codemaker, keeps the time, and records every guess. Afterwards your browser checks that the server was honest."}
        ${this.hasRounds ? html`<a href="#/rounds">Contests</a>` : nothing}
      </p>
      ${this.problem()}
      ${this.openLadders.map((id) => html`<p class="card open">
        You have an open match on <strong>${id}</strong>. <a href="#/server/${encodeURIComponent(id)}">Continue it</a>
      </p>`)}
      ${this.ladders === null ? this.loading() : this.choices(this.ladders)}
    `;
  }

  /** @param {readonly LadderDocument[]} all */
  choices(all) {
    const sameRules = all.filter((ladder) => ladder.rules === this.rules);
    const ladders = sameRules.filter((ladder) => ladder.codemaker === this.codemaker);
    const [ways, fast] = [false, true].map((isFast) => ladders.filter((ladder) => isForBots(ladder) === isFast));
    return html`
      <section aria-labelledby="rules">
        <h2 id="rules">How large?</h2>
        <ul class="row plain">
          ${[...new Set(all.map((ladder) => ladder.rules))].map((rules) => this.rulesChip(all, rules))}
        </ul>
      </section>
      <section aria-labelledby="codemaker">
        <h2 id="codemaker">Against whom?</h2>
        <ul class="row plain">
          ${[...new Set(sameRules.map((ladder) => ladder.codemaker))].map((codemaker) => this.codemakerChip(codemaker))}
        </ul>
        <p class="words muted">${codemakerWords(this.codemaker).words}</p>
      </section>
      <section aria-labelledby="ways">
        <h2 id="ways">Practice or rated?</h2>
        <div class="ways">${ways.sort((a, b) => Number(a.kind !== "human" && a.rated) - Number(b.kind !== "human" && b.rated)).map((ladder) => this.way(ladder))}</div>
        ${fast.map((ladder) => html`<p class="words fast">
          For bots: <a href="#/ladder/${encodeURIComponent(ladder.id)}">${ladder.id}</a>. ${clockWords(ladder.clock)} ${isPublished ? nothing : html`<a href="#/bots">Start a bot</a>`}
        </p>`)}
      </section>
    `;
  }

  /** @param {readonly LadderDocument[]} all @param {string} rules */
  rulesChip(all, rules) {
    const { codes } = /** @type {LadderDocument} */ (all.find((ladder) => ladder.rules === rules));
    return html`<li>
      <a class="chip" href=${address(rules, this.codemaker)} aria-current=${rules === this.rules ? "true" : nothing}>
        ${rulesName(rules)} <small>${formatNumber(codes)} ${noun(codes, "code")}</small>
      </a>
    </li>`;
  }

  /** @param {string} codemaker */
  codemakerChip(codemaker) {
    return html`<li>
      <a class="chip" href=${address(this.rules, codemaker)} aria-current=${codemaker === this.codemaker ? "true" : nothing}>
        ${codemakerWords(codemaker).title}
      </a>
    </li>`;
  }

  /** @param {LadderDocument} ladder */
  way(ladder) {
    const id = encodeURIComponent(ladder.id);
    const isHere = isPlayedHere(ladder);
    return html`<article class="card way">
      <h3>${kindName(ladder)}</h3>
      <p>${clockWords(ladder.clock)}</p>
      <p>${isHere ? "One game in this browser. Nothing counts." : ratedWords(ladder)} ${ladder.rated ? "You need a name." : nothing}</p>
      <p class="muted">${isHere ? nothing : `${ladder.id}: `}${rulesWords(ladder.rules)}, at most ${ladder.guess_limit} guesses. ${timesWords(ladder)}</p>
      <div class="play row">
        ${isHere
          ? html`<a class="button primary" href="#/play/${ladder.rules}-${ladder.codemaker}">Play</a>`
          : isPublished
          ? nothing
          : ladder.offered
          ? html`<a class="button primary" href="#/server/${id}" aria-label="Start ${ladder.id}">Start</a>`
          : html`<p class="muted"><strong>Not offered here.</strong> It is too large for this server, or was removed.</p>`}
        ${ladder.rated && ladder.offered ? html`<a href="#/ladder/${id}">Leaderboard</a>` : nothing}
      </div>
    </article>`;
  }
}

/** Return true for practice that is the same game as one of "Play". @param {LadderDocument} ladder */
function isPlayedHere({ rules, codemaker, rated, clock, games, guess_limit: limit }) {
  const isAlike = !rated && clock === null && games === 1 && codemaker !== "devil" && limit === guessLimit(rules);
  return isAlike && canEnumerate(parseRules(rules));
}

/** @param {string} rules @param {string} codemaker */
function address(rules, codemaker) {
  return `#/ladders?${new URLSearchParams({ rules, codemaker })}`;
}
