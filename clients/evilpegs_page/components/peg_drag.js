/**
 * The drag of a peg by mouse, pen or finger. It begins when the pointer has moved some pixels, so a click is no drag. A
 * finger drags to the side, or anywhere after a long press; one that moves up or down at once scrolls the page.
 */

const DRAG_PIXELS = 8;
const LONG_PRESS_MS = 350;

/**
 * @typedef {{color: number, from: number | null, x: number, y: number}} Drag `from` is the peg of the row that is dragged, null for
 *   one of the colors; x and y are those of the pointer in the window, in pixels
 * @typedef {{onMove: () => void, onDrop: (drag: Drag) => void}} DragOptions `onMove` is called when what `moving` returns has changed
 */

export class PegDrag {
  /** @param {DragOptions} options */
  constructor({ onMove, onDrop }) {
    this._options = { onMove, onDrop };
    /** @type {(Drag & {isMoving: boolean, isMouse: boolean}) | null} */
    this._drag = null;
    /** @type {any} */
    this._timer = null;
    /** A listener that keeps the browser from scrolling, and from a menu of the long press, during a drag. */
    this.holdStill = { handleEvent: (/** @type {Event} */ event) => void (this.moving && event.cancelable && event.preventDefault()), passive: false };
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
    this._drag = { color, from, x: event.clientX, y: event.clientY, isMoving: false, isMouse: event.pointerType === "mouse" };
    if (!this._drag.isMouse) this._timer = setTimeout(() => this._start(event.clientX, event.clientY), LONG_PRESS_MS);
    addEventListener("pointermove", this._onMove);
    addEventListener("pointerup", this._onDrop);
    addEventListener("pointercancel", this._onDrop);
  }

  /** End the drag; nothing is dropped. */
  end() {
    this._drag = null;
    clearTimeout(this._timer);
    removeEventListener("pointermove", this._onMove);
    removeEventListener("pointerup", this._onDrop);
    removeEventListener("pointercancel", this._onDrop);
    this._options.onMove();
  }

  /** @param {PointerEvent} event */
  _move({ clientX, clientY }) {
    if (this._drag === null) return;
    const { x, y, isMoving, isMouse } = this._drag;
    const [right, down] = [Math.abs(clientX - x), Math.abs(clientY - y)];
    if (!isMoving && Math.hypot(right, down) <= DRAG_PIXELS) return;
    if (!isMoving && !isMouse && down >= right) this.end();
    else this._start(clientX, clientY);
  }

  /** @param {number} x @param {number} y */
  _start(x, y) {
    if (this._drag !== null) this._drag = { ...this._drag, x, y, isMoving: true };
    this._options.onMove();
  }

  /** @param {PointerEvent} event */
  _drop({ type, clientX, clientY }) {
    const { moving } = this;
    this.end();
    if (moving !== null && type !== "pointercancel") this._options.onDrop({ ...moving, x: clientX, y: clientY });
  }
}
