/**
 * The shell: header, navigation, and the view of the current address. Views are loaded when they are opened first.
 */

import { LitElement, css, html, nothing } from "./vendor/lit.js";
import { ROUTES, findRoute } from "./routes.js";
import { shared } from "./components/shared_style.js";
import "./components/theme_switch.js";

class EvilpegsApp extends LitElement {
  static properties = {
    view: { state: true },
    failure: { state: true },
  };

  static styles = [
    shared,
    css`
      :host {
        display: flex;
        flex-direction: column;
        min-height: 100vh;
      }
      .skip {
        position: absolute;
        left: 1rem;
        top: -4rem;
        z-index: 2;
      }
      .skip:focus {
        top: 0.5rem;
      }
      header {
        display: flex;
        align-items: center;
        gap: 0.25rem 1.25rem;
        flex-wrap: wrap;
        width: 100%;
        max-width: 70rem;
        margin: 0 auto;
        padding: 0.6rem 1rem;
      }
      .name {
        display: inline-flex;
        align-items: center;
        gap: 0.5rem;
        color: var(--ink);
        font-size: 1.15rem;
        font-weight: 750;
        letter-spacing: -0.02em;
        text-decoration: none;
      }
      .name img {
        width: 1.75rem;
        height: 1.75rem;
      }
      theme-switch {
        margin-left: auto;
      }
      nav {
        display: flex;
        flex-wrap: wrap;
        gap: 0.25rem;
      }
      nav a {
        padding: 0.4rem 0.75rem;
        border-radius: 999px;
        color: var(--muted);
        font-weight: 600;
        text-decoration: none;
      }
      @media (max-width: 40rem) {
        nav {
          order: 1;
          flex-basis: 100%;
          justify-content: space-between;
          gap: 0;
          margin: 0 -0.25rem;
        }
        nav a {
          padding: 0.4rem 0.25rem;
          font-size: 0.82rem;
        }
        main {
          padding-top: 0.25rem;
        }
      }
      nav a:hover {
        color: var(--ink);
      }
      nav a[aria-current] {
        background: var(--accent-soft);
        color: var(--ink);
      }
      main {
        flex: 1;
        width: 100%;
        max-width: 70rem;
        margin: 0 auto;
        padding: 0.75rem 1rem 3rem;
      }
      main:focus {
        outline: none;
      }
      footer {
        padding: 1rem;
        color: var(--muted);
        font-size: 0.85rem;
        text-align: center;
      }
    `,
  ];

  constructor() {
    super();
    /** @type {HTMLElement | null} */
    this.view = null;
    this.failure = "";
    this._follow = () => this.follow();
  }

  connectedCallback() {
    super.connectedCallback();
    addEventListener("hashchange", this._follow);
    this.follow();
  }

  disconnectedCallback() {
    removeEventListener("hashchange", this._follow);
    super.disconnectedCallback();
  }

  /** Show the view of the current address. A view that loads after another was opened is not shown. */
  async follow() {
    const hash = location.hash;
    const { route, params, query } = findRoute(hash);
    try {
      const module = await route.load();
      if (location.hash !== hash) return;
      if (!customElements.get(route.tag)) customElements.define(route.tag, module.default);
      this.failure = "";
      this.show(route, Object.assign(document.createElement(route.tag), { params, query }));
    } catch (error) {
      console.error(error);
      this.failure = "This view could not be loaded. The server may have stopped or been updated; reload the page.";
    }
  }

  /** @param {import("./routes.js").Route} route @param {HTMLElement} view */
  show(route, view) {
    const isFirst = this.view === null;
    this.view = view;
    document.title = route.path === "" ? "evilpegs" : `${route.title} · evilpegs`;
    if (isFirst) return;
    scrollTo(0, 0);
    this.updateComplete.then(() => /** @type {HTMLElement} */ (this.renderRoot.querySelector("main")).focus());
  }

  /** @param {Event} event */
  skip(event) {
    event.preventDefault();
    /** @type {HTMLElement} */ (this.renderRoot.querySelector("main")).focus();
  }

  render() {
    const { route } = findRoute(location.hash);
    return html`
      <header>
        <a class="skip button" href="#/" @click=${this.skip}>Skip to the content</a>
        <a class="name" href="#/"><img src=${new URL("favicon.svg", import.meta.url).href} alt="" width="28" height="28" />evilpegs</a>
        <nav aria-label="Views">
          ${ROUTES.filter((each) => each.link).map(
            (each) =>
              html`<a href="#/${each.path}" aria-current=${each === route ? "page" : each.path === route.under ? "true" : nothing}>${each.link}</a>`,
          )}
        </nav>
        <theme-switch></theme-switch>
      </header>
      <main tabindex="-1">${this.failure ? html`<p role="alert">${this.failure}</p>` : this.view}</main>
    `;
  }
}

customElements.define("evilpegs-app", EvilpegsApp);
