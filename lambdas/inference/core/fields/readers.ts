/**
 * Readers of fields that several protocols have. A value that means the standard needs nothing. A value with an unknown
 * type or name is unpriced, so that the request is rejected instead of forwarded at a plain price.
 */
import { isJsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { Capability, Feature, Need, TokenRate } from './need.ts';
import type { FieldContext, NeedReader } from './table.ts';

const NOTHING: readonly Need[] = [];

export const nothing: NeedReader = () => NOTHING;

export const unpriced: NeedReader = (_value, { param }) => [{ kind: 'unpriced', param }];

/** Rejects every value except these. */
export const unpricedUnless =
  (...standard: readonly unknown[]): NeedReader =>
  (value, context) =>
    standard.includes(value) ? NOTHING : unpriced(value, context);

/** A host's limit in addition to that of the request. A larger one is unpriced: it could raise the output above the hold. */
export const withinLimit: NeedReader = (value, context) => {
  const { max_tokens: older, max_completion_tokens: limit = older } = context.body;
  const isWithin = typeof value === 'number' && typeof limit === 'number' && value >= 0 && value <= limit;
  return isWithin ? NOTHING : unpriced(value, context);
};

/** Skips an empty array, object or string. */
export const unlessEmpty =
  (read: NeedReader): NeedReader =>
  (value, context) =>
    isEmpty(value) ? NOTHING : read(value, context);

function isEmpty(value: unknown): boolean {
  if (typeof value === 'string' || Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}

export const capability =
  (name: Capability): NeedReader =>
  (_value, context) =>
    context.isNeeded('capability', name) ? NOTHING : [{ kind: 'capability', name, param: context.param }];

export const feature =
  (name: Feature): NeedReader =>
  (_value, context) =>
    context.isNeeded('feature', name) ? NOTHING : [{ kind: 'feature', name, param: context.param }];

/**
 * A last turn of the user without visible text, after one of the assistant. Claude takes no such text, and newer models
 * no conversation that ends with the assistant. A route of the caller's own protocol decides for itself.
 */
export const blankLastTurn: NeedReader = (value, { param }) => {
  if (!Array.isArray(value)) return NOTHING;
  const before = value.findLast((message) => !isBlankTurn(message));
  if (!isBlankTurn(value.at(-1)) || !isJsonObject(before) || before.role !== 'assistant') return NOTHING;
  const at = `${param}[${value.length - 1}]`;
  return [{ kind: 'feature', name: 'blank-turns', of: `${at} without visible text`, param: at }];
};

const isBlankTurn = (message: unknown): boolean =>
  isJsonObject(message) && message.role === 'user' && [message.content ?? ''].flat().every(isBlankText);

function isBlankText(part: unknown): boolean {
  const text = isJsonObject(part) ? part.text : part;
  return typeof text === 'string' && text.trim() === '';
}

/** The needs of all these readers. */
export const all =
  (...readers: readonly NeedReader[]): NeedReader =>
  (value, context) =>
    readers.flatMap((read) => read(value, context));

/** Reads the field only if its value passes the test. */
export const when =
  (test: (value: unknown) => boolean, read: NeedReader): NeedReader =>
  (value, context) =>
    test(value) ? read(value, context) : NOTHING;

/** An image or a file whose URL, or the `url` of an object, may be an address that the upstream fetches. */
export const fetched =
  (linked: Feature): NeedReader =>
  (value, context) => {
    const url = isJsonObject(value) ? value.url : value;
    if (typeof url !== 'string' || /^data:/i.test(url)) return NOTHING;
    return [{ kind: 'address', url, param: context.param }, ...feature(linked)(url, context)];
  };

/** Returns whether a server that reads addresses would read this as one: base64 has no colon. */
export const isAddressText = (value: unknown): boolean =>
  typeof value === 'string' && /^\s*[a-z][a-z0-9+.-]*:/i.test(value);

/** A need named by the value, if a catalog could contain that name. These values need nothing. */
const named =
  (needOf: (name: string, param: string) => Need) =>
  (...standard: readonly unknown[]): NeedReader =>
  (value, context) => {
    if (standard.includes(value)) return NOTHING;
    const isName = typeof value === 'string' && /^[\w.:-]{1,64}$/.test(value);
    return isName ? [needOf(value, context.param)] : unpriced(value, context);
  };

/** A service tier, except those that are charged at the standard price. */
export const serviceTier = named((name, param) => ({ kind: 'service-tier', name, param }));

export const region = named((name, param) => ({ kind: 'region', name, param }));

/** A cache lifetime, except those that every prompt has. */
export const cacheLifetime = named((lifetime, param) => ({ kind: 'cache-write', lifetime, param }));

/** A breakpoint that ends a part of the prompt to be cached, for its `ttl` or else for the lifetime that is the standard. */
export const cacheBreakpoint =
  (standard: (context: FieldContext) => unknown): NeedReader =>
  (value, context) =>
    isJsonObject(value) ? cacheLifetime()(value.ttl ?? standard(context), context) : unpriced(value, context);

/** Claude docs, Prompt caching: five minutes if the breakpoint has no `ttl`. */
export const cacheControl: NeedReader = cacheBreakpoint(() => '5m');

export const tokens =
  (rate: TokenRate): NeedReader =>
  (_value, { param }) => [{ kind: 'tokens', rate, param }];

const RATES: Readonly<Record<string, TokenRate>> = { audio: 'audio_output', image: 'image_output' };

/** Returns an empty string for a value that is not a string: an object may override `toString`. */
const lowerCase = (value: unknown): string => (typeof value === 'string' ? value.toLowerCase() : '');

/** The requested kinds of output; text has the model's plain price. */
export const outputKinds: NeedReader = (value, context) => {
  const kinds = new Set((Array.isArray(value) ? value : [value]).map(lowerCase));
  kinds.delete('text');
  return [...kinds].flatMap((kind) => {
    const rate = Object.hasOwn(RATES, kind) ? RATES[kind] : undefined;
    return (rate === undefined ? unpriced : tokens(rate))(value, context);
  });
};

/** A tool that the provider runs, with the request's limit on its uses. */
export const serverTool =
  (name: string, limit: (value: unknown, context: FieldContext) => unknown = () => undefined): NeedReader =>
  (value, context) => {
    const uses = limit(value, context);
    const maxUses = typeof uses === 'number' && Number.isSafeInteger(uses) && uses > 0 ? uses : undefined;
    return [{ kind: 'server-tool', name, maxUses, param: context.param }];
  };

/** Reads `true`; skips `false`; rejects any other value as unpriced. */
export const whenTrue =
  (read: NeedReader): NeedReader =>
  (value, context) =>
    value === false ? NOTHING : value === true ? read(value, context) : unpriced(value, context);

/** The type of a tool: one that the caller runs needs no price, and an unknown one is unpriced. */
export const toolType =
  (callers: RegExp, provided: Readonly<Record<string, NeedReader>>): NeedReader =>
  (value, context) => {
    if (typeof value !== 'string') return unpriced(value, context);
    if (callers.test(value)) return NOTHING;
    const read = Object.hasOwn(provided, value) ? provided[value] : undefined;
    return (read ?? unpriced)(value, context);
  };

/** The strings of a prediction: a string, or parts of text. */
export const predictedOutput: NeedReader = (value, context) => {
  const { param } = context;
  const content = isJsonObject(value) ? value.content : value;
  if (content === null || content === undefined || isEmpty(content)) return NOTHING;
  const parts = Array.isArray(content) ? content : [content];
  const strings = parts.map((part) => (isJsonObject(part) ? part.text : part));
  return strings.every((text) => typeof text === 'string')
    ? [{ kind: 'output', strings, param }]
    : unpriced(value, context);
};
