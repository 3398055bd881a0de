/** Base64 by its letters (RFC 4648, section 4): cheap looks at a text that may be megabytes. */

const OTHER_LETTER = /[^A-Za-z0-9+/]/;

/** Whether a text has something in it, only letters of base64, and at most two `=` after them; in linear time. */
export function isBase64(text: string): boolean {
  const padding = text.endsWith('==') ? 2 : Number(text.endsWith('='));
  const letters = text.slice(0, text.length - padding);
  return letters !== '' && !OTHER_LETTER.test(letters);
}
