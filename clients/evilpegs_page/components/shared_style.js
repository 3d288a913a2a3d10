/** Styles that components share. Each is a constructed style sheet, which the Content-Security-Policy allows. */

import { css } from "../vendor/lit.js";

export const shared = css`
  :host { display: block; }
  * { box-sizing: border-box; }
  h1,
  h2,
  h3 {
    margin: 0;
    line-height: 1.2;
    text-wrap: balance;
  }
  h1 {
    font-size: clamp(1.45rem, 1rem + 2vw, 2.1rem);
    letter-spacing: -0.02em;
  }
  h2 { font-size: 1.05rem; }
  p { margin: 0; }
  a {
    color: var(--accent);
    text-underline-offset: 0.15em;
  }
  .intro {
    max-width: 46rem;
    margin: 0.4rem 0 1.1rem;
  }
  /* while a game needs the height */
  .intro.played { margin-bottom: 0.4rem; }
  .played h1 {
    overflow: hidden;
    font-size: min(1.05rem, 3.9vw);
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .intro p {
    margin-top: 0.4rem;
    color: var(--muted);
    text-wrap: pretty;
  }
  .muted { color: var(--muted); }
  .failure {
    color: var(--bad);
    font-weight: 600;
    overflow-wrap: anywhere;
  }
  .card {
    padding: 1.1rem 1.2rem;
    border: 1px solid var(--line);
    border-radius: var(--radius);
    background: var(--surface);
    box-shadow: var(--shadow);
  }
  .hidden {
    position: absolute;
    width: 1px;
    height: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  .number { font-variant-numeric: tabular-nums; }
  button,
  .button {
    display: inline-flex;
    align-items: center;
    justify-content: center;
    gap: 0.5em;
    min-height: 2.75rem;
    padding: 0.4rem 1.1rem;
    border: 1px solid var(--line);
    border-radius: 999px;
    background: var(--surface);
    color: var(--ink);
    font: 600 1rem/1.2 var(--font);
    text-decoration: none;
    cursor: pointer;
  }
  button:hover:not(:disabled),
  .button:hover { border-color: var(--accent); }
  button.primary,
  .button.primary {
    border-color: var(--accent);
    background: var(--accent);
    color: var(--accent-ink);
  }
  /* A color that says something stays where the system forces its own; style.css names the system's. */
  .primary:not(:disabled),
  [aria-pressed="true"],
  [aria-current] { forced-color-adjust: none; }
  button:disabled {
    color: var(--muted);
    background: var(--sunken);
    border-color: var(--line);
    cursor: default;
  }
  @media (forced-colors: active) {
    button:disabled {
      border-color: GrayText;
      color: GrayText;
    }
    .chip[aria-current],
    [aria-pressed="true"] { box-shadow: inset 0 0 0 2px var(--accent); }
  }
  .quiet {
    margin-left: auto;
    border-color: transparent;
    background: none;
    color: var(--muted);
  }
  :where(.buttons, .form, .heading, .links, .row) {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5rem;
  }
  :where(.plain) {
    margin: 0;
    padding: 0;
    list-style: none;
  }
  :where(select, textarea, input:not([type="checkbox"], [type="range"])) {
    min-height: 2.75rem;
    max-width: 100%;
    padding: 0.4rem 0.7rem;
    border: 1px solid var(--line);
    border-radius: 0.7rem;
    background: var(--surface);
    color: var(--ink);
    font: 500 1rem/1.2 var(--font);
  }
  table {
    width: 100%;
    border-collapse: collapse;
  }
  .right { text-align: right; }
  .scroll {
    position: relative;
    overflow-x: auto;
  }
  summary {
    width: fit-content;
    border-radius: 0.3rem;
    font-weight: 650;
    cursor: pointer;
  }
  @media print {
    button:not(.name, .jump),
    .button,
    .form,
    .tabs,
    details:not([open]) { display: none; }
    :where(h1, h2, h3) { break-after: avoid; }
    :where(li, tr, figure) { break-inside: avoid; }
  }
  /* a browser that prints leaves out backgrounds, and marks, pegs and bars are nothing else */
  i,
  .jump,
  .peg,
  .sign {
    -webkit-print-color-adjust: exact;
    print-color-adjust: exact;
  }
  :focus-visible {
    outline: 3px solid var(--accent);
    outline-offset: 2px;
  }
  @media (prefers-reduced-motion: reduce) {
    *,
    *::before,
    *::after {
      animation: none !important;
      transition: none !important;
    }
  }
`;
