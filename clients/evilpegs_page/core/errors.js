/** Errors whose message is one line for the person who plays. Any other error is a fault of the page. */

/** The base class of every error that wrong input causes. */
export class GameError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = new.target.name;
  }
}

/** A text that names no rules. */
export class RulesError extends GameError {}

/** A text that is not a code of the rules. */
export class CodeError extends GameError {}

/** Rules with more codes than the browser goes through. */
export class TooLargeError extends GameError {}

/** A stored game, a date or a record file that cannot be read. */
export class UnreadableError extends GameError {}
