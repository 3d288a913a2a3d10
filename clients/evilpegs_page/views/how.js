/** How to play, in three pictures with one example, and where the documents are. */

import { LitElement, css, html } from "../vendor/lit.js";
import { feedbackPegs, feedbackStyle } from "../components/feedback_pegs.js";
import "../components/guess_table.js";
import { pegRow, pegStyle } from "../components/peg.js";
import { shared } from "../components/shared_style.js";
import { LocalGame } from "../core/local_game.js";
import { parseRules } from "../core/rules.js";

const SECRET = "3152";
const GUESSES = Object.freeze(["3226", "3512", "3152"]);
/** Why each peg of the first guess gets its mark. */
const REASONS = Object.freeze([
  ["3", 1, 0, "The code has a 3 here: right color and place."],
  ["2", 0, 1, "The code has a 2, but elsewhere: right color, wrong place."],
  ["2", 0, 0, "The code has only one 2, which has its mark already."],
  ["6", 0, 0, "The code has no 6."],
]);
/** @type {readonly [string, string, string][]} */
const DOCUMENTS = Object.freeze([
  ["tour", "Tour", "what there is, in ten minutes"],
  ["strategies", "Strategies", "how to write a bot"],
  ["protocol", "Protocol", "every message and error, for a client of your own"],
  ["scoring", "Scores", "how results become ranks"],
  ["contest", "Contest", "a week of a contest for a class"],
  ["page", "Page", "all addresses and keys of this page"],
]);

export default class HowView extends LitElement {
  static styles = [
    shared,
    pegStyle,
    feedbackStyle,
    css`
      :host { --peg: 2rem; }
      .pictures {
        display: grid;
        grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr));
        gap: 1rem;
      }
      figure {
        display: flex;
        flex-direction: column;
        gap: 0.7rem;
        margin: 0;
      }
      .small { --peg: 1.5rem; }
      dl {
        display: grid;
        grid-template-columns: auto auto 1fr;
        align-items: center;
        gap: 0.5rem 0.7rem;
        margin: 0;
      }
      dd { margin: 0; }
      .reason { font-size: 0.92rem; }
      .why { display: contents; }
      section {
        display: grid;
        gap: 0.6rem;
        margin-top: 1.4rem;
      }
      li { margin-top: 0.3rem; }
      code { font: 0.9em var(--mono); }
    `,
  ];

  render() {
    const game = new LocalGame({ rules: parseRules("4x6"), codemaker: "fixed", secret: SECRET });
    GUESSES.forEach((guess) => game.guess(guess));
    return html`
      <div class="intro">
        <h1>How to play</h1>
        <p>Find a hidden code of colors with as few guesses as you can. Each guess gets a reply that says how close it is.</p>
      </div>
      <div class="pictures">
        <figure class="card">
          <figcaption><h2>1. Make a guess</h2></figcaption>
          <div class="small">${pegRow("123456")}</div>
          <div>${pegRow(GUESSES[0])}</div>
          <p>Put a color on each of the four pegs: tap it, drag it or type its number. A color may be used more than once. Guess or Enter plays.</p>
        </figure>
        <figure class="card">
          <figcaption><h2>2. Read the reply</h2></figcaption>
          <p>Say the code is <span class="small">${pegRow(SECRET)}</span>, and you guess <span class="small">${pegRow(GUESSES[0])}</span>. The reply is ${feedbackPegs(game.turns[0], SECRET.length)}, because:</p>
          <dl>${REASONS.map(([symbol, black, white, why]) => html`<div class="why"><dt class="small">${pegRow(`${symbol}`)}</dt><dd>${feedbackPegs({ black: Number(black), white: Number(white) }, 1)}</dd><dd class="reason">${why}</dd></div>`)}</dl>
          <p class="muted">The marks of a reply are in no order: they do not say which peg is right.</p>
        </figure>
        <figure class="card">
          <figcaption><h2>3. Find the code</h2></figcaption>
          <guess-table class="small" .turns=${game.turns}></guess-table>
          <p>Each reply rules codes out, until you know the code. Four black marks, and you have won.</p>
        </figure>
      </div>
      <section class="card" aria-labelledby="who">
        <h2 id="who">Whom you play against</h2>
        <p><strong>A fixed secret</strong> is drawn before your first guess. <strong>Evil</strong> has no secret: it always gives the reply that leaves the most codes, and you win when it has only one left.</p>
        <p class="buttons"><a class="button primary" href="#/">Play against evil</a> <a class="button" href="#/play/4x6-fixed">Play against a fixed secret</a> <a class="button" href="#/daily">Game of the day</a> <a class="button" href="#/set">Set a code for a friend</a></p>
      </section>
      <section class="card" aria-labelledby="documents">
        <h2 id="documents">Documents</h2>
        <ul class="plain">${DOCUMENTS.map(([name, title, what]) => html`<li><a href="#/docs/${name}">${title}</a>: ${what}</li>`)}</ul>
        <p><a href="#/docs">All documents</a>; in a terminal: <code>evilpegs docs</code></p>
      </section>
    `;
  }
}
