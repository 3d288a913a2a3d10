/** Saving a text as a file. It is made in the browser, so no request leaves the page. */

/** @param {string} name the name of the file @param {string} text @param {string} [type] its media type */
export function saveText(name, text, type = "text/plain") {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = Object.assign(document.createElement("a"), { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
