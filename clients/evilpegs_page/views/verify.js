/** Verification and replay of a record file. The file is read in the browser and sent nowhere. */

import { LitElement, css, html, nothing } from "../vendor/lit.js";
import { dataStyle } from "../components/data_style.js";
import "../components/match_replay.js";
import "../components/record_check.js";
import { shared } from "../components/shared_style.js";
import { rulesName } from "../components/words.js";
import { GameError } from "../core/errors.js";
import { readRecordFile } from "../core/record_file.js";
import { codemakerWords } from "../game/ladder_words.js";
import { readReplay } from "../replay/timeline.js";

/** A record of the largest match has some hundred kilobytes. */
const MOST_BYTES = 20_000_000;

const NO_ANALYSIS =
  "Best guesses and regret are computed by a server, in the replay of a match played on it. This file is not sent to any.";

export default class VerifyView extends LitElement {
  static properties = { file: { state: true }, events: { state: true }, failure: { state: true }, isOver: { state: true } };

  static styles = [
    shared,
    dataStyle,
    css`
      .drop {
        display: grid;
        justify-items: center;
        gap: 0.8rem;
        padding: 2rem 1.2rem;
        border: 2px dashed var(--line);
        text-align: center;
      }
      .over {
        border-color: var(--accent);
        background: var(--accent-soft);
      }
      input[type="file"] {
        width: 100%;
        max-width: 26rem;
        border-radius: 999px;
      }
      match-replay { margin-top: 1.4rem; }
    `,
  ];

  constructor() {
    super();
    /** The one chosen last; one before it may take longer to read. @type {File | null} */
    this.file = null;
    /** @type {readonly import("../core/verification/event_fields.js").RecordEvent[] | null} */
    this.events = null;
    /** @type {import("../replay/timeline.js").Replay | null} */
    this.replay = null;
    this.failure = "";
    this.isOver = false;
  }

  /** @param {File | null | undefined} file */
  async open(file) {
    if (!file) return;
    this.file = file;
    this.events = null;
    this.replay = null;
    try {
      if (file.size > MOST_BYTES) throw new Error("it is larger than any record");
      const text = await file.text();
      if (this.file !== file) return;
      const events = readRecordFile(text);
      this.replay = this.readable(events);
      this.failure = "";
      this.events = events;
    } catch (error) {
      if (this.file === file) this.failure = `${file.name} cannot be read: ${/** @type {Error} */ (error).message}.`;
    }
  }

  /** Return the replay of events; null if they are too broken for one, which the verification says. @param {any[]} events */
  readable(events) {
    try {
      return readReplay(events);
    } catch (error) {
      if (!(error instanceof GameError)) throw error;
      return null;
    }
  }

  /** @param {DragEvent} event */
  drag(event) {
    event.preventDefault();
    this.isOver = event.type === "dragover";
  }

  /** @param {DragEvent} event */
  drop(event) {
    event.preventDefault();
    this.isOver = false;
    void this.open(event.dataTransfer?.files[0]);
  }

  render() {
    return html`
      <div class="intro">
        <h1>Verify a record</h1>
        <p>
          Your browser checks the chain of hashes, the commitments, the secrets and every reply. The file stays on your
          machine. Records are saved in a <a href="#/matches">replay</a> or by <code>evilpegs replay MATCH --record FILE</code>.
        </p>
      </div>
      <div class="card drop ${this.isOver ? "over" : ""}" @dragover=${this.drag} @dragleave=${this.drag} @drop=${this.drop}>
        <label for="file">Drop a record here, or choose its file</label>
        <input id="file" type="file" @change=${(/** @type {Event} */ event) => this.open(/** @type {HTMLInputElement} */ (event.target).files?.[0])} />
      </div>
      ${this.failure ? html`<p class="failure" role="alert">${this.failure}</p>` : nothing}
      ${this.events === null ? nothing : this.result(this.events)}
    `;
  }

  /** @param {readonly object[]} events */
  result(events) {
    const { replay } = this;
    return html`
      <section class="card" aria-labelledby="result">
        <h2 id="result">${this.file?.name}</h2>
        <record-check .events=${events}></record-check>
        ${replay === null || replay.over ? nothing : html`<p>The match is not over in this record; its end may have been cut off.</p>`}
      </section>
      ${replay === null
        ? nothing
        : html`<section aria-labelledby="replayed">
            <h2 id="replayed">${replay.player} against ${codemakerWords(replay.codemaker).title.toLowerCase()}, ${rulesName(replay.rulesText)}</h2>
            <match-replay .replay=${replay} .note=${NO_ANALYSIS}></match-replay>
          </section>`}
    `;
  }
}
