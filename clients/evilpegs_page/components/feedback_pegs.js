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
    font-size: 1rem;
  }
  i:is(.black, .white) {
    flex: none;
    width: 0.85em;
    height: 0.85em;
    border: 0.1em solid var(--muted);
    border-radius: 50%;
    background: var(--black-peg);
  }
  i.white {
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

/** What the pegs mean. */
export const legend = html`<ul class="legend">
  <li><i class="black"></i>A black peg: a color is right and in its place.</li>
  <li><i class="white"></i>A white peg: a further color is right, but elsewhere.</li>
</ul>`;
