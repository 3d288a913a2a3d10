/** A guess that is being composed: pegs that may still be empty, and the peg that the next color goes to. */

export class CodeDraft {
  /** @param {import("../core/rules.js").Rules} rules */
  constructor(rules) {
    this.rules = rules;
    /** @type {(number | null)[]} */
    this.pegs = Array.from({ length: rules.pegs }, () => null);
    this.cursor = 0;
    /** The pegs in the order in which they got a color. @type {number[]} */
    this.order = [];
  }

  get isFull() {
    return !this.pegs.includes(null);
  }

  get isEmpty() {
    return this.pegs.every((color) => color === null);
  }

  /**
   * Put a color on a peg and move on to the next empty one. Where no color may repeat, the color leaves its former peg.
   * @param {number} color @param {number} [peg]
   */
  put(color, peg = this.cursor) {
    const former = this.pegs.indexOf(color);
    if (!this.rules.repeats && former !== -1) this.pegs[former] = null;
    this.pegs[peg] = color;
    this.order.push(peg);
    const { length } = this.pegs;
    const order = Array.from({ length }, (_, step) => (peg + 1 + step) % length);
    this.cursor = order.find((each) => this.pegs[each] === null) ?? peg;
  }

  /** Exchange the colors of two pegs. @param {number} from @param {number} to */
  exchange(from, to) {
    [this.pegs[from], this.pegs[to]] = [this.pegs[to], this.pegs[from]];
    this.cursor = to;
    this.order.push(to);
  }

  /** Empty the peg at the cursor; if it is empty, the last one that got a color. */
  erase() {
    if (this.pegs[this.cursor] === null) this.cursor = this.order.findLast((each) => this.pegs[each] !== null) ?? this.cursor;
    this.pegs[this.cursor] = null;
  }

  /** Move the cursor. @param {number} step */
  move(step) {
    this.cursor = Math.min(Math.max(this.cursor + step, 0), this.pegs.length - 1);
  }

  /** Change the color at the cursor to the next or the one before. @param {number} step */
  turn(step) {
    const { colors, repeats } = this.rules;
    const start = this.pegs[this.cursor] ?? (step > 0 ? -1 : colors);
    for (let each = 1; each <= colors; each++) {
      const color = (((start + step * each) % colors) + colors) % colors;
      if (repeats || !this.pegs.includes(color)) {
        this.pegs[this.cursor] = color;
        this.order.push(this.cursor);
        return;
      }
    }
  }
}
