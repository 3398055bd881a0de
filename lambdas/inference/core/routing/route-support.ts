/** The routes that can serve a request, their billable items, and the fields of the request that each of them loses. */
import { isJsonObject, type JsonObject } from '../../../platform/core/json/lossless-json.ts';
import { allowedBetas, lockedFields } from '../catalog/betas.ts';
import type { Candidate, CatalogRoute } from '../catalog/catalog-document.ts';
import { isCapable } from '../catalog/route-document.ts';
import { isPriced, type Need, type PricedFeature } from '../fields/need.ts';
import type { TakesField } from '../fields/read-fields.ts';
import { type BillableItems, billableItemsOf } from '../pricing/billable-items.ts';
import { sentBreakpoints } from '../upstream/cache-breakpoints.ts';
import { expressesEffort, isOff } from '../upstream/effort.ts';
import type { ChatPayload, Provider } from '../upstream/provider.ts';
import { fieldsWithoutClaude } from './claude-fields.ts';

/** A request. One of a kind other than chat is no conversation. */
export type RoutedPayload = Pick<ChatPayload, 'protocol' | 'fields'> &
  Partial<Pick<ChatPayload, 'body' | 'conversation' | 'limitedTo'>>;

/** The protocols with features. Requests of kinds other than chat need none. */
export type Providers = Readonly<Partial<Record<CatalogRoute['protocol'], Pick<Provider, 'features'>>>>;

/** The billable items of a request on a route, or the first need that the route does not meet. */
type RouteSupport = { readonly billableItems: BillableItems } | { readonly unmetNeed: Need };

export function checkSupport(
  candidate: Candidate,
  payload: RoutedPayload,
  providers: Providers,
): RouteSupport {
  const { route } = candidate;
  const { protocol, fields } = payload;
  const isOwn = route.protocol === protocol;
  const takes = takesOf(route);
  const forwardedFields = fields.undocumented.filter(({ pattern, isConverted }) =>
    isOwn ? takes(pattern) : isConverted,
  );
  const needs = [...fields.needs, ...forwardedFields.flatMap((field) => field.needs)];
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
): RouteSupport {
  const { model, route } = candidate;
  const isOwn = route.protocol === protocol;
  const features = providers[route.protocol]?.features;
  const lacks = needs.find(
    (need) =>
      (need.kind === 'capability' && !isCapable(route, need.name)) ||
      (need.kind === 'feature' && !features?.has(need.name) && !(isOwn && need.name === 'blank-turns')) ||
      (!isOwn && isPriced(need) && isLost(need)),
  );
  if (lacks !== undefined) return { unmetNeed: lacks };
  const priced = needs.filter(isPriced);
  const sentFeatures = isOwn ? priced : [...sentBreakpoints(candidate, priced), ...priced.filter(isSpoken)];
  const billableItems = billableItemsOf(model.price, [...sentFeatures, ...added]);
  return 'unpriced' in billableItems ? { unmetNeed: billableItems.unpriced } : { billableItems };
}

/**
 * Returns whether a route of another protocol drops the feature. Such a route receives the conversation only, with
 * those cache breakpoints that have a price there. Without the other breakpoints, and without a prediction, its output
 * is the same.
 */
const isLost = (need: PricedFeature): boolean =>
  need.kind !== 'cache-write' && need.kind !== 'output' && !isSpoken(need);

/** Audio in a user's message is a part of the conversation. */
const isSpoken = (need: PricedFeature): boolean =>
  need.kind === 'tokens' && need.rate === 'audio_input' && need.param.endsWith('.input_audio');

/** The requested reasoning does not depend on the bound of the output, which may still be open. */
const ANY_BOUND = 1;

/**
 * Returns the tier of reasoning. A vendor with `enable_thinking` may have a separate price for reasoning (Alibaba Cloud
 * Model Studio, Model pricing).
 */
function thinkingTier(
  { dialect }: CatalogRoute,
  payload: RoutedPayload,
  needs: readonly Need[],
): readonly PricedFeature[] {
  if (dialect?.reasoning_request !== 'enable_thinking') return [];
  const { reasoning } = (payload.limitedTo?.(ANY_BOUND) ?? payload).conversation?.() ?? {};
  if (reasoning === undefined || isOff(reasoning)) return [];
  const isKnown = needs.some((need) => need.kind === 'service-tier' && need.name === 'thinking');
  return isKnown
    ? []
    : [{ kind: 'service-tier', name: 'thinking', param: THINKING_FIELDS[payload.protocol] }];
}

