/** The look that boards share, in the browser and on the server: the board, the panel beside it, and their headings. */

import { css } from "../vendor/lit.js";
import { isLong } from "./turn_table_style.js";

export const boardStyle = css`
  .columns {
    display: grid;
    grid-template-columns: minmax(0, var(--board)) minmax(0, 1fr);
    align-items: start;
    gap: 1.25rem;
  }
  .columns:focus { outline: none; }
  @media (max-width: 50rem) {
    .columns { grid-template-columns: minmax(0, 1fr); }
  }
  .heading {
    justify-content: space-between;
    gap: 0.4rem 1rem;
    margin-bottom: 0.5rem;
  }
  /* What is played with ends at the lower edge of the screen, and earlier guesses scroll, so that no guess moves it.
     Above it stand the header and a heading of two lines on a phone: 13.2rem, less once somebody plays. */
  .stage {
    --high: calc(100vh - var(--above, 13.2rem));
    --high: calc(100svh - var(--above, 13.2rem));
    display: flex;
    flex-direction: column;
    min-height: min(46rem, var(--high));
  }
  guess-table[tabindex] {
    position: relative;
    flex: 1 0 5.2rem;
    max-height: 31rem; /* ten rows */
    overflow-y: auto;
  }
  /* Beside the rows there is more room for them than above the entry. */
  @media (min-width: 50.01rem), (orientation: landscape) {
    .beside .stage {
      display: grid;
      grid-template: auto 1fr / minmax(0, 1fr) 15.6rem;
      gap: 0 1rem;
      min-height: 0;
    }
    .beside .stage > .heading { grid-column: 1 / -1; }
    .beside .stage > guess-table[tabindex] { max-height: max(9rem, min(31rem, var(--high))); }
    .beside .stage > code-entry {
      --width: 15.6rem;
      align-self: start;
    }
  }
  @media (max-width: 50rem) {
    :not(.stage) > guess-table[tabindex] {
      max-height: max(10rem, calc(100svh - 22rem)); /* the result follows below */
    }
  }
  /* paper has no scroll bar, and nothing to press */
  @media print {
    :not(.stage) > guess-table[tabindex],
    .stage > guess-table[tabindex],
    .stage,
    .beside .stage > guess-table[tabindex] {
      flex: none;
      min-height: 0;
      max-height: none;
    }
    code-entry,
    .more { display: none; }
    .beside .stage { display: block; }
  }
  guess-table {
    --peg: clamp(1.1rem, calc((min(100vw, var(--board) + 2rem) - 14.5rem) / var(--pegs) / 1.16), 1.5rem);
  }
  .beside guess-table { --peg: clamp(1.1rem, calc(8.2rem / var(--pegs) / 1.16), 1.5rem); }
  @media (max-width: 40rem) {
    .columns > .card { padding: 0.7rem 0.8rem; }
    .heading { column-gap: 0.4rem; }
    .columns:not(.beside) guess-table {
      --peg: min(1.5rem, calc((100vw - 6.8rem) / var(--pegs) / 1.16));
    }
  }
  code-entry { --width: min(100vw - 4.8rem, var(--board) - 2.6rem); }
  guess-table:not(:last-child) { margin-bottom: 0.6rem; }
  .more {
    display: flex;
    justify-content: space-between;
    gap: 0.5rem;
    margin-top: 0.6rem;
  }
  .panel {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
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
  h2 .pegs { --peg: 1.5rem; }
`;

/** Return the sizes that the style needs. @param {number} pegs */
export function boardSizes(pegs) {
  // codes of six pegs have many codes left, whose number needs room
  return `--pegs: ${pegs}; --board: ${pegs === 6 ? "max(34rem, min(40rem, 60vw))" : "34rem"}`;
}

/** Return the class of columns in which the entry may stand beside the rows. @param {number} pegs */
export function boardClass(pegs) {
  return isLong(pegs) ? "" : "beside";
}
