/**
 * For every model that `@pydantic/genai-prices` knows and any usage, a bill is what the package computes, rounded up to
 * a nano-dollar; the models for which it is not are listed with the reason.
 *
 * The package computes with doubles: the sum of at most 16 products of a price, a count and a divisor. Each price is its
 * decimal within 2^-53, each of the 3 operations of a product and each addition adds as much again, so the total is within
 * (4 + 16) * 2^-53 < 2^-48 of the exact one. The bill must be a rounding up of an amount in that interval, which below
 * $281,000 (2^48 nano-dollars) is less than a nano-dollar wide.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect } from '@jest/globals';
import { calcPrice, findProvider, type ModelInfo, type Provider } from '@pydantic/genai-prices';
import fc from 'fast-check';
import { type PriceValues, pricesFrom } from '../../lambdas/inference/core/catalog/price-values.ts';
import { billOf } from '../../lambdas/inference/core/pricing/bill.ts';
import {
  type BillableItem,
  type Counts,
  tokenCounts,
  unitCounts,
} from '../../lambdas/inference/core/pricing/counts.ts';
import type { Prices } from '../../lambdas/inference/core/pricing/prices.ts';
import { divideUp, toFraction } from '../../lambdas/platform/core/money.ts';
import { it } from '../../tools/test-kit/search.ts';
import { rounds } from '../../tools/test-kit/thorough.ts';
import { type OracleModel, readModel } from '../testing/catalog/genai-prices.ts';

/** The day of the package's prices that are compared, and the days on which a price of it changed. */
const TODAY = new Date('2026-11-22T12:00:00Z');

/** The file of the package that lists its providers by name. */
const CLI = join(dirname(createRequire(import.meta.url).resolve('@pydantic/genai-prices')), 'cli.js');

/** Into a file: the command ends before it has written all of its list to a pipe. */
function listOfProviders(): string {
  const folder = mkdtempSync(join(tmpdir(), 'genai-prices-'));
  try {
    const file = join(folder, 'list');
    execFileSync(process.execPath, [CLI, 'list'], { stdio: ['ignore', openSync(file, 'w'), 'inherit'] });
    return readFileSync(file, 'utf8');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const names = new Set([...listOfProviders().matchAll(/^ {2}([a-z0-9_-]+):/gim)].map(([, name = '']) => name));
const providers: readonly Provider[] = [...names].flatMap((name) => findProvider({ providerId: name }) ?? []);

interface Case {
  readonly provider: Provider;
  readonly model: ModelInfo;
  readonly at: Date;
}

const daysOf = ({ prices }: ModelInfo): readonly Date[] =>
  Array.isArray(prices)
    ? prices.flatMap(({ constraint }) =>
        constraint?.type === 'start_date'
          ? [0, -86_400_000].map((offset) => new Date(Date.parse(constraint.start_date) + offset))
          : [],
      )
    : [];

const models = providers.flatMap((provider) => provider.models.map((model) => ({ provider, model })));
const cases: readonly Case[] = models.flatMap(({ provider, model }) =>
  [TODAY, ...daysOf(model)].map((at) => ({ provider, model, at })),
);

const tokens = fc.oneof(
  { weight: 3, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 100 }) },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 400_000 }) },
);

const usages = fc.record({
  text: fc.integer({ min: 1, max: 400_000 }),
  cached: tokens,
  write: tokens,
  hourWrite: tokens,
  audio: tokens,
  cachedAudio: tokens,
  image: tokens,
  cachedImage: tokens,
  video: tokens,
  output: tokens,
  reasoning: tokens,
  audioOutput: tokens,
  imageOutput: tokens,
  videoOutput: tokens,
  searches: fc.integer({ min: 0, max: 20 }),
  fileSearches: fc.integer({ min: 0, max: 20 }),
  seconds: fc.integer({ min: 1, max: 1_000_000 }).map((hundredths) => hundredths / 100),
  /** The offset of a prompt from the start of a tier, if the other counts leave room for it. */
  beyond: fc.option(fc.integer({ min: -1, max: 1 })),
  tier: fc.nat(8),
});
type UsageParts = typeof usages extends fc.Arbitrary<infer T> ? T : never;

/** The same parts, with a prompt that ends at the beginning of a tier of the model. */
function atBoundary(parts: UsageParts, values: PriceValues): UsageParts {
  const starts = [...new Set([...values.keys()].flatMap((name) => /^tiers\.(\d+)\./.exec(name)?.[1] ?? []))];
  const start = starts[parts.tier % Math.max(1, starts.length)];
  if (start === undefined || parts.beyond === null) return parts;
  const text = Number(start) + parts.beyond - (promptOf(parts) - parts.text);
  return text > 0 ? { ...parts, text } : parts;
}

const promptOf = (parts: UsageParts): number =>
  parts.text +
  (parts.cached + parts.write + parts.hourWrite) +
  (parts.audio + parts.cachedAudio + parts.image + parts.cachedImage + parts.video);

