/**
 * The cache of earlier prompts of a provider (Claude docs, Prompt caching; Amazon Bedrock user guide, Prompt caching).
 * A prompt is read block by block: tools, system texts, messages. A marked block is a breakpoint: the prompt up to it
 * is written. A later prompt that starts with the same blocks reads it, until its lifetime has passed since its last
 * use.
 */
import { identifierFrom } from '../model/random.ts';

export type SimulatedLifetime = '5m' | '1h';

export interface PromptBlock {
  readonly content: unknown;
  readonly tokens: number;
  readonly cacheBreakpoint?: SimulatedLifetime | undefined;
}

export interface CacheUse {
  readonly read: number;
  readonly written: Readonly<Record<SimulatedLifetime, number>>;
}

const KEY_LENGTH = 43;

const MAX_PREFIXES = 1000;

const LIFETIMES_MS: Readonly<Record<SimulatedLifetime, number>> = { '5m': 300_000, '1h': 3_600_000 };

/** The number of blocks before a breakpoint that are checked, itself included (Claude docs, Prompt caching). */
const LOOKBACK_BLOCKS = 20;

/**
 * The fewest tokens that are cached, by what the model's id has in it (Claude docs, Prompt caching, Cache limitations;
 * Amazon Bedrock user guide, Prompt caching, Supported models). The simulator's own models have no such bound.
 */
const MINIMUMS: readonly (readonly [RegExp, number])[] = [
  [/claude-opus-4-[567]|claude-haiku-4-5/, 4_096],
  [/claude-(3-5-haiku|3-haiku|haiku-3)/, 2_048],
  [/claude-(opus|sonnet|3)/, 1_024],
  [/amazon\.nova/, 1_000],
];

const minimumOf = (model: string): number => MINIMUMS.find(([name]) => name.test(model))?.[1] ?? 0;

/** Nova reads at its breakpoints alone (Amazon Bedrock user guide, Prompt caching, Simplified cache management). */
const lookbackOf = (model: string): number => (/amazon\.nova/.test(model) ? 1 : LOOKBACK_BLOCKS);

export class PromptCache {
  readonly #expiriesMs = new Map<string, number>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Returns the tokens that the prompt reads and writes, and adds the prompt to the cache. */
  use(model: string, blocks: readonly PromptBlock[]): CacheUse {
    const prefixes = prefixesOf(model, blocks);
    const minimum = minimumOf(model);
    const marked = prefixes.flatMap(({ cacheBreakpoint: lifetime, ...prefix }, at) =>
      lifetime !== undefined && prefix.tokens >= minimum ? [{ ...prefix, lifetime, at }] : [],
    );
    // Of each breakpoint and the blocks before it, the last one first, the longest prefix that is known.
    const known = marked
      .toReversed()
      .flatMap(({ at, lifetime }) =>
        prefixes
          .slice(Math.max(0, at + 1 - lookbackOf(model)), at + 1)
          .toReversed()
          .map(({ key, tokens }) => ({ key, tokens, lifetime })),
      )
      .find(({ key, lifetime }) => (this.#expiriesMs.get(`${key} ${lifetime}`) ?? 0) > this.#now());
    if (known !== undefined) this.#store(known.key, known.lifetime);
    const read = known?.tokens ?? 0;
    const written = { '5m': 0, '1h': 0 };
    let covered = read;
    for (const { key, lifetime, tokens } of marked) {
      written[lifetime] += Math.max(0, tokens - covered);
      covered = Math.max(covered, tokens);
      this.#store(key, lifetime);
    }
    return { read, written };
  }

  /** An entry that is used lives on for its whole lifetime; entries of one prefix for two lifetimes are two. */
  #store(prefix: string, lifetime: SimulatedLifetime): void {
    const key = `${prefix} ${lifetime}`;
    this.#expiriesMs.delete(key);
    this.#expiriesMs.set(key, this.#now() + LIFETIMES_MS[lifetime]);
    const [oldest] = this.#expiriesMs.keys();
    if (this.#expiriesMs.size > MAX_PREFIXES && oldest !== undefined) this.#expiriesMs.delete(oldest);
  }
}

/** Each place's key stands for the model and every block up to it. */
function prefixesOf(model: string, blocks: readonly PromptBlock[]) {
  let [key, tokens] = [model, 0];
  return blocks.map(({ content, tokens: own, cacheBreakpoint }) => {
    key = identifierFrom(`${key} ${JSON.stringify(content)}`, KEY_LENGTH);
    tokens += own;
    return { key, tokens, cacheBreakpoint };
  });
}
