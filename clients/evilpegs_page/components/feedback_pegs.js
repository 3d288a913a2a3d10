/** Feedback as a black and a white peg, each with its count, and in words for screen readers. */

import { css, html } from "../vendor/lit.js";
import { feedbackName } from "../core/feedback.js";

export const feedbackStyle = css`
  .feedback {
    display: inline-flex;
    align-items: center;
    gap: 0.7em;
    font-weight: 650;
    font-variant-numeric: tabular-nums;
    white-space: nowrap;
  }
  .feedback > span[aria-hidden] {
    display: inline-flex;
    align-items: center;
    gap: 0.3em;
  }
  .feedback i {
    width: 0.85em;
    height: 0.85em;
    border: 0.1em solid var(--muted);
    border-radius: 50%;
  }
  .feedback .black {
    background: var(--black-peg);
  }
  .feedback .white {
    background: var(--white-peg);
  }
`;

/** @param {{black: number, white: number}} given */
export function feedbackPegs(given) {
  return html`<span class="feedback">
    <span aria-hidden="true"><i class="black"></i>${given.black}</span>
    <span aria-hidden="true"><i class="white"></i>${given.white}</span>
    <span class="hidden">${feedbackName(given)}</span>
  </span>`;
}
