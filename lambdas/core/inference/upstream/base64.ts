/** Base64 by its letters (RFC 4648, section 4): cheap looks at a text that may be megabytes. */

const OTHER_LETTER = /[^A-Za-z0-9+/]/;

/** Whether a text has something in it, only letters of base64, and at most two `=` after them; in linear time. */
export function isBase64(text: string): boolean {
  const padding = text.endsWith('==') ? 2 : Number(text.endsWith('='));
  const letters = text.slice(0, text.length - padding);
  return letters !== '' && !OTHER_LETTER.test(letters);
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** What each letter stands for, by its code; -1 for any other. */
const VALUES = Array.from({ length: 128 }, (_, code) => LETTERS.indexOf(String.fromCharCode(code)));

/** Bytes by their offsets; what lies behind the last one is -1 as a number, and nothing in a text. */
export interface Bytes {
  /** A number of up to 6 bytes, the most significant first. */
  unsigned(offset: number, length: number): number;
  /** A number of up to 6 bytes, the least significant first. */
  littleUnsigned(offset: number, length: number): number;
  /** A character for each byte (ISO 8859-1). */
  text(offset: number, length: number): string;
}

/** The bytes of a base64 text without blanks, each decoded when it is asked for. */
export function bytesOfBase64(text: string): Bytes {
  const valueAt = (index: number): number => VALUES[text.charCodeAt(index)] ?? -1;
  // Each group of four letters is three bytes, and each byte lies in two letters.
  const byteAt = (offset: number): number => {
    const place = offset % 3;
    const index = ((offset - place) / 3) * 4 + place;
    const high = valueAt(index);
    const low = valueAt(index + 1);
    return high < 0 || low < 0 ? -1 : ((high << (2 + 2 * place)) & 0xff) | (low >> (4 - 2 * place));
  };
  const numberOf = (offset: number, length: number, step: 1 | -1): number => {
    let number = 0;
    for (let count = 0; count < length; count += 1) {
      const byte = byteAt(step === 1 ? offset + count : offset + length - 1 - count);
      if (byte < 0) return -1;
      number = number * 256 + byte;
    }
    return number;
  };
  return {
    unsigned: (offset, length) => numberOf(offset, length, 1),
    littleUnsigned: (offset, length) => numberOf(offset, length, -1),
    text: (offset, length) => {
      let characters = '';
      for (let at = offset; at < offset + length; at += 1) {
        const byte = byteAt(at);
        if (byte < 0) break;
        characters += String.fromCharCode(byte);
      }
      return characters;
    },
  };
}