const completionOf = (parts: UsageParts): number =>
  parts.output + parts.reasoning + parts.audioOutput + parts.imageOutput + parts.videoOutput;

/** The usage in the names of the package, where a part is counted in each whole that holds it. */
const theirUsage = (parts: UsageParts) => ({
  input_tokens: promptOf(parts),
  cache_read_tokens: parts.cached + parts.cachedAudio + parts.cachedImage,
  cache_write_tokens: parts.write + parts.hourWrite,
  cache_write_1h_tokens: parts.hourWrite,
  input_audio_tokens: parts.audio + parts.cachedAudio,
  cache_audio_read_tokens: parts.cachedAudio,
  input_image_tokens: parts.image + parts.cachedImage,
  cache_image_read_tokens: parts.cachedImage,
  input_video_tokens: parts.video,
  output_tokens: completionOf(parts),
  output_reasoning_tokens: parts.reasoning,
  output_audio_tokens: parts.audioOutput,
  output_image_tokens: parts.imageOutput,
  output_video_tokens: parts.videoOutput,
  web_searches: parts.searches,
  storage_searches: parts.fileSearches,
});

function ourCounts(parts: UsageParts, writes: '5m' | 'auto'): Counts {
  const counts = new Map<BillableItem, number>(
    tokenCounts(
      {
        promptTokens: promptOf(parts),
        cachedTokens: parts.cached + parts.cachedAudio + parts.cachedImage,
        cacheWrites: { [writes]: parts.write, '1h': parts.hourWrite },
        audioInputTokens: parts.audio + parts.cachedAudio,
        cachedAudioTokens: parts.cachedAudio,
        imageInputTokens: parts.image + parts.cachedImage,
        cachedImageTokens: parts.cachedImage,
        videoInputTokens: parts.video,
        completionTokens: completionOf(parts),
        reasoningTokens: parts.reasoning,
        audioOutputTokens: parts.audioOutput,
        imageOutputTokens: parts.imageOutput,
        videoOutputTokens: parts.videoOutput,
      },
      () => true,
    ),
  );
  if (parts.searches > 0) counts.set('feature:web_search', parts.searches);
  if (parts.fileSearches > 0) counts.set('feature:file_search', parts.fileSearches);
  return counts;
}

/** Returns the amount that the package computes, as the amounts of nano-dollars between which the exact one is. */
function theirAmount({ provider, model, at }: Case, usage: Record<string, number>) {
  const only = { ...provider, models: [{ ...model, match: { equals: model.id } }] };
  const total = calcPrice(usage, model.id, { provider: only, timestamp: at })?.total_price;
  if (total === undefined) throw new Error(`${model.id} has no price in the package`);
  const { numerator, denominator } = toFraction(total);
  const [nano, integerPart] = [numerator * 1_000_000_000n, 2n ** 48n];
  return {
    least: divideUp(nano * (integerPart - 1n), denominator * integerPart),
    most: divideUp(nano * (integerPart + 1n), denominator * integerPart),
  };
}

/** Our prices; a model without any is free in the package. */
function ourPrices({ unit, priceValues }: OracleModel): Prices {
  const read = pricesFrom(unit, priceValues.size === 0 ? new Map([['input', 0n]]) : priceValues);
  if ('problem' in read) throw new Error(read.problem);
  return read.prices;
}

/** The first usage for which the two differ; undefined when none was found. */
function differenceOf(compared: Case, read: OracleModel, numRuns: number): string | undefined {
  const prices = ourPrices(read);
  const writes = read.priceValues.has('cache_writes.5m') ? '5m' : 'auto';
  const property = fc.property(usages, (drawn) => {
    const bounded = read.priceValues.has('cache_writes.1h') ? drawn : { ...drawn, hourWrite: 0 };
    const parts = atBoundary(bounded, read.priceValues);
    const seconds = { audio_seconds: parts.seconds, input_audio_seconds: parts.seconds };
    const perHour = prices.unit === 'per_hour';
    const { amount } = billOf(
      prices,
      perHour ? unitCounts('per_hour', { seconds: parts.seconds }) : ourCounts(parts, writes),
    );
    const { least, most } = theirAmount(compared, perHour ? seconds : theirUsage(parts));
    return least <= amount && amount <= most;
  });
  const { failed, counterexample } = fc.check(property, { numRuns });
  return failed ? JSON.stringify(counterexample) : undefined;
}

const nameOf = ({ provider, model }: Pick<Case, 'provider' | 'model'>): string =>
  `${provider.id}/${model.id}`;

/** All but those of which every price is in the list of differences. */
const COMPARED = 1_673;

const readCase = ({ provider, model, at }: Case): OracleModel => readModel(provider, model, at);

