/**
 * Reading a record from a file: one event per line, as `evilpegs replay --record` and the site write it.
 *
 * A line may also be a message as a client received it: the field `re` and messages that are no events are left out.
 */

import { UnreadableError } from "./errors.js";
import { hasEventType, whyNoEvent } from "./verification/event_fields.js";

/** @import { RecordEvent } from "./verification/event_fields.js" */

/** The messages that a client receives between the events of a match. */
const NOT_RECORDED = ["turn", "resumed", "watching", "hint", "pong", "notice"];
/** Every text of a line, with the colon that follows if it is a key. */
const STRINGS = /"(?:[^"\\]|\\.)*"(\s*:)?/g;

/**
 * Return the events in the text of a record. Their fields are not checked; `verifyRecord` does that.
 * @param {string} text @returns {RecordEvent[]}
 * @throws {UnreadableError} A line is not a JSON object, the first event is not the start of a match, or a second
 *   match starts.
 */
export function readRecord(text) {
  const lines = text.replace(/^\uFEFF/, "").split("\n");
  const events = recordEvents(lines.flatMap((line, index) => (line.trim() === "" ? [] : [parseLine(line, index + 1)])));
  if (events.length === 0) throw new UnreadableError("this is not a record: it is empty");
  if (events[0].type !== "match_started") throw new UnreadableError("this is not a record: it does not begin with match_started");
  if (events.slice(1).some((event) => event.type === "match_started")) {
    throw new UnreadableError("this file has more than one match; a record has one");
  }
  return events;
}

/**
 * Return the events of a file that somebody chose, as `evilpegs verify` does.
 * @param {string} text @returns {RecordEvent[]}
 * @throws {UnreadableError} As `readRecord`, and if the first event has a wrong field.
 */
export function readRecordFile(text) {
  const events = readRecord(text);
  const why = whyNoEvent(events[0]);
  if (why !== null) throw new UnreadableError(`this is not a record: its first event is none of a match, because ${why}`);
  return events;
}

/**
 * Return the events among the messages that a client received, without the field `re`.
 * @param {readonly RecordEvent[]} messages @returns {RecordEvent[]}
 */
export function recordEvents(messages) {
  const events = messages.filter((message) => hasEventType(message) || !NOT_RECORDED.includes(message.type));
  return events.map(({ re, ...event }) => event);
}

/** @param {string} line @param {number} number @returns {RecordEvent} */
function parseLine(line, number) {
  /** @type {unknown} */
  let value = null;
  try {
    value = JSON.parse(line);
  } catch {
    // handled below
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new UnreadableError(`this is not a record: line ${number} is not a JSON object`);
  }
  if ((line.match(STRINGS) ?? []).filter((found) => found.endsWith(":")).length !== countKeys(value)) {
    throw new UnreadableError(`this is not a record: line ${number} has a key twice`);
  }
  if (/[0-9][.eE]/.test(line.replace(STRINGS, '""'))) {
    throw new UnreadableError(`this is not a record: line ${number} has a number that is not whole`);
  }
  return value;
}

/** @param {unknown} value @returns {number} The keys of all objects in the value. */
function countKeys(value) {
  if (typeof value !== "object" || value === null) return 0;
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  return Object.values(value).reduce((count, member) => count + countKeys(member), own);
}
