/**
 * Readers of levers, for fields that several protocols have. A value that means the standard asks for nothing; one of
 * a type or a name that no reader knows is unpriced, so that it is refused rather than forwarded at a plain price.
 */
import { isJsonObject } from '../../json/lossless-json.ts';
import type { Demand, TokenRate } from './demand.ts';
import type { Place, Reader } from './table.ts';

const NOTHING: readonly Demand[] = [];

export const unpriced: Reader = (_value, { param }) => [{ kind: 'unpriced', param }];

/** Unpriced, but for these values. */
export const unpricedUnless =
  (...standard: readonly unknown[]): Reader =>
  (value, place) =>
    standard.includes(value) ? NOTHING : unpriced(value, place);

/** Nothing for an empty array, object or text, which names no thing; else what the reader says. */
export const unlessEmpty =
  (read: Reader): Reader =>
  (value, place) =>
    isEmpty(value) ? NOTHING : read(value, place);

function isEmpty(value: unknown): boolean {
  if (typeof value === 'string' || Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}

/** A demand of the value's name, where it is one that a catalog could have; a longer text is no name. */
const named = (value: unknown, place: Place, demand: (name: string) => Demand): readonly Demand[] =>
  typeof value === 'string' && /^[\w.:-]{1,64}$/.test(value) ? [demand(value)] : unpriced(value, place);

/** A service tier, but for those that are charged at the standard price. */
export const tier =
  (...standard: readonly string[]): Reader =>
  (value, place) =>
    standard.some((name) => name === value)
      ? NOTHING
      : named(value, place, (name) => ({ kind: 'service-tier', name, param: place.param }));

export const region =
  (...standard: readonly string[]): Reader =>
  (value, place) =>
    standard.some((name) => name === value)
      ? NOTHING
      : named(value, place, (name) => ({ kind: 'region', name, param: place.param }));

/** A lifetime of a cache as the field's own value, but for those that a prompt has anyway. */
export const lifetime =
  (...standard: readonly string[]): Reader =>
  (value, place) =>
    standard.some((name) => name === value)
      ? NOTHING
      : named(value, place, (name) => ({ kind: 'cache-write', lifetime: name, param: place.param }));

/** A mark that ends a part of the prompt to be cached: for its `ttl`, or as long as the protocol does without one. */
export const cacheMark =
  (standard: (place: Place) => unknown): Reader =>
  (value, place) =>
    isJsonObject(value) ? lifetime()(value.ttl ?? standard(place), place) : unpriced(value, place);

export const tokens =
  (rate: TokenRate): Reader =>
  (_value, { param }) => [{ kind: 'tokens', rate, param }];

const RATES: Readonly<Record<string, TokenRate>> = { audio: 'audio_output', image: 'image_output' };

/** Of anything but a text the empty name, which no kind has: an object may have a `toString` of its own. */
const lowerCase = (value: unknown): string => (typeof value === 'string' ? value.toLowerCase() : '');

/** The kinds of output that are asked for; text has the model's plain price. */
export const outputKinds: Reader = (value, place) => {
  const kinds = new Set((Array.isArray(value) ? value : [value]).map(lowerCase));
  kinds.delete('text');
  return [...kinds].flatMap((kind) => {
    const rate = Object.hasOwn(RATES, kind) ? RATES[kind] : undefined;
    return rate === undefined ? unpriced(value, place) : tokens(rate)(value, place);
  });
};

/** A tool of the provider's, with the bound of its uses that the request has. */
export const feature =
  (name: string, bound: (value: unknown, place: Place) => unknown = () => undefined): Reader =>
  (value, place) => {
    const uses = bound(value, place);
    const maxUses = typeof uses === 'number' && Number.isSafeInteger(uses) && uses > 0 ? uses : undefined;
    return [{ kind: 'feature', name, maxUses, param: place.param }];
  };

/** A switch: only `true` asks; anything but a boolean is unpriced. */
export const whenTrue =
  (read: Reader): Reader =>
  (value, place) =>
    value === false ? NOTHING : value === true ? read(value, place) : unpriced(value, place);

/**
 * The type of a tool: what the caller's own side runs asks for nothing, what the provider runs is a feature, and a type
 * that nobody has decided on is unpriced.
 */
export const toolType =
  (own: RegExp, provided: Readonly<Record<string, Reader>>): Reader =>
  (value, place) => {
    if (typeof value !== 'string') return unpriced(value, place);
    if (own.test(value)) return NOTHING;
    const read = Object.hasOwn(provided, value) ? provided[value] : undefined;
    return (read ?? unpriced)(value, place);
  };

/** The texts of a prediction: a text, or parts of text. */
export const predicted: Reader = (value, place) => {
  const { param } = place;
  const content = isJsonObject(value) ? value.content : value;
  if (content === null || content === undefined || isEmpty(content)) return NOTHING;
  const parts = Array.isArray(content) ? content : [content];
  const texts = parts.map((part) => (isJsonObject(part) ? part.text : part));
  return texts.every((text) => typeof text === 'string')
    ? [{ kind: 'output', texts, param }]
    : unpriced(value, place);
};
