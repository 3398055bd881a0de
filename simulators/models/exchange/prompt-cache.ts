/** What of earlier prompts a provider has cached, so that a prefix that is marked is written once and read from then on. */
import { identifierFrom } from '../model/random.ts';

export type Lifetime = '5m' | '1h';

/** The part of a prompt that is to be cached. */
export interface MarkedPrefix {
  readonly model: string;
  /** Everything up to the last mark. */
  readonly blocks: readonly unknown[];
  readonly lifetime: Lifetime;
}

/** What a request finds of its prefix. */
export interface CacheUse {
  readonly lifetime: Lifetime;
  /** An earlier request has written it. */
  readonly isWarm: boolean;
}

const KEY_LENGTH = 43;

/** Enough for any test; the oldest are forgotten first. */
const MAX_PREFIXES = 1000;

export class PromptCache {
  readonly #keys = new Set<string>();

  /** Whether the prefix is known; from now on it is. */
  use({ model, blocks, lifetime }: MarkedPrefix): CacheUse {
    const key = identifierFrom(JSON.stringify([model, lifetime, blocks]), KEY_LENGTH);
    const isWarm = this.#keys.delete(key);
    this.#keys.add(key);
    const [oldest] = this.#keys;
    if (this.#keys.size > MAX_PREFIXES && oldest !== undefined) this.#keys.delete(oldest);
    return { lifetime, isWarm };
  }
}

/** The blocks up to the last one that is marked, with the lifetime that its mark asks for; undefined without a mark. */
export function lastMarked<Block>(
  blocks: readonly Block[],
  markOf: (block: Block) => { readonly ttl?: string | null | undefined } | null | undefined,
): Pick<MarkedPrefix, 'blocks' | 'lifetime'> | undefined {
  const last = blocks.findLastIndex((block) => markOf(block));
  const block = blocks[last];
  if (block === undefined) return undefined;
  return { blocks: blocks.slice(0, last + 1), lifetime: markOf(block)?.ttl === '1h' ? '1h' : '5m' };
}
