/** The text for a custom tool in the arguments of the function that stands for it, also while they are being written. */
import { isJsonObject } from '../../../../platform/core/json/lossless-json.ts';
import { CUSTOM_ARGUMENT } from '../tool-names.ts';

/** The JSON that models write before the text. */
const OPENING = new RegExp(`^\\s*\\{\\s*"${CUSTOM_ARGUMENT}"\\s*:\\s*"`);

/** Arguments that do not open within this length yield their text at the end. */
const MAX_OPENING = 64;

/** RFC 8259, section 7. */
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

export class CustomInput {
  #state: 'opening' | 'inside' | 'held' = 'opening';
  #arguments = '';
  /** An escape that is not whole yet. */
  #escape = '';
  #deliveredText = '';

  /** Reads the next delta of the arguments and returns the text that is certain with it. */
  read(delta: string): string {
    this.#arguments += delta;
    let rest = delta;
    if (this.#state === 'opening') {
      const opening = OPENING.exec(this.#arguments)?.[0];
      if (opening === undefined || opening.length > MAX_OPENING) {
        if (this.#arguments.length > MAX_OPENING) this.#state = 'held';
        return '';
      }
      this.#state = 'inside';
      rest = this.#arguments.slice(opening.length);
    }
    if (this.#state !== 'inside') return '';
    const text = this.#decode(rest);
    this.#deliveredText += text;
    return text;
  }

  /** The whole text, and what of it was not given yet. */
  end(): { readonly text: string; readonly rest: string } {
    const text = parsed(this.#arguments);
    if (this.#deliveredText === '') return { text, rest: text };
    // What was given stays: a client has it.
    return text.startsWith(this.#deliveredText)
      ? { text, rest: text.slice(this.#deliveredText.length) }
      : { text: this.#deliveredText, rest: '' };
  }

  #decode(escapedText: string): string {
    let text = '';
    for (const character of escapedText) {
      if (this.#escape !== '') {
        this.#escape += character;
        text += this.#unescaped();
      } else if (character === '\\') this.#escape = character;
      else if (character === '"') {
        this.#state = 'held';
        break;
      } else text += character;
    }
    return text;
  }

  /** The character of an escape, once it is whole. */
  #unescaped(): string {
    const sequence = this.#escape;
    const [, letter = ''] = sequence;
    if (letter === 'u' && sequence.length < 6) return '';
    this.#escape = '';
    if (letter === 'u') return String.fromCharCode(Number.parseInt(sequence.slice(2), 16));
    return ESCAPES.get(letter) ?? letter;
  }
}

/**
 * Returns the text in complete arguments, equal to the text that a stream of them yields. Any other arguments are
 * returned unchanged.
 */
export function customInput(text: string): string {
  const input = new CustomInput();
  input.read(text);
  return input.end().text;
}

function parsed(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value) && typeof value[CUSTOM_ARGUMENT] === 'string') return value[CUSTOM_ARGUMENT];
  } catch {
    // Returned unchanged.
  }
  return text;
}
