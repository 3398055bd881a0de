/**
 * The cache of earlier prompts of a provider (Claude docs, Prompt caching; Amazon Bedrock user guide, Prompt caching).
 * A prompt is read block by block: tools, system texts, messages. A marked block is a breakpoint: the prompt up to it
 * is written. A later prompt that starts with the same blocks reads it, until its lifetime has passed since its last
 * use.
 */
import { identifierFrom } from '../model/random.ts';

export type SimulatedLifetime = '5m' | '1h';

/** One block of a prompt, in its order. */
export interface PromptBlock {
  /** All that it says, without its mark. */
  readonly content: unknown;
  readonly tokens: number;
  readonly cacheBreakpoint?: SimulatedLifetime | undefined;
}

/** The tokens of a prompt that were read from the cache and written to it. */
export interface CacheUse {
  readonly read: number;
  readonly written: Readonly<Record<SimulatedLifetime, number>>;
}

interface Breakpoint {
  readonly at: number;
  readonly cacheBreakpoint: SimulatedLifetime;
  readonly tokens: number;
}

/** A place in a prompt: everything up to the end of a block. */
interface Prefix {
  readonly key: string;
  readonly tokens: number;
  readonly cacheBreakpoint: SimulatedLifetime | undefined;
}

const KEY_LENGTH = 43;

/** Enough for any test; the oldest are forgotten first. */
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
    const breakpoints = prefixes.flatMap(({ cacheBreakpoint, tokens }, at): Breakpoint[] =>
      cacheBreakpoint !== undefined && tokens >= minimum ? [{ at, cacheBreakpoint, tokens }] : [],
    );
    const read = this.#longest(prefixes, breakpoints.toReversed(), lookbackOf(model));
    const written = { '5m': 0, '1h': 0 };
    let covered = read;
    for (const { at, cacheBreakpoint, tokens } of breakpoints) {
      written[cacheBreakpoint] += Math.max(0, tokens - covered);
      covered = Math.max(covered, tokens);
      this.#store(entryKey(prefixes[at], cacheBreakpoint), cacheBreakpoint);
    }
    return { read, written };
  }

  /** The tokens of the longest prefix that is known: of each breakpoint and the blocks before it, the last one first. */
  #longest(prefixes: readonly Prefix[], breakpoints: readonly Breakpoint[], lookback: number): number {
    for (const { at: from, cacheBreakpoint } of breakpoints) {
      for (const prefix of prefixes.slice(Math.max(0, from + 1 - lookback), from + 1).reverse()) {
        const key = entryKey(prefix, cacheBreakpoint);
        if ((this.#expiriesMs.get(key) ?? 0) <= this.#now()) continue;
        this.#store(key, cacheBreakpoint);
        return prefix.tokens;
      }
    }
    return 0;
  }

  /** An entry that is used lives on for its whole lifetime. */
  #store(key: string, lifetime: SimulatedLifetime): void {
    this.#expiriesMs.delete(key);
    this.#expiriesMs.set(key, this.#now() + LIFETIMES_MS[lifetime]);
    const [oldest] = this.#expiriesMs.keys();
    if (this.#expiriesMs.size > MAX_PREFIXES && oldest !== undefined) this.#expiriesMs.delete(oldest);
  }
}

/** Entries of one prefix for two lifetimes are two. */
const entryKey = (prefix: Prefix | undefined, lifetime: SimulatedLifetime): string =>
  `${prefix?.key ?? ''} ${lifetime}`;

/** Each place's key stands for the model and every block up to it. */
function prefixesOf(model: string, blocks: readonly PromptBlock[]): Prefix[] {
  let [key, tokens] = [model, 0];
  return blocks.map((block) => {
    key = identifierFrom(`${key} ${JSON.stringify(block.content)}`, KEY_LENGTH);
    tokens += block.tokens;
    return { key, tokens, cacheBreakpoint: block.cacheBreakpoint };
  });
}
