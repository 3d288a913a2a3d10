/**
 * Requests to the HTTP API of this server, or to a published site, which has files in its place. Addresses are relative,
 * so that a proxy may serve the page below a path.
 */

import { sentence } from "./components/words.js";

/** Whether the page is part of a published site: nobody can play against a server, and nothing changes. */
export const isPublished = globalThis.document?.querySelector("meta[name=published]") != null;

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
 * @param {string} path @param {AbortSignal} [signal] @returns {Promise<any>}
 * @throws {ApiError} if the server cannot be reached or refuses
 */
export async function getJson(path, signal) {
  return isPublished ? JSON.parse((await published(path)).text) : (await request(path, signal)).json();
}

/**
 * Return the text at a path of the API with its entity tag; null if it is still that of the tag before. `date` is the
 * time of the answer by the clock of the server, in Unix milliseconds and to the second; without one, NaN.
 * @param {string} path @param {string} [etag] @param {AbortSignal} [signal]
 * @returns {Promise<{text: string, etag: string, date: number} | null>}
 * @throws {ApiError} if the server cannot be reached or refuses
 */
export async function getChanged(path, etag = "", signal) {
  if (isPublished && path.startsWith("api/")) {
    const found = await published(path);
    return found.etag && found.etag === etag ? null : { ...found, date: NaN };
  }
  const answer = await request(path, signal, { "If-None-Match": etag, Accept: "application/json, */*" });
  if (answer.status === 304) return null;
  const { headers } = answer;
  return { text: await answer.text(), etag: headers.get("etag") ?? "", date: Date.parse(headers.get("date") ?? "") };
}

/** @param {string} path */
async function published(path) {
  const { answer } = await import("./published.js");
  return answer(path);
}

/** @param {string} path @param {AbortSignal} [signal] @param {Record<string, string>} [headers] */
async function request(path, signal, headers = {}) {
  const given = Object.entries({ Accept: "application/json, application/problem+json", ...headers });
  /** @type {Response} */
  let answer;
  try {
    answer = await fetch(path, { headers: given.filter(([, value]) => value), signal: signal ?? null });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError("The server does not answer. Is this device online?");
  }
  if (answer.ok || answer.status === 304) return answer;
  throw new ApiError(await refusal(answer), answer.status);
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
