/** Requests to the HTTP API of this server. Addresses are relative, so that a proxy may serve the page below a path. */

import { sentence } from "./components/words.js";

/** The error of a request. Its message is one sentence for the visitor. */
export class ApiError extends Error {
  /** @param {string} message @param {number} [status] the status of the answer; 0 if there was none */
  constructor(message, status = 0) {
    super(message);
    this.name = "ApiError";
    this.status = status;
  }
}

/**
 * Return the JSON document at a path of the API, such as `api/v1/ladders`.
 * @param {string} path
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 * @throws {ApiError} if the server cannot be reached or refuses
 */
export async function getJson(path, signal) {
  const answer = await request(path, signal);
  if (answer.ok) return answer.json();
  throw new ApiError(await refusal(answer), answer.status);
}

/** @param {string} path @param {AbortSignal} [signal] */
async function request(path, signal) {
  try {
    return await fetch(path, { headers: { Accept: "application/json, application/problem+json" }, signal: signal ?? null });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError("The server does not answer. Check that it still runs, then try again.");
  }
}

/** @param {Response} answer @returns {Promise<string>} the detail of the problem, as a sentence */
async function refusal(answer) {
  try {
    const { detail } = await answer.json();
    if (typeof detail === "string" && detail) return sentence(detail);
  } catch {
    // The answer is not a problem of this server; perhaps a proxy wrote it.
  }
  return `The server refused with status ${answer.status}.`;
}
