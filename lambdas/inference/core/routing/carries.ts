/** The routes that can serve a request, their billable items, and the fields of the request that each of them loses. */
import { isJsonObject, type JsonObject } from '../../../platform/core/json/lossless-json.ts';
import { allowedBetas, lockedFields } from '../catalog/betas.ts';
import type { Candidate, CatalogRoute } from '../catalog/catalog-document.ts';
import { isCapable } from '../catalog/route-document.ts';
import { isPriced, type Need, type PricedFeature } from '../fields/need.ts';
import type { TakesField } from '../fields/read-fields.ts';
import { type Terms, termsOf } from '../pricing/terms.ts';
import { sentMarks } from '../upstream/cache-marks.ts';
import { isOff } from '../upstream/effort.ts';
import type { ChatPayload, Provider } from '../upstream/provider.ts';

type Routed = Pick<ChatPayload, 'protocol' | 'fields' | 'conversation' | 'limitedTo'>;

export type Providers = Readonly<Record<CatalogRoute['protocol'], Pick<Provider, 'features'>>>;

/** The billable items of a request on a route, or the first need that the route does not meet. */
type Carriage = { readonly terms: Terms } | { readonly lacks: Need };

export function carries(candidate: Candidate, payload: Routed, providers: Providers): Carriage {
  const { route } = candidate;
  const { protocol, fields } = payload;
  const isOwn = route.protocol === protocol;
  const takes = takesOf(route);
  const taken = fields.undocumented.filter(({ pattern, isCarried }) => (isOwn ? takes(pattern) : isCarried));
  const needs = [...fields.needs, ...taken.flatMap((field) => field.needs)];
  return meets(candidate, { protocol, needs, added: thinkingTier(route, payload, needs) }, providers);
}

interface Needs {
  readonly protocol: ChatPayload['protocol'];
  readonly needs: readonly Need[];
  /** Priced features that the service itself adds on that route. */
  readonly added?: readonly PricedFeature[];
}

/** The same for some of a request's needs. */
export function meets(
  candidate: Candidate,
  { protocol, needs, added = [] }: Needs,
  providers: Providers,
): Carriage {
  const { model, route } = candidate;
  const isOwn = route.protocol === protocol;
  const { features } = providers[route.protocol];
  const lacks = needs.find(
    (need) =>
      (need.kind === 'capability' && !isCapable(route, need.name)) ||
      (need.kind === 'feature' && !features.has(need.name)) ||
      (!isOwn && isPriced(need) && isLost(need)),
  );
  if (lacks !== undefined) return { lacks };
  const priced = needs.filter(isPriced);
  const sent = isOwn ? priced : [...sentMarks(candidate, priced), ...priced.filter(isSpoken)];
  const terms = termsOf(model.price, [...sent, ...added]);
  return 'unpriced' in terms ? { lacks: { kind: 'unpriced', param: terms.unpriced } } : { terms };
}

/**
 * A route of another protocol gets the conversation alone, with those cache breakpoints that have a price there: without
 * the others, and without a prediction, its answer is the same.
 */
const isLost = (need: PricedFeature): boolean =>
  need.kind !== 'cache-write' && need.kind !== 'output' && !isSpoken(need);

/** Audio in a user's message is a part of the conversation. */
const isSpoken = (need: PricedFeature): boolean =>
  need.kind === 'tokens' && need.rate === 'audio_input' && need.param.endsWith('.input_audio');

/** The requested reasoning does not depend on the bound of the output, which may still be open. */
const ANY_BOUND = 1;

/** A vendor that is asked to think by `enable_thinking` may have another price for that (Alibaba Cloud Model Studio, Model pricing). */
function thinkingTier(
  { dialect }: CatalogRoute,
  payload: Routed,
  needs: readonly Need[],
): readonly PricedFeature[] {
  if (dialect?.reasoning_request !== 'enable_thinking') return [];
  const { reasoning } = (payload.limitedTo?.(ANY_BOUND) ?? payload).conversation();
  if (reasoning === undefined || isOff(reasoning)) return [];
  const isKnown = needs.some((need) => need.kind === 'service-tier' && need.name === 'thinking');
  return isKnown
    ? []
    : [{ kind: 'service-tier', name: 'thinking', param: THINKING_FIELDS[payload.protocol] }];
}

/** The field of each format that asks for reasoning. */
const THINKING_FIELDS = {
  openai: 'reasoning_effort',
  anthropic: 'thinking',
  'openai-responses': 'reasoning',
} as const;

