/** The look of a replay. */

import { css } from "../vendor/lit.js";

export const replayStyle = css`
  .tabs {
    display: flex;
    flex-wrap: wrap;
    gap: 0.4rem;
    margin-bottom: 0.9rem;
  }
  .tabs button {
    display: grid;
    gap: 0;
    min-width: 3.6rem;
    padding: 0.3rem 0.8rem;
    border-radius: 0.8rem;
    line-height: 1.25;
  }
  .tabs small {
    color: var(--muted);
    font-size: 0.75rem;
    font-weight: 500;
  }
  .tabs [aria-pressed="true"] {
    border-color: var(--accent);
    background: var(--accent-soft);
  }
  .tabs [aria-pressed="true"] small { color: var(--ink); }
  .columns {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr));
    align-items: start;
    gap: 1.25rem;
  }
  @media print {
    replay-controls { display: none; }
  }
  .columns.long { grid-template-columns: minmax(0, 1fr); }
  .board { --peg: 1.9rem; }
  .board,
  .worth {
    display: grid;
    gap: 0.8rem;
    min-width: 0;
  }
  .board:focus { outline: none; }
  .heading {
    justify-content: space-between;
    gap: 0.3rem 1rem;
  }
  h2 {
    display: flex;
    align-items: center;
    flex-wrap: wrap;
    gap: 0.3em 0.5em;
  }
  h2 small {
    color: var(--muted);
    font-size: 0.9rem;
    font-weight: 500;
  }
  .pegs-title { --peg: 1.7rem; }
  .costliest {
    margin-top: 1.25rem;
    --peg: 1.3rem;
  }
  .costliest li { margin-top: 0.5rem; }
  td { height: 2.9rem; }
  td:first-child,
  th:first-child { width: 2.6rem; }
  td .pegs { flex-wrap: nowrap; }
  .current { background: linear-gradient(90deg, var(--accent-soft), transparent); }
  .ahead {
    gap: 0 0.2rem;
    margin-top: 0.4rem;
  }
  .jump {
    min-width: 2.1rem;
    min-height: 2.1rem;
    padding: 0;
    border-color: transparent;
    background: none;
    color: var(--muted);
    font-variant-numeric: tabular-nums;
  }
  .jump[aria-current] {
    background: var(--accent);
    color: var(--accent-ink);
  }
  @media (max-width: 30rem) {
    .board { --peg: min(1.6rem, calc((100vw - 8rem) / var(--pegs) / 1.16)); }
    .time { display: none; }
  }
  .ending {
    display: grid;
    gap: 0.5rem;
    padding-top: 0.8rem;
    border-top: 1px solid var(--line);
  }
  .ending .pegs { --peg: 1.6rem; }
  .note { font-size: 0.92rem; }
`;
