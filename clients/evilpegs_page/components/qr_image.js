/** An address as a QR code to scan, dark on light in every theme. */

import { html, nothing } from "../vendor/lit.js";
import { qrCode, qrPath } from "../core/qr.js";

/** @param {string} url @returns {unknown} nothing if it is longer than the 180 bytes of such a code */
export function qrImage(url) {
  const rows = qrCode(url);
  if (rows.length === 0) return nothing;
  return html`<svg role="img" aria-label="QR code of ${url}" viewBox="-4 -4 ${rows.length + 8} ${rows.length + 8}" shape-rendering="crispEdges"><path d=${qrPath(rows)}></path></svg>`;
}
