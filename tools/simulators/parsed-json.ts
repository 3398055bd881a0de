/** Texts that may be JSON. */

/** The value that a JSON text stands for; undefined when it is not JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
