/** Shows the view of the current address in the document, which has header and navigation already. Views are loaded when they are opened first. */

import { findRoute } from "./routes.js";
import "./components/theme_switch.js";

const main = /** @type {HTMLElement} */ (document.querySelector("main"));

const RETRY_MS = 3_000;
/** The pause in a page that was loaded again already. */
const RELOAD_MS = 60_000;

/** How many views were opened. The address says less: one may go and return while a view loads. */
let opened = 0;

/** Show the view of the current address. A view that loads, or fails to, after another was opened is not shown. */
async function follow(isFirst = false) {
  const number = (opened += 1);
  const { route, params, query } = findRoute(location.hash);
  markLink(route);
  try {
    const module = await route.load();
    if (number !== opened) return;
    if (!customElements.get(route.tag)) customElements.define(route.tag, module.default);
    document.title = route.path === "" ? "evilpegs" : `${route.title} · evilpegs`;
    main.replaceChildren(Object.assign(document.createElement(route.tag), { params, query }));
    if (isFirst) return;
    scrollTo(0, 0);
    main.focus();
  } catch (error) {
    console.error(error);
    if (number !== opened) return;
    showFailure();
  }
}

/** Say that a view could not be loaded, and load the page again when the server answers, or the visitor wants to. */
function showFailure() {
  const text = "This page could not be loaded. It tries again by itself.";
  const button = Object.assign(document.createElement("button"), { textContent: "Try again", onclick: () => location.reload() });
  main.replaceChildren(Object.assign(document.createElement("p"), { role: "alert", textContent: text }), button);
  const [{ type }] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType("navigation"));
  setTimeout(() => button.isConnected && reloadOnAnswer(button), type === "reload" ? RELOAD_MS : RETRY_MS);
}

/** @param {HTMLElement} shown gone once another view was opened */
async function reloadOnAnswer(shown) {
  const answer = await fetch("", { cache: "no-store" }).catch(() => null);
  if (!shown.isConnected) return;
  if (!answer?.ok) return void setTimeout(() => reloadOnAnswer(shown), RETRY_MS);
  location.reload();
}

/** @param {import("./routes.js").Route} route */
function markLink(route) {
  for (const link of document.querySelectorAll("nav a")) {
    const path = link.getAttribute("href")?.slice("#/".length);
    const current = path === route.path ? "page" : path === route.under ? "true" : null;
    // as an attribute: Firefox has the property only since 119
    if (current === null) link.removeAttribute("aria-current");
    else link.setAttribute("aria-current", current);
  }
}

async function keepOffline() {
  const module = await import("./keep_offline.js").catch(() => null);
  await module?.keepOffline();
}

document.querySelector(".skip")?.addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
addEventListener("hashchange", () => follow());
if (document.querySelector("meta[name=published]") !== null) void import("./published.js").then(({ showOrigin }) => showOrigin());
// after the first view, because it loads all files of the page
void follow(true).then(() => isSecureContext && (globalThis.requestIdleCallback ?? setTimeout)(keepOffline));
