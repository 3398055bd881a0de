/**
 * What an image counts at most on a model: by its pixels where the catalog names the vendor's rule, else the same for
 * every image. Rounding and scaling are always taken upwards: vendors do not publish how they round, and are seen to
 * count up to their limits where their formula gives a little less (OpenAI community, thread 1281361).
 */
import type { Model } from '../catalog/catalog-document.ts';
import type { ImageRule } from '../catalog/image-rule.ts';
import type { ImageSize } from './image-size.ts';

/** An image of a prompt. */
export interface PromptImage {
  /** Unknown of one that lies elsewhere, or whose file does not show it. */
  readonly size?: ImageSize | undefined;
  /** What the caller asks for (OpenAI API reference, `image_url.detail`). */
  readonly detail?: string | undefined;
}

/**
 * What an image counts where the catalog says nothing, whatever its size: the most of the newest Claude models (Claude
 * API docs, Vision). A model that counts more, as some of OpenAI's do, says so in the catalog.
 */
const TOKENS_PER_IMAGE = 4_784;

/** What an image probably counts (Claude API docs, Vision: about 1,600 for most models). */
const USUAL_TOKENS_PER_IMAGE = 1_600;

export type ImageLimits = Pick<Model, 'image_tokens' | 'max_image_tokens' | 'routes'>;

/** What images count at most on a model. */
export const boundImages = (images: readonly PromptImage[], model: ImageLimits): number =>
  images.reduce((total, image) => total + boundOf(image, model), 0);

/** What images probably count; on the model, where it is known. */
export const countImages = (images: readonly PromptImage[], model?: ImageLimits): number =>
  images.reduce((total, image) => total + probableTokens(image, model), 0);

function probableTokens(image: PromptImage, model: ImageLimits | undefined): number {
  if (model === undefined) return USUAL_TOKENS_PER_IMAGE;
  const bound = boundOf(image, model);
  const isExact = model.image_tokens !== undefined && image.size !== undefined;
  return isExact ? bound : Math.min(bound, USUAL_TOKENS_PER_IMAGE);
}

function boundOf(image: PromptImage, { image_tokens: rule, max_image_tokens: largest, routes }: ImageLimits) {
  if (rule === undefined) return largest ?? TOKENS_PER_IMAGE;
  // A route of another protocol has no field for it, so that the model chooses.
  const isPassedOn = routes.every(({ protocol }) => protocol === 'openai');
  const counted = countBy(rule, isPassedOn ? image : { size: image.size });
  return Math.min(counted ?? largest ?? TOKENS_PER_IMAGE, largest ?? Number.POSITIVE_INFINITY);
}

/** By the rule; an image of unknown size is of the worst. Undefined: the rule has no worst. */
function countBy(rule: ImageRule, { size, detail }: PromptImage): number | undefined {
  switch (rule.rule) {
    case 'anthropic': {
      const { max_edge: edge, max_tokens: most } = rule;
      return size === undefined ? most : Math.min(most, squares(within(sidesOf(size), edge, edge), 28));
    }
    case 'openai_tiles':
      return rule.base_tokens + (detail === 'low' ? 0 : rule.tile_tokens * openaiTiles(size));
    case 'openai_patches':
      return Math.ceil(openaiPatches(rule, size, detail) * rule.multiplier);
    case 'gemini':
      return size && GEMINI_TILE_TOKENS * geminiTiles(sidesOf(size));
  }
}

/** Detail `low` is an image of 512 x 512 pixels, also made of a smaller one (OpenAI docs, Images and vision). */
const LOW_DETAIL_PATCHES = (512 / 32) ** 2;

function openaiPatches(
  { max_patches: most, high_patches: high = most }: Extract<ImageRule, { rule: 'openai_patches' }>,
  size: ImageSize | undefined,
  detail: string | undefined,
): number {
  if (detail === 'low') return Math.min(most, LOW_DETAIL_PATCHES);
  const budget = detail === 'high' ? high : most;
  return size === undefined ? budget : Math.min(budget, squares(sidesOf(size), 32));
}

/** Within 2,048 x 2,048 pixels, and then within 768 on the shorter side: at most 4 x 2 squares of 512. */
const openaiTiles = (size: ImageSize | undefined): number =>
  size === undefined ? 8 : squares(within(sidesOf(size), 2_048, 768), 512);

const GEMINI_TILE_TOKENS = 258;

/**
 * One tile up to 384 pixels a side; above, of the shorter side by 1.5, which some of Google's pages keep within 768
 * pixels (Vertex AI docs, Image understanding): the finer of the two.
 */
function geminiTiles(sides: Sides): number {
  if (sides.long <= 384) return 1;
  return squares(sides, Math.max(1, Math.min(768, Math.floor(sides.short / 1.5))));
}

interface Sides {
  readonly long: number;
  readonly short: number;
}

const sidesOf = ({ width, height }: ImageSize): Sides => ({
  long: Math.max(width, height),
  short: Math.min(width, height),
});

/** The sides after the image is scaled down, never up, until neither is longer than it may be. */
const within = ({ long, short }: Sides, maxLong: number, maxShort: number): Sides => ({
  long: Math.min(long, maxLong, Math.ceil((long * maxShort) / short)),
  short: Math.min(short, maxShort, Math.ceil((short * maxLong) / long)),
});

const squares = ({ long, short }: Sides, side: number): number =>
  Math.ceil(long / side) * Math.ceil(short / side);
