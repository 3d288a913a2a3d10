/** The drag of a peg by mouse, pen or finger. It begins when the pointer has moved some pixels, so a click is no drag. */

const DRAG_PIXELS = 8;

/**
 * @typedef {object} Drag
 * @property {number} color
 * @property {number | null} from the peg of the row that is dragged; null for one of the colors
 * @property {number} x of the pointer in the window, in pixels
 * @property {number} y
 *
 * @typedef {object} DragOptions
 * @property {() => void} onMove is called when what `moving` returns has changed
 * @property {(drag: Drag) => void} onDrop is called when a peg was dropped, with where
 */

export class PegDrag {
  /** @param {DragOptions} options */
  constructor({ onMove, onDrop }) {
    this._options = { onMove, onDrop };
    /** @type {(Drag & {isMoving: boolean}) | null} */
    this._drag = null;
    this._onMove = (/** @type {PointerEvent} */ event) => this._move(event);
    this._onDrop = (/** @type {PointerEvent} */ event) => this._drop(event);
  }

  /** The drag that is under way; null without one, and until the pointer has moved some pixels. @returns {Drag | null} */
  get moving() {
    return this._drag?.isMoving ? this._drag : null;
  }

  /** @param {PointerEvent} event @param {number} color @param {number | null} from */
  begin(event, color, from) {
    if (event.button !== 0) return;
    this._drag = { color, from, x: event.clientX, y: event.clientY, isMoving: false };
    addEventListener("pointermove", this._onMove);
    addEventListener("pointerup", this._onDrop);
    addEventListener("pointercancel", this._onDrop);
  }

  /** End the drag; nothing is dropped. */
  end() {
    this._drag = null;
    removeEventListener("pointermove", this._onMove);
    removeEventListener("pointerup", this._onDrop);
    removeEventListener("pointercancel", this._onDrop);
    this._options.onMove();
  }

  /** @param {PointerEvent} event */
  _move({ clientX, clientY }) {
    if (this._drag === null) return;
    const { x, y, isMoving } = this._drag;
    if (!isMoving && Math.hypot(clientX - x, clientY - y) <= DRAG_PIXELS) return;
    this._drag = { ...this._drag, x: clientX, y: clientY, isMoving: true };
    this._options.onMove();
  }

  /** @param {PointerEvent} event */
  _drop({ type, clientX, clientY }) {
    const { moving } = this;
    this.end();
    if (moving !== null && type !== "pointercancel") this._options.onDrop({ ...moving, x: clientX, y: clientY });
  }
}
