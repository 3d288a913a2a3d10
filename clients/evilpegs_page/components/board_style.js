/** The look that boards share, in the browser and on the server: the board, the panel beside it, and their headings. */

import { css } from "../vendor/lit.js";

export const boardStyle = css`
  .columns {
    display: grid;
    grid-template-columns: minmax(0, var(--board)) minmax(0, 1fr);
    align-items: start;
    gap: 1.25rem;
  }
  .columns:focus {
    outline: none;
  }
  @media (max-width: 50rem) {
    .columns {
      grid-template-columns: minmax(0, 1fr);
    }
  }
  .heading {
    justify-content: space-between;
    gap: 0.4rem 1rem;
    margin-bottom: 0.5rem;
  }
  /* What is played with ends at the lower edge of the screen, and earlier guesses scroll, so that no guess moves it.
     Above it stand the header and a heading of two lines on a phone: 13.2rem. */
  .stage {
    display: flex;
    flex-direction: column;
    min-height: min(46rem, calc(100vh - 13.2rem));
    min-height: min(46rem, calc(100svh - 13.2rem));
  }
  guess-table[tabindex] {
    position: relative;
    flex: 1 0 5.2rem;
    max-height: 31rem; /* ten rows */
    overflow-y: auto;
  }
  @media (max-width: 50rem) {
    :not(.stage) > guess-table[tabindex] {
      max-height: 10rem; /* the result follows below */
    }
  }
  guess-table {
    --peg: clamp(1.15rem, calc((min(100vw, var(--board) + 2rem) - 15.2rem) / var(--pegs) / 1.16), 2.2rem);
  }
  guess-table:not(:last-child) {
    margin-bottom: 0.6rem;
  }
  .more {
    display: flex;
    justify-content: space-between;
    gap: 0.5rem;
    margin-top: 0.6rem;
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
  }
`;

/** Return the sizes that the style needs: more pegs need a wider board. @param {number} pegs */
export function boardSizes(pegs) {
  return `--pegs: ${pegs}; --board: ${pegs > 6 ? 34 : 27}rem`;
}
