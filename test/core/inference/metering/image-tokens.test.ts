import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import type { ImageRule } from '../../../../lambdas/core/inference/catalog/image-rule.ts';
import {
  boundImages,
  countImages,
  type ImageLimits,
  type PromptImage,
} from '../../../../lambdas/core/inference/metering/image-tokens.ts';
import { it } from '../../../search.ts';

const HIGH_RESOLUTION: ImageRule = { rule: 'anthropic', max_edge: 2_576, max_tokens: 4_784 };
const STANDARD: ImageRule = { rule: 'anthropic', max_edge: 1_568, max_tokens: 1_568 };
const GPT_4O: ImageRule = { rule: 'openai_tiles', base_tokens: 85, tile_tokens: 170 };
const GPT_4O_MINI: ImageRule = { rule: 'openai_tiles', base_tokens: 2_833, tile_tokens: 5_667 };
const GPT_5_MINI: ImageRule = { rule: 'openai_patches', max_patches: 1_536, multiplier: 1.62 };
const GPT_5_4: ImageRule = {
  rule: 'openai_patches',
  max_patches: 10_000,
  high_patches: 2_500,
  multiplier: 1.2,
};
const GEMINI: ImageRule = { rule: 'gemini' };

const modelWith = (rule: ImageRule | undefined, more: Partial<ImageLimits> = {}): ImageLimits => ({
  max_image_tokens: undefined,
  image_tokens: rule,
  routes: [],
  ...more,
});

const imageOf = (width: number, height: number, detail?: string): PromptImage => ({
  size: { width, height },
  detail,
});

const boundOf = (image: PromptImage, rule: ImageRule | undefined, more?: Partial<ImageLimits>) =>
  boundImages([image], modelWith(rule, more));

/** Independent statements of the published rules, which the bound must never be below. */

/** Claude API docs, Vision: the largest size of the same shape within both limits, its short side rounded to even. */
function claudeTokens(width: number, height: number, edge: number, most: number): number {
  const shape = width / height;
  const tokens = (w: number, h: number) => Math.ceil(w / 28) * Math.ceil(h / 28);
  const isWithin = (w: number, h: number) => Math.max(w, h) <= edge && tokens(w, h) <= most;
  if (isWithin(width, height)) return tokens(width, height);
  for (let long = edge; long > 0; long -= 1) {
    const short = Math.max(1, Math.round(shape > 1 ? long / shape : long * shape));
    const [w, h] = shape > 1 ? [long, short] : [short, long];
    if (isWithin(w, h)) return tokens(w, h);
  }
  return 1;
}

/** OpenAI docs, Images and vision: scaled to 2,048, then the shortest side to 768, and counted in squares of 512. */
function tileTokens(width: number, height: number, base: number, tile: number): number {
  let [w, h] = [width, height];
  const fit = Math.min(1, 2_048 / Math.max(w, h));
  [w, h] = [w * fit, h * fit];
  const shrink = Math.min(1, 768 / Math.min(w, h));
  [w, h] = [w * shrink, h * shrink];
  return base + tile * Math.ceil(Math.round(w) / 512) * Math.ceil(Math.round(h) / 512);
}

/** OpenAI docs, Images and vision, Patch-based image tokenization, steps A to D. */
function patchTokens(width: number, height: number, budget: number, multiplier: number): number {
  const patches = Math.ceil(width / 32) * Math.ceil(height / 32);
  if (patches <= budget) return patches * multiplier;
  const shrink = Math.sqrt((32 ** 2 * budget) / (width * height));
  const [w, h] = [(width * shrink) / 32, (height * shrink) / 32];
  const adjusted = shrink * Math.min(Math.floor(w) / w, Math.floor(h) / h);
  const covered = Math.ceil((width * adjusted - 1e-6) / 32) * Math.ceil((height * adjusted - 1e-6) / 32);
  return Math.min(budget, covered) * multiplier;
}

/** Gemini API docs, Image understanding, Token calculation. */
function geminiTokens(width: number, height: number): number {
  if (width <= 384 && height <= 384) return 258;
  const unit = Math.floor(Math.min(width, height) / 1.5);
  return unit === 0 ? 258 : 258 * Math.ceil(width / unit) * Math.ceil(height / unit);
}

