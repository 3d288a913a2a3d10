/** The meaning of black and white pegs, in two lines. */

import { css, html } from "../vendor/lit.js";

export const legendStyle = css`
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
    flex: none;
    width: 0.85rem;
    height: 0.85rem;
    border: 0.1rem solid var(--muted);
    border-radius: 50%;
  }
  .legend .black {
    background: var(--black-peg);
  }
  .legend .white {
    background: var(--white-peg);
  }
`;

export const legend = html`<ul class="legend">
  <li><i class="black"></i>A black peg: a color is right and in its place.</li>
  <li><i class="white"></i>A white peg: a further color is right, but elsewhere.</li>
</ul>`;
