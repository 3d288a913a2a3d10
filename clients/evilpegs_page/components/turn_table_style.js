/** The look of tables with one guess per row, on boards and in replays. */

import { css } from "../vendor/lit.js";

export const turnTableStyle = css`
  th {
    padding: 0 0.35rem 0.35rem;
    color: var(--muted);
    font-size: 0.8rem;
    font-weight: 600;
    text-align: left;
  }
  td {
    padding: 0.2rem 0.35rem;
    border-top: 1px solid var(--line);
  }
  td:first-child,
  th:first-child {
    width: 1.9rem;
    padding-left: 0;
  }
  /* a long code has a line of its own on a phone */
  @media (max-width: 40rem) {
    .long thead { display: none; }
    .long tr {
      display: grid;
      grid-template-columns: 1.9rem 1fr auto;
    }
    .long td:nth-child(2) { grid-column: 2 / -1; }
    .long td:nth-child(3) { grid-column: 2; }
    .long td:nth-child(4):not(:empty)::after { content: " left"; }
    .long td:nth-child(n + 3) {
      padding-top: 0;
      border: none;
    }
  }
`;

/** Return true if a code is too long to stand beside something else. @param {number} pegs */
export function isLong(pegs) {
  return pegs > 6;
}