describe('an image counts what its vendor publishes', () => {
  it.each<[string, number, PromptImage, ImageRule]>([
    ['Claude, 200 x 200', 64, imageOf(200, 200), STANDARD],
    ['Claude, 1000 x 1000', 1_296, imageOf(1_000, 1_000), STANDARD],
    ['Claude, 1092 x 1092', 1_521, imageOf(1_092, 1_092), STANDARD],
    ['Claude, 1920 x 1080', 2_691, imageOf(1_920, 1_080), HIGH_RESOLUTION],
    ['Claude, 2000 x 1500', 3_888, imageOf(2_000, 1_500), HIGH_RESOLUTION],
    ['Claude, 3840 x 2160', 4_784, imageOf(3_840, 2_160), HIGH_RESOLUTION],
    ['gpt-4o, 1024 x 1024', 765, imageOf(1_024, 1_024, 'high'), GPT_4O],
    ['gpt-4o, 2048 x 4096', 1_105, imageOf(2_048, 4_096, 'high'), GPT_4O],
    ['gpt-4o, 4096 x 8192 of low detail', 85, imageOf(4_096, 8_192, 'low'), GPT_4O],
    ['gpt-4o, 150 x 150', 255, imageOf(150, 150), GPT_4O],
    ['gpt-4o-mini, 512 x 512', 8_500, imageOf(512, 512), GPT_4O_MINI],
    ['gpt-5-mini, 1024 x 1024', Math.ceil(1_024 * 1.62), imageOf(1_024, 1_024), GPT_5_MINI],
    ['gemini-2.5, 384 x 384', 258, imageOf(384, 384), GEMINI],
    ['gemini-2.5, 960 x 540', 6 * 258, imageOf(960, 540), GEMINI],
  ])('%s', (_name, tokens, image, rule) => {
    expect(boundOf(image, rule)).toBe(tokens);
  });

  it.each<[string, number, number, PromptImage, ImageRule]>([
    ['Claude before 4.7, 1920 x 1080', 1_560, 1_568, imageOf(1_920, 1_080), STANDARD],
    ['Claude before 4.7, 2000 x 1500', 1_564, 1_568, imageOf(2_000, 1_500), STANDARD],
    // Seen to be billed at the limit (OpenAI community, thread 1281361).
    ['gpt-5-mini, 1800 x 2400', 1_452 * 1.62, Math.ceil(1_536 * 1.62), imageOf(1_800, 2_400), GPT_5_MINI],
  ])('or a little more, where it is scaled down: %s', (_name, published, bound, image, rule) => {
    expect(boundOf(image, rule)).toBe(bound);
    expect(bound).toBeGreaterThanOrEqual(published);
  });
});

