/** Values as the source text of a language: whatever is in a prompt, the program that is pasted has it too. */

/** Source text that stands where a value would. */
export class Code {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

interface Language {
  readonly key: (name: string) => string;
  readonly words: Readonly<Record<'true' | 'false' | 'null', string>>;
  /** Spaces of a step to the right. */
  readonly step: number;
}

const JSON_WORDS = { true: 'true', false: 'false', null: 'null' } as const;

export const JSON_TEXT: Language = { key: (name) => JSON.stringify(name), words: JSON_WORDS, step: 2 };

/** A name that needs no quotes; `__proto__` is no field unless it is computed (ECMA-262, B.3.1). */
const nodeKey = (name: string): string => {
  if (name === '__proto__') return '["__proto__"]';
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
};

export const NODE: Language = { key: nodeKey, words: JSON_WORDS, step: 2 };

/** Strings of JSON mean the same in Python (Python's reference, Lexical analysis, Escape sequences). */
export const PYTHON: Language = {
  key: (name) => JSON.stringify(name),
  words: { true: 'True', false: 'False', null: 'None' },
  step: 4,
};

/** The maximum length of a literal on one line. */
const LINE = 76;

/** JSON's values, and `Code`, as a literal whose later lines are indented by `indent` spaces. */
export function literal(value: unknown, language: Language, indent = 0): string {
  if (value instanceof Code) return value.text;
  if (typeof value === 'boolean' || value === null) return language.words[`${value}`];
  if (typeof value !== 'object') return JSON.stringify(value);
  const list = Array.isArray(value);
  const elementsAt = (inner: number): readonly string[] =>
    list
      ? value.map((each) => literal(each, language, inner))
      : Object.entries(value)
          .filter(([, each]) => each !== undefined)
          .map(([name, each]) => `${language.key(name)}: ${literal(each, language, inner)}`);
  const [open, close, space] = list ? ['[', ']', ''] : ['{', '}', language === PYTHON ? '' : ' '];
  const lines = elementsAt(indent + language.step);
  if (lines.length === 0) return open + close;
  const line = `${open}${space}${lines.join(', ')}${space}${close}`;
  if (indent + line.length <= LINE && !line.includes('\n')) return line;
  const [outer, inner] = [indent, indent + language.step].map((spaces) => `\n${' '.repeat(spaces)}`);
  const trailingComma = language === JSON_TEXT ? '' : ',';
  return `${open}${inner}${lines.join(`,${inner}`)}${trailingComma}${outer}${close}`;
}

/** A text as one word of a shell (POSIX, Shell Command Language, 2.2.2). */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
