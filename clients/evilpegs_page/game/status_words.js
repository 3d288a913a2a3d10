/** What a player is told about the connection, as plain words and the one thing that can be done about it. */

/** @import { GameConnection } from "./connection.js" */

/** @typedef {{text: string, action: "try now" | "take back" | null}} Status */

/**
 * Return what to tell about the connection; null while there is nothing to tell.
 * @param {Pick<GameConnection, "state" | "isDraining" | "retryAt">} connection
 * @param {{hasMatch: boolean, isTimed: boolean, now: number}} match @returns {Status | null}
 */
export function connectionStatus(connection, { hasMatch, isTimed, now }) {
  const { state, isDraining, retryAt } = connection;
  switch (state) {
    case "displaced":
      return { text: "This match is open in another tab or on another device.", action: "take back" };
    case "waiting":
      return { text: `${cutWords(isDraining, hasMatch, isTimed)} ${retryWords(retryAt, now)}`, action: "try now" };
    case "connecting":
    case "greeting":
    case "resuming":
      return { text: hasMatch ? "Reconnecting… your match is kept." : "Connecting to the server…", action: null };
    case "open":
      return isDraining ? { text: "The server is about to stop. Your match is kept until it is back.", action: null } : null;
    default:
      return null;
  }
}

/** @param {boolean} isDraining @param {boolean} hasMatch @param {boolean} isTimed */
function cutWords(isDraining, hasMatch, isTimed) {
  if (isDraining) return "Reconnecting… the server is restarting, and no clock runs meanwhile.";
  if (!hasMatch) return "The server does not answer.";
  return `Reconnecting… your match is kept.${isTimed ? " While the server is down, no clock runs; while only you are offline, yours does." : ""}`;
}

/** @param {number | null} retryAt @param {number} now */
function retryWords(retryAt, now) {
  const seconds = Math.ceil(((retryAt ?? now) - now) / 1000);
  return seconds <= 1 ? "Trying again now." : `Trying again in ${seconds} seconds.`;
}
