/** The look of views that show tables: leaderboards, players and matches. */

import { css } from "../vendor/lit.js";

export const dataStyle = css`
  h1 { overflow-wrap: anywhere; }
  section { margin-top: 1.4rem; }
  h2 { margin-bottom: 0.6rem; }
  .scroll { border-radius: var(--radius); }
  table { font-variant-numeric: tabular-nums; }
  caption { text-align: left; }
  th {
    padding: 0.2rem 0.6rem 0.45rem;
    color: var(--muted);
    font-size: 0.82rem;
    font-weight: 600;
    text-align: left;
    white-space: nowrap;
  }
  td,
  tbody th {
    padding: 0.5rem 0.6rem;
    border-top: 1px solid var(--line);
    color: var(--ink);
    font-size: 1rem;
    white-space: nowrap;
  }
  th:first-child,
  td:first-child { padding-left: 0; }
  th:last-child,
  td:last-child { padding-right: 0; }
  tbody th { font-weight: 650; }
  .long {
    max-width: 16rem;
    overflow: hidden;
    text-overflow: ellipsis;
  }
  small {
    color: var(--muted);
    font-size: 0.85rem;
    font-weight: 500;
  }
  .form {
    align-items: end;
    gap: 0.6rem 0.9rem;
    margin: 0 0 1.1rem;
  }
  .form label {
    display: grid;
    grid-template-columns: minmax(0, auto);
    gap: 0.2rem;
    min-width: 0;
    max-width: 100%;
    color: var(--muted);
    font-size: 0.85rem;
    font-weight: 600;
  }
  .links { margin-top: 1rem; }
  .live {
    display: inline-flex;
    align-items: center;
    gap: 0.4em;
    color: var(--good);
    font-weight: 650;
  }
  .live::before {
    content: "";
    width: 0.6em;
    height: 0.6em;
    border-radius: 50%;
    background: currentColor;
    forced-color-adjust: none;
  }
  .empty {
    display: grid;
    gap: 0.8rem;
    max-width: 46rem;
  }
  /* a table with what fits on a phone, and the rest below the row whose name is pressed */
  .board tbody th,
  .more td {
    width: 100%;
    overflow-wrap: anywhere;
    white-space: normal;
  }
  .name {
    display: inline-block;
    min-height: 1.75rem;
    padding: 0;
    border: none;
    background: none;
    color: var(--accent);
    overflow-wrap: anywhere;
    text-align: left;
  }
  .name::before {
    content: "▸ ";
    content: "▸ " / "";
  }
  .name[aria-expanded="true"]::before {
    content: "▾ ";
    content: "▾ " / "";
  }
  dl { margin: 0 0 0.5rem; }
  dt,
  dd {
    display: inline;
    margin: 0;
  }
  @media (max-width: 40rem) {
    .board { padding: 0.6rem 0.8rem; }
    .board th,
    .board td { padding-inline: 0.3rem; }
  }
  /* a table whose rows are paragraphs where it would not fit, each figure behind its name */
  @media (max-width: 62rem) {
    .stacked .empty { display: none; }
    .stacked thead {
      display: block;
      position: absolute;
      width: 1px;
      height: 1px;
      overflow: hidden;
      clip-path: inset(50%);
    }
    .stacked tr {
      display: flex;
      flex-wrap: wrap;
      gap: 0.1rem 0.9rem;
      padding: 0.55rem 0;
      border-top: 1px solid var(--line);
    }
    .stacked :is(td, th) {
      padding: 0;
      border: none;
      white-space: normal;
    }
    .stacked th {
      flex: 1 1 60%;
      order: -2;
      overflow-wrap: anywhere;
    }
    .stacked [data-head]::before {
      content: attr(data-head) "\\00a0";
      color: var(--muted);
      font-size: 0.85rem;
    }
    .stacked .action { order: -1; }
  }
`;
