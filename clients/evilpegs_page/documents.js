/** The documents of this version, which are files of the page. */

import { getChanged } from "./api.js";

/** The address of their folder. */
export const FOLDER = new URL("documents/", import.meta.url).href;

/** Return the text of a file in their folder. @param {string} name @param {AbortSignal} signal */
export async function documentFile(name, signal) {
  const answer = await getChanged(`${FOLDER}${name}`, "", signal);
  return answer?.text ?? "";
}

/** Return their titles by name. @param {AbortSignal} signal @returns {Promise<Record<string, string>>} */
export const documentTitles = async (signal) => JSON.parse(await documentFile("titles.json", signal));
