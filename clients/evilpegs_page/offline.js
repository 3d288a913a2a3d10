/**
 * The service worker that keeps the page for visits without a network. The server writes the digest and the names of
 * its files into it, so each version is a worker of its own, with a cache of its own.
 *
 *     the document        from the network; from the cache if that does not answer soon
 *     static/DIGEST/...   from the cache, which has all files of this version
 *     all else            as if there were no worker: nothing of a server or of its matches is kept
 *
 * A document names the files of its own version only, so no page is made of two: that of a newer one, which comes from
 * the network, gets its files there until its own worker has them all.
 */
{
  /** @typedef {Event & {waitUntil: (done: Promise<unknown>) => void}} Extendable */
  /** @typedef {Extendable & {data: string}} Message */
  /** @typedef {Extendable & {request: Request, respondWith: (answer: Promise<Response>) => void}} Fetching */

  const FILES = "static/DIGEST/";
  const NAMES = "NAMES".split(" ");
  const MARK = /<meta name="?application-name"? content="?evilpegs\b/;
  const BUSY = 429;
  /** A phone that has a slow network gets an answer in this time, one that has a bad network gets none for a minute. */
  const LATE_MS = 3_000;
  /** Few, because a server may limit the requests of one address, and the visitor's come first. */
  const REQUESTS = 4;
  const worker = /** @type {any} */ (self);
  /** @type {string} */
  const here = worker.registration.scope;
  // all sites of a host, each below a path of its own, share its caches
  const owner = `evilpegs ${here} `;
  const own = owner + FILES;

  async function install() {
    const index = await fetch(here, { cache: "no-store", headers: { Accept: "text/html" } });
    const isCurrent = index.ok && !index.redirected && (await index.clone().text()).includes(FILES);
    if (!isCurrent) throw new Error("the page is of another version already, or it cannot be loaded");
    await keep(index);
  }

  /** Take the place of the worker before, at the word of a page of this version, if no other page needs its files. @param {string} folder */
  async function replace(folder) {
    const windows = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
    const open = windows.filter((/** @type {{url: string}} */ { url }) => url.startsWith(here));
    if (folder === here + FILES && open.length < 2) worker.skipWaiting();
  }

  async function activate() {
    await forget((name) => name !== own);
    await worker.clients.claim();
  }

  /** Keep a document of this version, after all its files: the cache of one that failed goes on where it stopped. @param {Response} index */
  async function keep(index) {
    const cache = await caches.open(own);
    const waiting = (await cache.match(here, { ignoreVary: true })) ? [] : [...NAMES];
    const fill = async () => {
      for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
        if (!(await cache.match(FILES + name, { ignoreVary: true }))) await cache.put(FILES + name, await load(name));
      }
    };
    await Promise.all(Array.from({ length: REQUESTS }, fill));
    await cache.put(here, index);
  }

  /** @param {string} name */
  async function load(name) {
    const answer = await fetch(FILES + name);
    // hosts of static files may answer with their own page in place of a file that is missing
    const isFile = answer.ok && (name.endsWith(".html") || !answer.headers.get("Content-Type")?.startsWith("text/html"));
    if (!isFile) throw new Error(`${name} is missing`);
    return answer;
  }

  /** Forget what this worker, or those before it, kept. @param {(name: string) => boolean} isForgotten */
  async function forget(isForgotten) {
    const names = (await caches.keys()).filter((name) => name.startsWith(owner) && isForgotten(name));
    await Promise.all(names.map((name) => caches.delete(name)));
  }

  /** Return the document as the network has it. @param {Fetching} event */
  async function ask(event) {
    const answer = await fetch(event.request);
    if (isBusy(answer)) return answer;
    const text = await answer.clone().text();
    if (!MARK.test(text)) {
      // another program is at this address now
      await Promise.all([worker.registration.unregister(), forget(() => true)]);
    } else if (text.includes(FILES)) {
      // its headers and the address in it may have changed
      event.waitUntil(keep(answer.clone()));
    }
    return answer;
  }

  /** Whether the server, or a proxy before it, says that it cannot answer now. @param {Response} answer */
  function isBusy({ status }) {
    return status === BUSY || status >= 500;
  }

  /** @param {Fetching} event @returns {Promise<Response>} */
  async function openPage(event) {
    const asked = ask(event);
    const soon = asked.catch(() => null);
    event.waitUntil(soon);
    const late = new Promise((resolve) => setTimeout(resolve, LATE_MS, null));
    const answer = await Promise.race([soon, /** @type {Promise<null>} */ (late)]);
    return answer !== null && !isBusy(answer) ? answer : ((await kept(here)) ?? asked);
  }

  /** @param {string} address */
  function kept(address) {
    return caches.match(address, { cacheName: own, ignoreVary: true });
  }

  worker.addEventListener("install", (/** @type {Extendable} */ event) => event.waitUntil(install()));
  worker.addEventListener("activate", (/** @type {Extendable} */ event) => event.waitUntil(activate()));
  worker.addEventListener("message", (/** @type {Message} */ event) => event.waitUntil(replace(event.data)));
  worker.addEventListener("fetch", (/** @type {Fetching} */ event) => {
    const { request } = event;
    if (request.method !== "GET" || !request.url.startsWith(here)) return;
    const [path] = request.url.slice(here.length).split(/[?#]/, 1);
    if (request.mode === "navigate" && ["", "index.html"].includes(path)) event.respondWith(openPage(event));
    else if (path.startsWith(FILES)) event.respondWith(kept(request.url).then((file) => file ?? fetch(request)));
  });
}
