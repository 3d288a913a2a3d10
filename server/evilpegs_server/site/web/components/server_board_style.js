/** The style of a match on the server, which follows that of a game in the browser. */

import { css } from "../vendor/lit.js";

export const boardStyle = css`
  .columns {
    display: grid;
    grid-template-columns: minmax(0, var(--board)) minmax(0, 1fr);
    align-items: start;
    gap: 1.25rem;
  }
  @media (max-width: 50rem) {
    .columns {
      grid-template-columns: minmax(0, 1fr);
    }
  }
  .columns.summary {
    grid-template-columns: minmax(0, 40rem);
  }
  section:focus {
    outline: none;
  }
  .heading {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: space-between;
    gap: 0.4rem 1rem;
    margin-bottom: 0.8rem;
  }
  guess-table {
    --peg: clamp(1.15rem, calc((min(100vw, var(--board) + 2rem) - 15.2rem) / var(--pegs) / 1.16), 2.2rem);
  }
  guess-table:not(:last-child) {
    margin-bottom: 1rem;
  }
  .before {
    display: grid;
    margin-bottom: 1rem;
    gap: 0.6rem;
    --peg: 1.6rem;
  }
  .before .pegs {
    vertical-align: middle;
  }
  .ready {
    display: grid;
    justify-items: center;
    gap: 0.8rem;
    padding: 1.4rem 1rem;
    border-radius: var(--radius);
    background: var(--sunken);
    text-align: center;
  }
  .large {
    min-height: 3.4rem;
    padding: 0.6rem 2rem;
    font-size: 1.2rem;
  }
  .sent {
    display: flex;
    align-items: center;
    gap: 0.7rem;
    margin-bottom: 0.8rem;
    --peg: 1.7rem;
  }
  .bad {
    margin-bottom: 0.8rem;
    color: var(--bad);
    font-weight: 600;
    overflow-wrap: anywhere;
  }
  .more {
    display: flex;
    justify-content: space-between;
    gap: 0.5rem;
    margin-top: 0.6rem;
  }
  .quiet {
    margin-left: auto;
    border-color: transparent;
    background: none;
    color: var(--muted);
  }
  .ready .quiet {
    margin-left: 0;
  }
  .hint {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.4rem 0.7rem;
    margin-top: 0.6rem;
    padding: 0.7rem 0.9rem;
    border-radius: var(--radius);
    background: var(--accent-soft);
    --peg: 1.6rem;
  }
  .hint .muted {
    color: var(--ink);
  }
  .hint .pegs {
    vertical-align: middle;
  }
  .panel {
    display: grid;
    gap: 0.9rem;
  }
  .left {
    display: flex;
    align-items: baseline;
    flex-wrap: wrap;
    gap: 0 0.6rem;
    font-size: 1.1rem;
  }
  .left strong {
    font-size: min(3.1rem, 11vw);
    line-height: 1;
    letter-spacing: -0.03em;
  }
  h2 .pegs {
    --peg: 1.5rem;
    vertical-align: middle;
  }
  .legend {
    display: grid;
    gap: 0.35rem;
    margin: 0;
    padding: 0.8rem 0 0;
    border-top: 1px solid var(--line);
    color: var(--muted);
    font-size: 0.9rem;
    list-style: none;
  }
  .legend li {
    display: flex;
    align-items: center;
    gap: 0.5rem;
  }
  .legend i {
    flex: none;
    width: 0.85rem;
    height: 0.85rem;
    border: 0.1rem solid var(--muted);
    border-radius: 50%;
  }
  .legend .black {
    background: var(--black-peg);
  }
  .legend .white {
    background: var(--white-peg);
  }
`;
