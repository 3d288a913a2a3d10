/**
 * The charts of a leaderboard, or of the versions of a player, drawn by Observable Plot: means with their intervals, and
 * how often each needed how many guesses. Plot is loaded when the first chart is shown. The tables say the same.
 */

import { LitElement, css, html, nothing } from "../vendor/lit.js";
import { isAdjusted, scoreInterval } from "./result_words.js";
import { shared } from "./shared_style.js";

/** @import { Row } from "./result_words.js" */

/** The most rows in a chart; the table has all. */
const MOST = 12;
const ROW_HEIGHT = 34;
const MARGIN = 140;

export class ResultCharts extends LitElement {
  static properties = {
    rows: { attribute: false }, plot: { state: true }, width: { state: true }, failure: { state: true },
  };

  static styles = [
    shared,
    css`
      .charts {
        display: grid;
        grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr));
        gap: 1.25rem;
      }
      figure {
        min-width: 0;
        margin: 0;
      }
      figcaption {
        margin-bottom: 0.5rem;
        font-weight: 650;
      }
      svg {
        display: block;
        max-width: 100%;
        height: auto;
        overflow: visible;
        color: var(--ink);
        font: 0.82rem var(--font);
      }
      svg text { white-space: pre; }
    `,
  ];

  constructor() {
    super();
    /** @type {readonly Row[]} */
    this.rows = [];
    /** @type {typeof import("../vendor/plot.js") | null} */
    this.plot = null;
    this.width = 0;
    /** How much larger than usual the page's text is, and so the charts. */
    this.scale = 1;
    this.failure = false;
    this.observer = new ResizeObserver(([entry]) => this.fit(entry.contentRect.width));
  }

  connectedCallback() {
    super.connectedCallback();
    this.observer.observe(this);
    void this.load();
  }

  disconnectedCallback() {
    this.observer.disconnect();
    super.disconnectedCallback();
  }

  async load() {
    try {
      this.plot = await import("../vendor/plot.js");
    } catch {
      this.failure = true;
    }
  }

  /** Take the width for two charts beside each other, or one below the other, as the styles do. @param {number} width */
  fit(width) {
    const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
    const figure = width >= 53.25 * rem ? (width - 1.25 * rem) / 2 : width;
    this.width = Math.floor(figure - 2.4 * rem - 2);
    this.scale = rem / 16;
  }

  render() {
    if (this.failure) return html`<p class="muted">The charts could not be loaded; the rows show the same.</p>`;
    if (this.plot === null || this.width <= 0 || this.rows.length === 0) return nothing;
    const rows = this.rows.slice(0, MOST);
    return html`<div class="charts">
      <figure class="card">
        <figcaption>${isAdjusted(rows) ? "Luck-adjusted mean" : "Mean"} guesses per game, with 95 % intervals</figcaption>
        ${labelled(this.means(this.plot, rows), "Mean guesses with 95 % intervals; the table shows the same")}
      </figure>
      <figure class="card">
        <figcaption>Guesses per game, as shares of all games</figcaption>
        ${labelled(this.histograms(this.plot, rows), "Shares of the games by guesses")}
      </figure>
    </div>`;
  }

  /** @param {typeof import("../vendor/plot.js")} Plot @param {readonly Row[]} rows */
  means(Plot, rows) {
    const means = rows.map((row) => {
      const [low, high] = scoreInterval(row);
      return { player: row.player, mean: row.score, low, high };
    });
    const known = means.filter((row) => row.low !== null);
    return Plot.plot({
      ...this.frame(rows),
      x: { nice: true, grid: true, label: "mean guesses: fewer are better", labelArrow: "none", ticks: Math.max(2, Math.floor((this.width - this.margin) / (70 * this.scale))) },
      y: { domain: rows.map((row) => row.player), label: null, tickFormat: this.shortened, tickSize: 0 },
      marks: [
        Plot.ruleY(known, { x1: "low", x2: "high", y: "player", stroke: "var(--muted)", strokeWidth: 2 }),
        Plot.tickX(known, { x: "low", y: "player", stroke: "var(--muted)", strokeWidth: 2, inset: 8 * this.scale }),
        Plot.tickX(known, { x: "high", y: "player", stroke: "var(--muted)", strokeWidth: 2, inset: 8 * this.scale }),
        Plot.dot(means.filter((row) => row.mean !== null), { x: "mean", y: "player", fill: "var(--accent)", r: 5.5 * this.scale }),
      ],
    });
  }

  /** @param {typeof import("../vendor/plot.js")} Plot @param {readonly Row[]} rows */
  histograms(Plot, rows) {
    const scores = [...new Set(rows.flatMap((row) => row.histogram.map(([score]) => score)))].sort((a, b) => a - b);
    const range = Array.from({ length: scores[scores.length - 1] - scores[0] + 1 }, (_, index) => scores[0] + index);
    // an unsolved game counts as one guess more than the limit, so it is the worst score
    const lost = Math.min(...rows.map((row) => (row.solved < 1 ? row.worst : Infinity)));
    const cells = rows.flatMap((row) =>
      row.histogram.map(([score, games]) => ({ player: row.player, score, share: games / row.games })),
    );
    return Plot.plot({
      ...this.frame(rows),
      x: { domain: range, label: "guesses", tickFormat: (/** @type {number} */ score) => (score >= lost ? "✗" : `${score}`), tickSize: 0 },
      y: { domain: [0, Math.max(...cells.map((cell) => cell.share))], axis: null },
      fy: { domain: rows.map((row) => row.player), label: null, tickFormat: this.shortened, axis: "left", padding: 0.15 },
      marks: [
        Plot.ruleY([0], { stroke: "var(--line)" }),
        Plot.barY(cells, { x: "score", y: "share", fy: "player", fill: "var(--accent)", insetLeft: 2, insetRight: 2 }),
      ],
    });
  }

  /** Return the beginning of a name that fits beside a chart. */
  get shortened() {
    const pen = /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d"));
    pen.font = `${13 * this.scale}px ${getComputedStyle(this).fontFamily}`;
    const most = this.margin - 8 * this.scale;
    return (/** @type {string} */ name) => {
      let shown = name;
      for (let end = name.length; end > 0 && pen.measureText(shown).width > most; end -= 1) shown = `${name.slice(0, end - 1)}…`;
      return shown;
    };
  }

  get margin() {
    return Math.min(MARGIN * this.scale, this.width * 0.36);
  }

  /** @param {readonly Row[]} rows */
  frame(rows) {
    const { scale, width } = this;
    return {
      width,
      height: (rows.length * ROW_HEIGHT + 56) * scale,
      marginLeft: this.margin,
      marginRight: 16 * scale,
      marginTop: 10 * scale,
      marginBottom: 40 * scale,
      style: { background: "none", overflow: "visible", fontSize: `${13 * scale}px` },
    };
  }
}

/** @param {Element} chart @param {string} label @returns {Element} the chart as one picture for screen readers */
function labelled(chart, label) {
  chart.setAttribute("role", "img");
  chart.setAttribute("aria-label", label);
  for (const part of chart.children) part.setAttribute("aria-hidden", "true");
  return chart;
}

customElements.define("result-charts", ResultCharts);
