/** A discovered model as a model of a catalog: its names, its limits, and its routes over regions and formats. */
import type { JsonObject } from '../../../lambdas/platform/core/json/lossless-json.ts';
import type { Kind } from '../../../lambdas/platform/core/kinds.ts';
import type { FoundationModel, RegionOffer } from './control-plane.ts';
import { geographyOfProfile } from './ids.ts';
import type { BedrockPrices, PricedId } from './prices.ts';

/** The id by which a model is called, the regions of one price, the own first, and that price. */
export interface CallTarget {
  readonly id: string;
  readonly kind: Kind;
  readonly regions: readonly string[];
  readonly priced: PricedId;
  /** The price without the markup; absent if there is no markup. */
  readonly cost?: object;
  readonly price: object;
}

interface ModelContext {
  readonly offers: readonly [RegionOffer, ...RegionOffer[]];
  readonly prices: BedrockPrices;
  /** The ids of the catalog's models so far. */
  readonly names: Set<string>;
}

interface Format {
  readonly protocol: 'anthropic' | 'openai' | 'bedrock';
  /** The path below `bedrock-runtime`. */
  readonly path: string;
}

const CONVERSE: Format = { protocol: 'bedrock', path: '' };
const MESSAGES: Format = { protocol: 'anthropic', path: '/anthropic/v1' };
const CHAT: Format = { protocol: 'openai', path: '/openai/v1' };

/** The betas that Bedrock is known to accept; it rejects a request with any other. */
const BETAS = ['interleaved-thinking-2025-05-14', 'context-management-2025-06-27', 'effort-2025-11-24'];

/**
 * Returns the formats that a model is called in, the best first. Claude's own format needs a profile. Of OpenAI's and
 * xAI's closed models no source says that Converse serves them; LiteLLM lists `/v1/chat/completions` for them.
 */
function formatsOf({ id, kind }: CallTarget): readonly Format[] {
  if (kind !== 'chat') return [CONVERSE];
  if (/(^|\.)anthropic\./.test(id))
    return geographyOfProfile(id) === undefined ? [CONVERSE] : [MESSAGES, CONVERSE];
  if (/(^|\.)openai\.gpt-oss/.test(id)) return [CHAT, CONVERSE];
  return /(^|\.)(openai|xai)\./.test(id) ? [CHAT] : [CONVERSE];
}

/** Bedrock's version at the end of an id: `-v1:0`, `-1:0`, `:0`. */
const VERSION = /(?:-v?\d+)?:\d+$|-v\d+$/;

/** Returns the id in the catalog: `qwen/qwen3-32b` of `qwen.qwen3-32b-v1:0`, with the version if another has the name. */
function catalogIdOf(modelId: string, names: ReadonlySet<string>): string {
  const id = modelId.replace('.', '/');
  const short = id.replace(VERSION, '');
  return names.has(short) ? id : short;
}

const MAX_ROUTES = 4;

/** Makes a model; its aliases may be names of others too. */
export function modelOf(model: FoundationModel, target: CallTarget, { offers, prices, names }: ModelContext) {
  const { modelId } = model;
  const shipped = prices.shippedModel(modelId);
  const id = shipped === undefined ? catalogIdOf(modelId, names) : shipped.id;
  names.add(id);
  const { aliases = [], routes: templates = [], ...fields } = shipped ?? fieldsOf(model, target);
  const [{ region: ownRegion }] = offers;
  const routes = formatsOf(target).flatMap((format, at) =>
    target.regions.map((region, index) => ({
      id: `${region}/${target.id}/${format.protocol}`,
      protocol: format.protocol,
      ...(format === CONVERSE ? {} : { auth: 'sigv4' }),
      ...(format === CONVERSE && region === ownRegion
        ? {}
        : { base_url: `https://bedrock-runtime.${region}.amazonaws.com${format.path}` }),
      upstream_model: target.id,
      ...(target.cost === undefined ? {} : { cost: target.cost }),
      ...(settingsOf(templates, format) ?? capabilitiesOf(model, target, format)),
      priority: at * target.regions.length + index + 1,
    })),
  );
  return {
    ...fields,
    id,
    aliases: [...aliases, modelId, ...profilesOf(modelId, offers), ...agentNames(modelId)],
    price: target.price,
    price_source: target.priced.priceSource,
    routes: routes.slice(0, MAX_ROUTES),
  };
}

/** Returns the name of a Claude by which agents know it: `claude-haiku-4-5` of `anthropic.claude-haiku-4-5-20251001-v1:0`. */
const agentNames = (modelId: string): readonly string[] =>
  modelId.startsWith('anthropic.')
    ? [
        modelId
          .slice('anthropic.'.length)
          .replace(VERSION, '')
          .replace(/-\d{8}$/, ''),
      ]
    : [];

/** Returns the settings of the shipped route in this format. */
function settingsOf(templates: readonly JsonObject[], { protocol }: Format): JsonObject | undefined {
  const template = templates.find((route) => route.protocol === protocol);
  if (template === undefined) return undefined;
  const { id: _id, base_url: _url, upstream_model: _model, priority: _priority, ...settings } = template;
  return settings;
}

function capabilitiesOf(model: FoundationModel, { priced }: CallTarget, { protocol }: Format): JsonObject {
  const { inputModalities: inputs, responseStreamingSupported: streams } = model;
  const { capabilities = [], reasoning } = priced.entry ?? {};
  const served = capabilities.filter(
    (name) => (name !== 'vision' || inputs.includes('IMAGE')) && (name !== 'stream' || streams === true),
  );
  return {
    ...(protocol === 'anthropic' ? { betas: BETAS } : {}),
    ...(reasoning === undefined ? {} : { reasoning }),
    capabilities: served,
  };
}

function fieldsOf(
  model: FoundationModel,
  { kind, priced }: CallTarget,
): JsonObject & { aliases?: []; routes?: [] } {
  const { price: _price, reasoning: _reasoning, capabilities: _capabilities, ...fields } = priced.entry ?? {};
  return {
    created: 0,
    ...fields,
    type: kind,
    owned_by: model.modelId.split('.')[0] ?? '',
    display_name: (model.modelName ?? model.modelId).slice(0, 128),
  };
}

/** Returns the ids of profiles that call a model, of all geographies. */
const profilesOf = (modelId: string, offers: readonly RegionOffer[]): readonly string[] => [
  ...new Set(
    offers.flatMap(({ profiles }) =>
      profiles.filter(({ models }) => models.has(modelId)).map(({ id }) => id),
    ),
  ),
];
