/** Registers the service worker, `offline.js` beside the document, which keeps this page for visits without a network. */

import { isThisMachine } from "./core/share.js";

/** Keep the page, but not on this machine itself: the next program at the port would get it in place of its own. */
export async function keepOffline() {
  // storage may be blocked, then there is none, and plain http has none
  if (!("serviceWorker" in navigator) || isThisMachine(location.hostname)) return;
  const options = /** @type {const} */ ({ updateViaCache: "none" });
  const registration = await navigator.serviceWorker.register("offline.js", options).catch(() => null);
  // the worker of a new version takes over once a page of its version asks
  const ask = () => (registration?.installing ?? registration?.waiting)?.postMessage(new URL(".", import.meta.url).href);
  registration?.addEventListener("updatefound", ask);
  ask();
}
