/** The look of a match on the server, besides that of every board. */

import { css } from "../vendor/lit.js";

export const serverBoardStyle = css`
  .columns.summary { grid-template-columns: minmax(0, 40rem); }
  section:focus { outline: none; }
  .before {
    display: grid;
    margin-bottom: 1rem;
    gap: 0.6rem;
    --peg: 1.6rem;
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
    gap: 0.7rem;
    padding: 0.3rem 0;
  }
  .failure { margin-bottom: 0.8rem; }
  .ready .quiet { margin-left: 0; }
  .hint {
    gap: 0.4rem 0.7rem;
    margin-top: 0.6rem;
    padding: 0.7rem 0.9rem;
    border-radius: var(--radius);
    background: var(--accent-soft);
    --peg: 1.6rem;
  }
  .hint .muted { color: var(--ink); }
  dialog {
    max-width: min(26rem, calc(100vw - 2rem));
    padding: 1.3rem;
    border: 1px solid var(--line);
    border-radius: var(--radius);
    background: var(--surface);
    color: var(--ink);
    box-shadow: var(--shadow);
  }
  dialog::backdrop { background: rgb(0 0 0 / 45%); }
  dialog p { margin: 0.5rem 0 1rem; }
  dialog div {
    display: grid;
    gap: 0.5rem;
  }
`;
