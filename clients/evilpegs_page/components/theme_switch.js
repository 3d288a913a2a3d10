/** A button that switches between the light and the dark theme, and keeps the choice. */

import { LitElement, css, html } from "../vendor/lit.js";
import { shared } from "./shared_style.js";

const KEY = "evilpegs.theme";

export class ThemeSwitch extends LitElement {
  static styles = [
    shared,
    css`
      button {
        width: 2.75rem;
        padding: 0;
        font-size: 1.15rem;
      }
    `,
  ];

  get theme() {
    return document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  }

  switchTheme() {
    const theme = this.theme === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = theme;
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // Without storage the choice lasts until the page is left.
    }
    this.requestUpdate();
  }

  render() {
    const other = this.theme === "dark" ? "light" : "dark";
    return html`
      <button @click=${this.switchTheme} aria-label="Use the ${other} theme" title="Use the ${other} theme">
        <span aria-hidden="true">${other === "dark" ? "☾" : "☀"}</span>
      </button>
    `;
  }
}

customElements.define("theme-switch", ThemeSwitch);
