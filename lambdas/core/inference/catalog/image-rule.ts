/** How a model counts an image as tokens: the vendor's published rule, with what differs from model to model. */
import * as z from 'zod';

const count = z.int().min(1).max(1_000_000);

export const imageRule = z.discriminatedUnion('rule', [
  /**
   * A token for each 28 x 28 pixels (Claude API docs, Vision, Resolution and token cost). The two limits are those of
   * the high-resolution tier, Claude 4.7 and later; older models have 1,568 of both.
   */
  z.strictObject({
    rule: z.literal('anthropic'),
    /** The longest side, in pixels, that is not scaled down. */
    max_edge: count.default(2_576),
    max_tokens: count.default(4_784),
  }),
  /** Squares of 512 pixels (OpenAI docs, Images and vision, Tile-based image tokenization). */
  z.strictObject({
    rule: z.literal('openai_tiles'),
    /** What every image counts, and all that one of detail `low` counts: 85 for gpt-4o. */
    base_tokens: count,
    /** What each square counts: 170 for gpt-4o. */
    tile_tokens: count,
  }),
  /** Squares of 32 pixels (OpenAI docs, Images and vision, Patch-based image tokenization). */
  z.strictObject({
    rule: z.literal('openai_patches'),
    /** The most squares of one image at any detail: 1,536 for gpt-5-mini. */
    max_patches: count,
    /** The most at detail `high`, where another detail has more: 2,500 for gpt-5.4. */
    high_patches: count.optional(),
    /** Tokens for each square: 1.62 for gpt-5-mini. */
    multiplier: z.number().min(0.01).max(100),
  }),
  /** Tiles of 258 tokens (Gemini API docs, Image understanding, Token calculation), as Gemini 2.0 and 2.5 count. */
  z.strictObject({ rule: z.literal('gemini') }),
]);

export type ImageRule = z.infer<typeof imageRule>;
