/**
 * The text of an API key, from standard input. An argument would stay in the history of the shell and in the list of
 * processes.
 */
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { keysIn } from '../../lambdas/access/core/keys/api-key.ts';

/** More than any page or log line in which a key was found. */
const MAX_INPUT_CHARACTERS = 1_000_000;

/** Standard input: a terminal, a file or a pipe. */
export type StandardInput = NodeJS.ReadableStream & { readonly isTTY?: boolean };

/** Returns the one key in the input. Throws errors that have no part of the input. */
export async function readKeyText(
  input: StandardInput = process.stdin,
  notice: Pick<Writable, 'write'> = process.stderr,
): Promise<string> {
  const text = input.isTTY === true ? await enteredLine(input, notice) : await completeText(input);
  const [key, another] = keysIn(text);
  if (key === undefined)
    throw new Error('standard input has no API key: uis_ and 124 letters and digits, complete');
  if (another !== undefined) throw new Error('standard input has more than one API key: find one at a time');
  return key;
}

async function completeText(input: StandardInput): Promise<string> {
  let text = '';
  for await (const chunk of input) {
    text += String(chunk);
    if (text.length > MAX_INPUT_CHARACTERS)
      throw new Error(`standard input has more than ${MAX_INPUT_CHARACTERS} characters`);
  }
  return text;
}

/** Reads a line that the terminal does not show. */
async function enteredLine(input: StandardInput, notice: Pick<Writable, 'write'>): Promise<string> {
  notice.write('API key (not shown): ');
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: hidden, terminal: true });
  try {
    return await new Promise((resolve, reject) => {
      lines.once('line', resolve);
      lines.once('close', () => reject(new Error('no key was entered')));
    });
  } finally {
    lines.close();
    notice.write('\n');
  }
}