/** The fields by which callers of any format ask a model to think. */
const REASONING: ReadonlySet<string> = new Set(['reasoning_effort', 'reasoning', 'thinking']);

/** The undocumented fields that a route of the caller's protocol gets. */
export const takesOf =
  ({ protocol, passes, dialect, capabilities }: CatalogRoute): TakesField =>
  (pattern) =>
    passes?.includes(pattern) === true ||
    dialect?.passes?.includes(pattern) === true ||
    // Of a chat request, which is sent as the dialect has them.
    (protocol === 'openai' && dialect?.reasoning_request !== undefined && REASONING.has(pattern)) ||
    (capabilities.includes('cache') && pattern.endsWith('cache_control'));

/** Models that reason refuse these, so they are left out for them. */
const SAMPLING: ReadonlySet<string> = new Set(['temperature', 'top_p', 'top_k']);

/**
 * The fields of the caller's request that the route does not get. A dialect that leaves out `store` or `stream_options`
 * takes nothing from the caller: nothing is stored in any case, and the service counts usage itself.
 */
export function ignoredFields(
  route: CatalogRoute,
  payload: Pick<ChatPayload, 'protocol' | 'fields' | 'headers'>,
  request: JsonObject,
): ReadonlySet<string> {
  const { protocol, fields } = payload;
  const isOwn = route.protocol === protocol;
  const takes = takesOf(route);
  const isRefused = refusedBy(route, isOwn);
  return new Set([
    ...fields.undocumented
      .filter(({ pattern, isCarried }) => !(isOwn ? takes(pattern) : isCarried))
      .map(({ pattern }) => pattern),
    ...(isOwn ? lockedIn(route, payload, request) : fields.notCarried),
    ...REFUSABLE.filter(
      (name) => isSet(request[name]) && ((route.reasoning && SAMPLING.has(name)) || isRefused(name)),
    ),
    ...fieldsWithin(request).filter(isRefused),
  ]);
}

/** The fields that need a beta which the route does not get. */
function lockedIn(
  route: CatalogRoute,
  { headers }: Pick<ChatPayload, 'headers'>,
  { tools, ...request }: JsonObject,
): readonly string[] {
  if (route.protocol !== 'anthropic') return [];
  const given: readonly unknown[] = Array.isArray(tools) ? tools : [];
  return lockedFields(allowedBetas(headers?.betas ?? [], route)).filter((pattern) => {
    const [name = '', ofTool] = pattern.split('[].');
    return ofTool === undefined
      ? isSet(request[name])
      : given.some((tool) => isJsonObject(tool) && isSet(tool[ofTool]));
  });
}

const isSet = (value: unknown): boolean => value !== null && value !== undefined;

const ONE_CALL_FIELD = 'parallel_tool_calls';

/** The fields of a request that some models or hosts refuse. */
const REFUSABLE = [...SAMPLING, ...REASONING, ONE_CALL_FIELD];

const STRICT = 'tools.strict';
const ONE_CALL = 'tool_choice.disable_parallel_tool_use';

/** Returns the nested settings of a request that some hosts reject. */
function fieldsWithin({ tools, tool_choice: choice }: JsonObject): string[] {
  const isOneCall = isJsonObject(choice) && choice.disable_parallel_tool_use === true;
  return [
    ...(Array.isArray(tools) && tools.some(isStrict) ? [STRICT] : []),
    ...(isOneCall ? [ONE_CALL] : []),
  ];
}

/** A chat's tool holds its function; tools of the other formats are functions themselves. */
const isStrict = (tool: unknown): boolean =>
  isJsonObject(tool) &&
  (tool.strict === true || (isJsonObject(tool.function) && tool.function.strict === true));

/** Returns a test for the fields that the route's dialect leaves out. */
function refusedBy({ protocol, dialect }: CatalogRoute, isOwn: boolean): (name: string) => boolean {
  const isOneCallRefused = dialect?.parallel_tool_calls === false;
  const isStrictRefused = dialect?.strict_tools === false;
  const way = dialect?.reasoning_request;
  const isUnasked = protocol === 'openai' && (way === 'none' || (way === undefined && !isOwn));
  return (name) =>
    (isOneCallRefused && (name === ONE_CALL_FIELD || name === ONE_CALL)) ||
    (isStrictRefused && name === STRICT) ||
    (isUnasked && REASONING.has(name));
}