describe('the bound of an image', () => {
  const side = fc.oneof(fc.integer({ min: 1, max: 800 }), fc.integer({ min: 1, max: 9_000 }));

  it.each<[string, ImageRule, (width: number, height: number) => number]>([
    ['claude, high resolution', HIGH_RESOLUTION, (w, h) => claudeTokens(w, h, 2_576, 4_784)],
    ['claude, standard', STANDARD, (w, h) => claudeTokens(w, h, 1_568, 1_568)],
    ['gpt-4o', GPT_4O, (w, h) => tileTokens(w, h, 85, 170)],
    ['gpt-4o-mini', GPT_4O_MINI, (w, h) => tileTokens(w, h, 2_833, 5_667)],
    ['gpt-5-mini', GPT_5_MINI, (w, h) => patchTokens(w, h, 1_536, 1.62)],
    ['gemini', GEMINI, geminiTokens],
  ])('is never below the published rule, and close to it: %s', (_name, rule, published) => {
    fc.assert(
      fc.property(side, side, (width, height) => {
        const bound = boundOf(imageOf(width, height), rule);
        expect(bound).toBeGreaterThanOrEqual(published(width, height));
        // Long thin images of Claude's and patches that do not fill the budget are where scaling loses most.
        const isPhotograph = Math.max(width, height) <= 2 * Math.min(width, height);
        if (isPhotograph && rule.rule !== 'gemini')
          expect(bound).toBeLessThanOrEqual(1.35 * published(width, height) + 400);
      }),
      { numRuns: 500 },
    );
  });

  it.each<[string, ImageRule, number]>([
    ['claude', HIGH_RESOLUTION, 4_784],
    ['gpt-4o', GPT_4O, 85 + 8 * 170],
    ['gpt-4o-mini', GPT_4O_MINI, 48_169],
    ['gpt-5-mini', GPT_5_MINI, Math.ceil(1_536 * 1.62)],
    ['gpt-5.4', GPT_5_4, 12_000],
  ])('of unknown size is the most that any size counts: %s', (_name, rule, most) => {
    expect(boundOf({}, rule)).toBe(most);
    fc.assert(
      fc.property(side, side, (width, height) => boundOf(imageOf(width, height), rule) <= most),
      { numRuns: 500 },
    );
  });

  it('does not depend on which side is which, so that orientation changes nothing', () => {
    const rules = [HIGH_RESOLUTION, STANDARD, GPT_4O, GPT_5_MINI, GEMINI];
    fc.assert(
      fc.property(side, side, fc.constantFrom(...rules), (width, height, rule) => {
        expect(boundOf(imageOf(width, height), rule)).toBe(boundOf(imageOf(height, width), rule));
      }),
    );
  });

  it('is the same for all without a rule', () => {
    for (const image of [{}, imageOf(10, 10), imageOf(8_000, 8_000, 'low')]) {
      expect(boundOf(image, undefined)).toBe(4_784);
      expect(boundOf(image, undefined, { max_image_tokens: 36_835 })).toBe(36_835);
    }
  });

  it('is at most what the catalog says, by any rule', () => {
    expect(boundOf(imageOf(4_000, 400), GEMINI, { max_image_tokens: 2_304 })).toBe(2_304);
    expect(boundOf(imageOf(300, 300), GEMINI, { max_image_tokens: 2_304 })).toBe(258);
    expect(boundOf({}, GEMINI, { max_image_tokens: 2_304 })).toBe(2_304);
    expect(boundOf({}, GEMINI)).toBe(4_784);
  });

  it.each([1, 2, 383])('of a thin image is a number: %i', (height) => {
    expect(boundOf(imageOf(400, height), GEMINI)).toBeGreaterThan(0);
    expect(boundOf(imageOf(100_000, height), HIGH_RESOLUTION)).toBeGreaterThan(0);
  });
});

describe('the detail of an image', () => {
  const large = (detail?: string) => imageOf(4_000, 4_000, detail);

  it('is what its caller asks for', () => {
    expect(boundOf(large('low'), GPT_5_4)).toBe(Math.ceil(256 * 1.2));
    expect(boundOf(large('high'), GPT_5_4)).toBe(3_000);
    for (const detail of ['original', 'auto', undefined])
      expect(boundOf(large(detail), GPT_5_4)).toBe(12_000);
    expect(boundOf({ detail: 'low' }, GPT_4O)).toBe(85);
    expect(boundOf({ detail: 'high' }, GPT_5_4)).toBe(3_000);
  });

  it('is the largest where it is no detail that is known', () => {
    for (const detail of ['LOW', 'tiny', '']) expect(boundOf(large(detail), GPT_5_4)).toBe(12_000);
  });

  it('counts only where all routes are asked for it', () => {
    const routes = ['openai', 'bedrock'].map((protocol) => ({
      protocol,
    })) as unknown as ImageLimits['routes'];
    expect(boundOf(large('low'), GPT_4O, { routes })).toBe(765);
    expect(boundOf(large('low'), GPT_4O, { routes: routes.slice(0, 1) })).toBe(85);
  });
});

describe('of several images', () => {
  const images = [imageOf(200, 200), {}, imageOf(1_000, 1_000)];

  it('the bounds add up, and none is nothing', () => {
    expect(boundImages(images, modelWith(HIGH_RESOLUTION))).toBe(64 + 4_784 + 1_296);
    expect(boundImages([], modelWith(HIGH_RESOLUTION))).toBe(0);
  });

  it('what is charged where a route counts nothing is the rule, or what is usual', () => {
    expect(countImages(images)).toBe(3 * 1_600);
    expect(countImages(images, modelWith(undefined))).toBe(3 * 1_600);
    expect(countImages(images, modelWith(HIGH_RESOLUTION))).toBe(64 + 1_600 + 1_296);
    expect(countImages(images, modelWith(undefined, { max_image_tokens: 100 }))).toBe(300);
  });
});
