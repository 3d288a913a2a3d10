/** Feedback as the terminal shows it, ●●○·, in the shape of a board; and in words for screen readers. */

import { css, html } from "../vendor/lit.js";
import { feedbackName } from "../core/feedback.js";

export const feedbackStyle = css`
  .feedback {
    display: inline-grid;
    grid-template-columns: repeat(var(--wide), max-content);
    gap: 0.16em;
    vertical-align: middle;
  }
  /* Shape tells the marks apart in every theme: black is solid, white is a ring. */
  i:is(.black, .white, .neither) {
    flex: none;
    width: 0.85em;
    height: 0.85em;
    border: 0.17em solid var(--ink);
    border-radius: 50%;
    forced-color-adjust: none;
  }
  i.black { background: var(--ink); }
  i.neither {
    border: 0.3em solid transparent;
    background: var(--muted) padding-box;
  }
  .legend {
    flex: 100%;
    gap: 0 0.9rem;
    color: var(--muted);
    font-size: 0.88rem;
  }
  .legend li { gap: 0.4em; }
  .legend.short {
    flex: none;
    gap: 0 0.6rem;
    font-size: 0.74rem;
  }
  /* beside "Guess 10 of 10" on the smallest phones */
  @media (max-width: 23rem) {
    .legend.short {
      gap: 0 0.4rem;
      font-size: 0.69rem;
    }
    .legend.short li { gap: 0.3em; }
  }
`;

/** @param {{black: number, white: number}} given @param {number} pegs */
export function feedbackPegs(given, pegs) {
  const marks = ["black", "white", "neither"].flatMap((name) => {
    const times = name === "black" ? given.black : name === "white" ? given.white : pegs - given.black - given.white;
    return Array.from({ length: Math.max(0, times) }, () => html`<i class=${name}></i>`);
  });
  return html`<span class="feedback" .style=${`--wide: ${Math.ceil(pegs / 2)}`}>${marks}<span class="hidden">${feedbackName(given)}</span></span>`;
}

/** The legend once somebody plays. */
export const shortLegend = html`<ul class="legend short row plain">
  <li class="row"><i class="black"></i><span class="hidden">Black: </span>right place</li>
  <li class="row"><i class="white"></i><span class="hidden">White: </span>wrong place</li>
</ul>`;

export const legend = html`<ul class="legend row plain">
  <li class="row"><i class="black"></i><span class="hidden">Black: </span>right color and place</li>
  <li class="row"><i class="white"></i><span class="hidden">White: </span>right color, wrong place</li>
</ul>`;
