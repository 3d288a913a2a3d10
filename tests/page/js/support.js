// The vectors shared with Python, and forgeries made from them.

import { readFileSync } from "node:fs";


export function vectors(name) {
  return JSON.parse(readFileSync(new URL(`../../vectors/${name}.json`, import.meta.url), "utf8"));
}

/** Return a copy of the events with the changes of a forgery; tools/page_records.py describes them. */
export function apply(events, changes) {
  const changed = structuredClone(events);
  for (const { event, set = {}, unset = [] } of changes) {
    Object.assign(changed[event], set);
    unset.forEach((field) => delete changed[event][field]);
  }
  const dropped = new Set(changes.filter((change) => change.drop).map((change) => change.event));
  const added = (/** @type {number} */ index) => changes.filter((change) => change.event === index && change.then).map((change) => change.then);
  return changed.flatMap((event, index) => [...(dropped.has(index) ? [] : [event]), ...added(index)]);
}

/** Return the text of a record after edits; tools/doctored.py describes them. */
export function edited(lines, edits) {
  const changed = lines.map((line) => `${line}\n`);
  const around = { start: "", end: "" };
  for (const [index, text] of edits) (typeof index === "string" ? around : changed)[index] = text;
  return around.start + changed.join("") + around.end;
}
