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
`;
