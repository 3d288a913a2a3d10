/** Errors whose message is one line for the person who plays. Any other error is a fault of the page. */

/** The base class of every error that wrong input causes. */
export class GameError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = new.target.name;
  }
}

export class RulesError extends GameError {}

export class CodeError extends GameError {}

export class TooLargeError extends GameError {}

/** A stored game, a date or a record file that cannot be read. */
export class UnreadableError extends GameError {}
