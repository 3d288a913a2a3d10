/** The look of the row of pegs and the colors from which a guess is composed. */

import { css } from "../vendor/lit.js";

export const codeEntryStyle = css`
  .entry,
  .ghost {
    --most: 3.1rem;
    --key: min(var(--most), calc((100vw - 4.8rem) / var(--columns, 6) - 0.85rem));
    --peg: var(--key);
  }
  @media (max-height: 30rem) {
    .entry {
      --most: 2.3rem; /* a phone on its side */
    }
  }
  .slots {
    --peg: min(var(--key), calc((var(--width, 100vw - 4.8rem) - 0.8rem) / var(--count) - 0.6rem));
    flex-wrap: nowrap;
    justify-content: center;
    gap: 0.1rem;
    padding: 0.4rem;
    border-radius: var(--radius);
    background: var(--sunken);
  }
  button.slot,
  button.key {
    width: calc(var(--peg) + 0.5rem);
    height: calc(var(--peg) + 0.5rem);
    min-height: 0;
    padding: 0;
    border: 2px solid transparent;
    background: none;
    touch-action: pan-y;
    -webkit-touch-callout: none;
    forced-color-adjust: none;
  }
  .slot .empty {
    width: var(--peg);
    height: var(--peg);
    border: 2px dashed var(--muted);
    border-radius: 50%;
    background: var(--slot);
  }
  button.slot:hover:not(.cursor, :disabled) { border-color: var(--bar); }
  .slot.cursor { border-color: var(--accent); }
  .keys {
    justify-content: center;
    gap: 0.35rem;
    margin-top: 0.6rem;
  }
  .key {
    position: relative;
    transition: transform 0.12s;
  }
  .key:hover:not(:disabled) { transform: translateY(-2px); }
  .key.excluded .peg { opacity: 0.35; }
  .key.excluded::after {
    content: "";
    position: absolute;
    width: 78%;
    height: 3px;
    border-radius: 2px;
    background: var(--ink);
    rotate: -45deg;
  }
  .actions { margin-top: 0.6rem; }
  ::slotted(p:not(:empty)) {
    padding-top: 0.4rem;
    font-size: 0.8rem;
    text-align: center;
  }
  .actions .primary { flex: 1; }
  .ghost {
    position: fixed;
    z-index: 3;
    translate: -50% -50%;
    pointer-events: none;
    filter: drop-shadow(0 4px 8px rgb(0 0 0 / 35%));
  }
`;
