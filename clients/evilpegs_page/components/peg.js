/**
 * Pegs: a color and a symbol. The symbol always decides; the colors are those of Okabe and Ito for the first eight,
 * which readers with any color vision can tell apart, and further ones beyond.
 */

import { css, html, unsafeCSS } from "../vendor/lit.js";
import { SYMBOLS } from "../core/rules.js";

const DARK = "#15131a";
const LIGHT = "#ffffff";

const COLORS = Object.freeze([
  ["#e69f00", DARK],
  ["#56b4e9", DARK],
  ["#009e73", DARK],
  ["#f0e442", DARK],
  ["#0072b2", LIGHT],
  ["#d55e00", DARK],
  ["#cc79a7", DARK],
  ["#26232e", LIGHT],
  ["#f4f2f8", DARK],
  ["#7b4a1e", LIGHT],
  ["#b6e04a", DARK],
  ["#7fe7dc", DARK],
  ["#6e1030", LIGHT],
  ["#1f2d86", LIGHT],
  ["#c9b79c", DARK],
  ["#6b6f76", LIGHT],
]);

const rules = SYMBOLS.split("").map((_, color) => {
  const [background, ink] = COLORS[color % COLORS.length];
  // From the 17th color on, the colors repeat with a double ring.
  const ring = color < COLORS.length ? "" : `outline: 0.14em double ${ink}; outline-offset: -0.3em;`;
  return `.color-${color} { background: ${background}; color: ${ink}; ${ring} }`;
});

export const pegStyle = css`
  .peg {
    display: inline-grid;
    place-items: center;
    flex: none;
    width: var(--peg, 2.5rem);
    height: var(--peg, 2.5rem);
    border-radius: 50%;
    box-shadow:
      inset 0 0 0 1px rgb(0 0 0 / 18%),
      0 0 0 1px var(--peg-ring, transparent);
    font: 700 calc(var(--peg, 2.5rem) * 0.46) / 1 var(--font);
    font-variant-numeric: tabular-nums;
    user-select: none;
    forced-color-adjust: none;
  }
  @media (forced-colors: active) {
    .peg { --peg-ring: CanvasText; }
  }
  .pegs {
    display: inline-flex;
    flex-wrap: wrap;
    gap: calc(var(--peg, 2.5rem) * 0.16);
    vertical-align: middle;
  }
  .color-7 { --peg-ring: var(--muted); }
  ${unsafeCSS(rules.join("\n"))}
`;

/** @param {number} color */
export function peg(color) {
  return html`<span class="peg color-${color}" aria-hidden="true">${SYMBOLS[color]}</span>`;
}

/** Return a code as a row of pegs. Screen readers hear its symbols, one by one. @param {string} code */
export function pegRow(code) {
  const pegs = Array.from(code, (symbol) => peg(SYMBOLS.indexOf(symbol)));
  return html`<span class="pegs"><span class="hidden">${code.split("").join(" ")}</span>${pegs}</span>`;
}
