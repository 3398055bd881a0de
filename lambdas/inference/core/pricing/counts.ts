/**
 * The quantities that a call is billed by. Each name has its own price, or one that applies in its place. The parts of
 * a prompt and of a completion do not overlap here, as they do in a route's report.
 */
import { type CachePeriod, LIFETIMES, type PriceUnit, UNIT_PRICES } from './prices.ts';
import type { TokenUsage } from './token-usage.ts';

export type TokenItem =
  | 'input'
  | 'cached_input'
  | `cache_write_${CachePeriod}`
  | 'output'
  | 'reasoning_output'
  | `${'audio' | 'image' | 'video'}_${'input' | 'output'}`
  | `cached_${'audio' | 'image'}_input`;

/** A use of a provider's own tool: `feature:web_search`. */
type FeatureItem = `feature:${string}`;

/** An image of a quality and a size: `image:high:1024x1024`. */
export type ImageItem = `image:${string}:${string}`;

export type BillableItem = TokenItem | FeatureItem | ImageItem | 'character' | 'request' | 'second';

/** More than 0, whole but for seconds. */
export type Counts = ReadonlyMap<BillableItem, number>;

const INPUT_ITEMS: ReadonlySet<string> = new Set<TokenItem>([
  'input',
  'cached_input',
  'audio_input',
  'cached_audio_input',
  'image_input',
  'cached_image_input',
  'video_input',
  ...LIFETIMES.map((lifetime) => `cache_write_${lifetime}` as const),
]);

/** The tokens of the prompt, by which its tier is chosen. */
export function promptTokensIn(counts: Counts): number {
  let sum = 0;
  for (const [item, quantity] of counts) if (INPUT_ITEMS.has(item)) sum += quantity;
  return sum;
}

/** The parts of a whole, each taken out of what is left of it: more than the whole is not believed. */
class TokenAllocation {
  readonly #counts: Map<BillableItem, number>;
  #remaining: number;

  constructor(counts: Map<BillableItem, number>, total: number) {
    this.#counts = counts;
    this.#remaining = total;
  }

  allocate(item: TokenItem, tokens: number): void {
    const allocated = Math.max(0, Math.min(tokens, this.#remaining));
    this.#remaining -= allocated;
    if (allocated > 0) this.#counts.set(item, (this.#counts.get(item) ?? 0) + allocated);
  }

  rest(item: TokenItem): void {
    this.allocate(item, this.#remaining);
  }
}

/**
 * The counts of a token-billed call. Items that are not `possible`, because nothing in the request can have caused
 * them, are counted as the plain text of their side. Cached audio is part of both the audio and the cached tokens.
 */
export function tokenCounts(usage: TokenUsage, possible: (item: TokenItem) => boolean): Counts {
  const counts = new Map<BillableItem, number>();
  const tokens = (item: TokenItem, reported: number | undefined) => (possible(item) ? (reported ?? 0) : 0);
  const prompt = new TokenAllocation(counts, usage.promptTokens);
  for (const lifetime of LIFETIMES) {
    const item = `cache_write_${lifetime}` as const;
    prompt.allocate(item, tokens(item, usage.cacheWrites?.[lifetime]));
  }
  const audio = tokens('audio_input', usage.audioInputTokens);
  const image = tokens('image_input', usage.imageInputTokens);
  const cachedAudio = Math.min(audio, usage.cachedTokens, usage.cachedAudioTokens ?? 0);
  const cachedImage = Math.min(image, usage.cachedTokens - cachedAudio, usage.cachedImageTokens ?? 0);
  prompt.allocate('audio_input', audio - cachedAudio);
  prompt.allocate('image_input', image - cachedImage);
  prompt.allocate('video_input', tokens('video_input', usage.videoInputTokens));
  prompt.allocate('cached_audio_input', cachedAudio);
  prompt.allocate('cached_image_input', cachedImage);
  prompt.allocate('cached_input', usage.cachedTokens - cachedAudio - cachedImage);
  prompt.rest('input');
  const completion = new TokenAllocation(counts, usage.completionTokens);
  completion.allocate('audio_output', tokens('audio_output', usage.audioOutputTokens));
  completion.allocate('image_output', tokens('image_output', usage.imageOutputTokens));
  completion.allocate('video_output', tokens('video_output', usage.videoOutputTokens));
  completion.allocate('reasoning_output', usage.reasoningTokens ?? 0);
  completion.rest('output');
  return counts;
}

/** The measurements of a call of a kind other than chat. Those that its price does not need are left out. */
export interface UnitCounts {
  readonly tokens?: number;
  readonly characters?: number;
  readonly seconds?: number;
  /** The number of images of each quality and size. */
  readonly images?: ReadonlyMap<ImageItem, number>;
}

/** The counts by which a price of that unit bills. */
export function unitCounts(unit: PriceUnit, measured: UnitCounts): Counts {
  const one = (item: BillableItem, quantity = 0): Counts => new Map(quantity > 0 ? [[item, quantity]] : []);
  switch (unit) {
    case 'per_million_tokens':
      return one('input', measured.tokens);
    case 'per_million_characters':
      return one('character', measured.characters);
    case 'per_image':
      return measured.images ?? new Map();
    case 'per_request':
      return one('request', 1);
    default:
      return one('second', measured.seconds);
  }
}

/** Returns whether two units count the same quantity. All units of time do. */
export const countSame = (a: PriceUnit, b: PriceUnit): boolean => UNIT_PRICES[a].item === UNIT_PRICES[b].item;

/**
 * Returns whether the counts for a price of one unit can be billed by a price of the other. A call always counts as a
 * request.
 */
export const canBill = (unit: PriceUnit, counted: PriceUnit): boolean =>
  unit === 'per_request' || countSame(unit, counted);
