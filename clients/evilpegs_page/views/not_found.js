/** The view of an address that names nothing. */

import { LitElement, html } from "../vendor/lit.js";
import { shared } from "../components/shared_style.js";

export default class NotFoundView extends LitElement {
  static styles = shared;

  render() {
    return html`
      <h1>There is nothing at this address</h1>
      <p>The link may be mistyped or belong to another version. <a href="#/">Play against evil</a> instead.</p>
    `;
  }
}