/** The field of each format that requests reasoning. */
const THINKING_FIELDS = {
  openai: 'reasoning_effort',
  anthropic: 'thinking',
  'openai-responses': 'reasoning',
} as const;

/** Returns whether a route has no way to express the reasoning that the caller requests. */
export function losesEffort(
  { protocol, dialect }: Pick<CatalogRoute, 'protocol' | 'dialect'>,
  payload: Pick<ChatPayload, 'protocol' | 'conversation'>,
): boolean {
  if (protocol === payload.protocol || protocol === 'openai-responses') return false;
  const { reasoning, maxTokens } = payload.conversation();
  return reasoning !== undefined && !expressesEffort(dialect, reasoning, maxTokens);
}

/** The fields by which callers of any format request reasoning. */
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

/** Fields that reasoning models reject. They are dropped for these models. */
const SAMPLING: ReadonlySet<string> = new Set(['temperature', 'top_p', 'top_k']);

/**
 * The fields of the caller's request that the route does not get. A dialect that leaves out `store` or `stream_options`
 * takes nothing from the caller: nothing is stored in any case, and the service counts usage itself.
 */
export function ignoredFields(
  route: CatalogRoute,
  payload: RoutedPayload & Pick<ChatPayload, 'headers'>,
  request: JsonObject,
): ReadonlySet<string> {
  const { protocol, fields } = payload;
  const isOwn = route.protocol === protocol;
  const takes = takesOf(route);
  const isRejected = rejectedBy(route, isOwn);
  return new Set([
    ...fields.undocumented
      .filter(({ pattern, isConverted }) => !(isOwn ? takes(pattern) : isConverted))
      .map(({ pattern }) => pattern),
    ...(isOwn ? lockedIn(route, payload, request) : fields.unconvertedFields),
    ...(isOpenAi(route) ? [] : fields.openaiFields),
    ...REJECTABLE.filter(
      (name) => isSet(request[name]) && ((route.reasoning && SAMPLING.has(name)) || isRejected(name)),
    ),
    ...fieldsWithin(request).filter(isRejected),
    ...(!isOwn && mayBeClaude(route) ? fieldsWithoutClaude(route, payload, request) : []),
  ]);
}

const mayBeClaude = ({ protocol }: CatalogRoute): boolean =>
  protocol === 'anthropic' || protocol === 'bedrock';

const isOpenAi = ({ protocol }: CatalogRoute): boolean =>
  protocol === 'openai' || protocol === 'openai-responses';

/** The fields that need a beta which the route does not get. */
function lockedIn(
  route: CatalogRoute,
  { headers }: Pick<ChatPayload, 'headers'>,
  request: JsonObject,
): readonly string[] {
  if (route.protocol !== 'anthropic') return [];
  return lockedFields(allowedBetas(headers?.betas ?? [], route)).filter((pattern) => {
    const [name = '', inner] = pattern.replace('[]', '').split('.');
    return inner === undefined
      ? isSet(request[name])
      : [request[name]].flat().some((holder) => isJsonObject(holder) && isSet(holder[inner]));
  });
}

const isSet = (value: unknown): boolean => value !== null && value !== undefined;

const ONE_CALL_FIELD = 'parallel_tool_calls';

/** The fields of hosts whose thoughts do not count within the limit of the output. */
const SWITCHES: ReadonlySet<string> = new Set(['enable_thinking', 'thinking_budget']);

/** The fields of a request that some models or vendors reject. */
const REJECTABLE = [...SAMPLING, ...REASONING, ...SWITCHES, ONE_CALL_FIELD];

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
function rejectedBy({ protocol, dialect }: CatalogRoute, isOwn: boolean): (name: string) => boolean {
  const isOneCallRejected = dialect?.parallel_tool_calls === false;
  const isStrictRejected = dialect?.strict_tools === false;
  const mode = dialect?.reasoning_request;
  const isUnasked =
    protocol === 'openai'
      ? mode === 'none' || (mode === undefined && !isOwn)
      : protocol !== 'openai-responses' && mode === undefined && !isOwn;
  return (name) =>
    (isOneCallRejected && (name === ONE_CALL_FIELD || name === ONE_CALL)) ||
    (isStrictRejected && name === STRICT) ||
    (isUnasked && (REASONING.has(name) || SWITCHES.has(name)));
}