/** Models whose bill is another, by the reason; one that is not here must agree. */
const DIFFERENCES: Readonly<Record<string, readonly string[]>> = {
  'its price changes with the time of day': [
    'deepseek/deepseek-chat',
    'deepseek/deepseek-reasoner',
    'deepseek/deepseek-v4-flash',
    'deepseek/deepseek-v4-pro',
  ],
  'input_document_kpages is not a price that a catalog can say': [
    'mistral/mistral-ocr-2503',
    'mistral/mistral-ocr-2505',
    'mistral/mistral-ocr-2512',
    'mistral/mistral-ocr-4-0',
    'mistral/mistral-ocr-4-1',
    'mistral/mistral-ocr-latest',
  ],
  'input_annotated_document_kpages is not a price that a catalog can say': [
    'mistral/mistral-ocr-2505',
    'mistral/mistral-ocr-2512',
    'mistral/mistral-ocr-4-0',
    'mistral/mistral-ocr-4-1',
    'mistral/mistral-ocr-latest',
  ],
  'output_citation_mtok is not a price that a catalog can say': ['perplexity/sonar-deep-research'],
  'audio_hours is not a price that a catalog can say': [
    'x-ai/grok-voice-latest',
    'x-ai/grok-voice-think-fast-1.0',
    'x-ai/grok-voice-think-fast-2.0',
  ],
  'input_text_messages_kcount is not a price that a catalog can say': [
    'x-ai/grok-voice-latest',
    'x-ai/grok-voice-think-fast-1.0',
    'x-ai/grok-voice-think-fast-2.0',
  ],
  'input_mtok needs more than 9 decimal places': ['huggingface_together/Qwen/Qwen3-VL-8B-Instruct'],
  'cache_write_mtok needs more than 9 decimal places': [
    'openrouter/google/gemini-2.5-flash-image',
    'openrouter/google/gemini-2.5-flash-lite',
    'openrouter/google/gemini-3-flash-preview',
    'openrouter/google/gemini-3.1-flash-lite',
    'openrouter/google/gemini-3.5-flash',
    'openrouter/~google/gemini-flash-latest',
  ],
};

/** The package bills at least 10 seconds of these, which no price of a catalog says (Groq docs, Speech to Text). */
const MIN_TEN_SECONDS_MODELS = ['groq/whisper-large-v3', 'groq/whisper-large-v3-turbo'];

const priced = cases.filter((each) => readCase(each).problems.length === 0);

describe('the bills of the models of genai-prices', () => {
  it('cover all of its models and price changes', () => {
    expect(providers).toHaveLength(43);
    expect(models).toHaveLength(1_694);
    expect(cases.length).toBeGreaterThan(models.length);
    const tiered = priced.filter((each) =>
      [...readCase(each).priceValues.keys()].some((name) => /^tiers/.test(name)),
    );
    expect(tiered.length).toBeGreaterThan(60);
  });

  it('follow from the prices of a catalog, except for the listed models', () => {
    const usagesByModel = new Map<string, Set<string>>();
    for (const each of cases)
      for (const problem of readCase(each).problems) {
        const reason = problem.replace(
          /^(\w+) .* is not an amount with.*/,
          '$1 needs more than 9 decimal places',
        );
        usagesByModel.set(reason, (usagesByModel.get(reason) ?? new Set()).add(nameOf(each)));
      }
    const sorted = (entries: Iterable<readonly [string, Iterable<string>]>) =>
      Object.fromEntries([...entries].map(([reason, which]) => [reason, [...which].sort()]));
    expect(sorted(usagesByModel)).toEqual(sorted(Object.entries(DIFFERENCES)));
  });

  it('equal its results, rounded up to a nano-dollar', () => {
    const equal = priced.filter((each) => !MIN_TEN_SECONDS_MODELS.includes(nameOf(each)));
    for (const each of equal)
      expect([nameOf(each), differenceOf(each, readCase(each), rounds(4))]).toEqual([
        nameOf(each),
        undefined,
      ]);
    const otherModels = priced.filter((each) => !equal.includes(each));
    expect(otherModels.map(nameOf).sort()).toEqual(MIN_TEN_SECONDS_MODELS);
    for (const each of otherModels)
      expect(differenceOf(each, readCase(each), 2_000)).toEqual(expect.any(String));
    expect(new Set(priced.map(nameOf)).size).toBe(COMPARED);
  });

  it('differ if one price is a millionth of a dollar higher', () => {
    const each = priced.find((candidate) => nameOf(candidate) === 'anthropic/claude-sonnet-4-5');
    if (each === undefined) throw new Error('the model is not in the package');
    const read = readCase(each);
    expect(differenceOf(each, read, 200)).toBeUndefined();
    for (const name of read.priceValues.keys()) {
      const values = new Map(read.priceValues).set(name, (read.priceValues.get(name) ?? 0n) + 1_000n);
      expect([name, differenceOf(each, { ...read, priceValues: values }, 2_000)]).toEqual([
        name,
        expect.any(String),
      ]);
    }
  });
});
