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
    margin-bottom: 0.8rem;
  }
  guess-table {
    --peg: clamp(1.15rem, calc((min(100vw, var(--board) + 2rem) - 15.2rem) / var(--pegs) / 1.16), 2.2rem);
  }
  guess-table:not(:last-child) {
    margin-bottom: 1rem;
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
