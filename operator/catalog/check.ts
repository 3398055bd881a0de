/**
 * A check that the models of a catalog's routes are available: by the announced ends of Bedrock's models, by AWS and by
 * the providers' own lists; and that models write as much as the agents that know their names request. It changes
 * nothing. If a source does not respond, it reports so.
 */
import * as z from 'zod';
import { type AwsService, signedFor } from '../../lambdas/inference/core/catalog/aws-address.ts';
import {
  type CatalogDocument,
  type CatalogRoute,
  parseCatalog,
} from '../../lambdas/inference/core/catalog/catalog-document.ts';
import type { UnbilledOfRoute } from '../../lambdas/ledger/core/ports.ts';
import type { JsonObject } from '../../lambdas/platform/core/json/lossless-json.ts';
import { usdJson } from '../../lambdas/platform/core/money.ts';
import type { RouteAccess } from '../calls/route-access.ts';
import type { Operator } from '../operator.ts';
import { announcedEndOf } from './bedrock/ended-models.ts';
import { foundationModelOf } from './bedrock/ids.ts';
import { clientWarnings } from './client-limits.ts';

const ROUTE_STATES = ['alive', 'ended', 'unknown'] as const;
type RouteState = (typeof ROUTE_STATES)[number];

interface Finding {
  readonly state: RouteState;
  readonly reason: string;
  /** The day from which requests fail, where one is announced. */
  readonly endsOn?: string | undefined;
}

export interface CheckOptions {
  readonly fetch: typeof fetch;
  /** Bedrock's control plane; undefined: that of the deployment's region. Null: AWS is not queried. */
  readonly bedrockUrl: string | null | undefined;
  readonly now: Date;
}

/** The maximum wait for a provider's response. */
const TIMEOUT_MS = 15_000;

const MAX_PAGES = 20;

const OTHER_FORMAT = 'the answer has another format';

/** OpenAI API reference, List models; Claude API reference, List Models, has `has_more` and `last_id` too. */
const list = z.looseObject({
  data: z.array(z.looseObject({ id: z.string() })),
  has_more: z.boolean().optional(),
  last_id: z.string().nullish(),
});

/** The schema of Gemini API reference, models.list; a name starts with `models/`. */
const geminiList = z
  .looseObject({
    models: z.array(z.looseObject({ name: z.string() })),
    nextPageToken: z.string().optional(),
  })
  .transform(({ models, nextPageToken }) => ({
    data: models.map(({ name }) => ({ id: name })),
    has_more: nextPageToken !== undefined && nextPageToken !== '',
    last_id: nextPageToken,
  }));

/**
 * The query parameters of a page of a model list: its size, and the last id or the token of the previous page. Only
 * protocols with such pages are listed.
 */
const PAGES: Readonly<Partial<Record<CatalogRoute['protocol'], readonly [size: string, next: string]>>> = {
  anthropic: ['?limit=1000', '&after_id='],
  gemini: ['?pageSize=1000', '&pageToken='],
};

/** Amazon Bedrock API reference, GetFoundationModel. */
const foundationModel = z.looseObject({
  modelDetails: z.looseObject({
    modelLifecycle: z.looseObject({ status: z.string(), endOfLifeTime: z.string().optional() }).optional(),
  }),
});

/** Checks every route of the current catalog, each provider's list read once. Throws when no catalog is current. */
export async function checkCatalog(
  operator: Pick<Operator, 'catalog' | 'routes' | 'unbilled'>,
  options: CheckOptions,
): Promise<{ readonly output: JsonObject; readonly endedCount: number }> {
  const stored = await operator.catalog();
  if (stored === undefined) throw new Error('no catalog has been applied');
  const document: CatalogDocument = parseCatalog(JSON.parse(stored.json));
  const check = new Check(operator.routes, options);
  const routes = await Promise.all(
    document.models.flatMap(({ id: model, routes: modelRoutes }) =>
      modelRoutes.map(async (route) => ({ model, route, finding: await check.of(route) })),
    ),
  );
  const count = (state: RouteState) => routes.filter(({ finding }) => finding.state === state).length;
  const counts = Object.fromEntries(ROUTE_STATES.map((state) => [state, count(state)]));
  const output = {
    version: stored.version,
    checked: options.now.toISOString(),
    counts,
    routes: routes.map(({ model, route, finding: { state, reason, endsOn } }) => ({
      model,
      route: route.id,
      upstream_model: route.upstream_model,
      state,
      reason,
      ends_on: endsOn ?? null,
    })),
    warnings: clientWarnings(document.models),
    unbilled: suggestionsOf(document, await operator.unbilled()),
  };
  return { output, endedCount: count('ended') };
}

/** The factors of models that would have covered the usage that their routes reported beyond the bounds. */
function suggestionsOf({ models }: CatalogDocument, losses: readonly UnbilledOfRoute[]) {
  return losses.flatMap(({ route, calls, amount, factor }) => {
    const model = models.find(({ routes }) => routes.some(({ id }) => id === route));
    if (model === undefined) return [];
    const suggested = Math.ceil((model.token_factor ?? 1) * factor * 100) / 100;
    return [{ model: model.id, route, calls, amount: usdJson(amount), token_factor: suggested }];
  });
}

class Check {
  readonly #access: RouteAccess;
  readonly #options: CheckOptions;
  readonly #lists = new Map<string, Promise<ReadonlySet<string>>>();
  readonly #models = new Map<string, Promise<Finding>>();

  constructor(access: RouteAccess, options: CheckOptions) {
    this.#access = access;
    this.#options = options;
  }

  async of(route: CatalogRoute): Promise<Finding> {
    try {
      const address = route.auth === 'sigv4' ? signedFor(route) : undefined;
      const service = route.protocol === 'bedrock' ? 'bedrock' : address?.service;
      return service === undefined ? await this.#ofProvider(route) : await this.#ofAws(route, service);
    } catch (failure) {
      const isFormat = failure instanceof z.ZodError;
      return { state: 'unknown', reason: isFormat ? OTHER_FORMAT : (failure as Error).message };
    }
  }

  async #ofAws(route: CatalogRoute, service: AwsService): Promise<Finding> {
    const { upstream_model: upstreamModel } = route;
    const announced = announcedEndOf(upstreamModel);
    const today = this.#options.now.toISOString().slice(0, 10);
    if (announced !== undefined && announced.endsOn <= today)
      return { state: 'ended', reason: `announced in ${announced.source}`, endsOn: announced.endsOn };
    const endsOn = announced?.endsOn;
    if (this.#options.bedrockUrl === null)
      return { state: 'unknown', reason: 'AWS is asked for a stage only', endsOn };
    if (service !== 'bedrock') return { endsOn, ...(await this.#ofProvider(route)) };
    const id = foundationModelOf(upstreamModel);
    const finding = this.#models.get(id) ?? this.#readFromAws(id);
    this.#models.set(id, finding);
    return { endsOn, ...(await finding) };
  }

  async #readFromAws(id: string): Promise<Finding> {
    const base = this.#options.bedrockUrl ?? `https://bedrock.${await this.#access.region()}.amazonaws.com`;
    const url = `${base}/foundation-models/${encodeURIComponent(id)}`;
    const response = await this.#get(url, await this.#access.signedHeaders({ url, service: 'bedrock' }));
    if (response.status === 404) return { state: 'unknown', reason: 'AWS does not list it in this region' };
    const { modelLifecycle } = foundationModel.parse(await this.#json(response)).modelDetails;
    const endsOn = modelLifecycle?.endOfLifeTime?.slice(0, 10);
    const hasEnded = endsOn !== undefined && endsOn <= this.#options.now.toISOString().slice(0, 10);
    return {
      state: hasEnded ? 'ended' : 'alive',
      reason: `AWS says ${modelLifecycle?.status ?? 'that it exists'}`,
      ...(endsOn === undefined ? {} : { endsOn }),
    };
  }

  async #ofProvider(route: CatalogRoute): Promise<Finding> {
    if (route.protocol === 'polly' || route.protocol === 'transcribe')
      return { state: 'unknown', reason: 'Amazon Polly and Amazon Transcribe have no list of models' };
    if (route.auth === 'api-key' || route.auth === 'entra' || route.api_version !== undefined)
      return { state: 'unknown', reason: 'Azure lists models, not deployments' };
    if (route.auth === 'google') return { state: 'unknown', reason: 'Vertex AI has no list of its models' };
    // Both protocols of OpenAI have one list.
    const format = route.protocol === 'openai-responses' ? 'openai' : route.protocol;
    const listKey = `${format} ${route.base_url} ${route.secret ?? ''} ${route.workspace ?? ''}`;
    const listed = this.#lists.get(listKey) ?? this.#listOf(route);
    this.#lists.set(listKey, listed);
    const ids = await listed;
    // Both of Gemini's lists name models `models/<id>`.
    return ids.has(route.upstream_model) || ids.has(`models/${route.upstream_model}`)
      ? { state: 'alive', reason: 'the provider lists it' }
      : { state: 'unknown', reason: 'the provider does not list it' };
  }

  async #listOf(route: CatalogRoute): Promise<ReadonlySet<string>> {
    const ids = new Set<string>();
    const [size = '', next = ''] = isMantle(route) ? [] : (PAGES[route.protocol] ?? []);
    const format = route.protocol === 'gemini' ? geminiList : list;
    let query = size;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const url = `${listAddressOf(route)}${query}`;
      const response = await this.#get(url, await this.#headersOf(route, url));
      const { data, has_more: hasMore, last_id: last } = format.parse(await this.#json(response));
      for (const { id } of data) ids.add(id);
      if (next === '' || hasMore !== true || last === undefined || last === null) break;
      query = `${size}${next}${encodeURIComponent(last)}`;
    }
    return ids;
  }

  async #headersOf(route: CatalogRoute, url: string): Promise<Readonly<Record<string, string>>> {
    const { protocol, secret, auth, workspace } = route;
    const headers = {
      ...(protocol === 'anthropic' ? { 'anthropic-version': '2023-06-01' } : {}),
      ...(workspace === undefined ? {} : { 'anthropic-workspace-id': workspace }),
    };
    const address = auth === 'sigv4' ? signedFor(route) : undefined;
    if (address !== undefined) return this.#access.signedHeaders({ url, ...address, headers });
    if (secret === undefined) return headers;
    const key = await this.#access.readSecret(secret);
    if (protocol === 'gemini') return { ...headers, 'x-goog-api-key': key };
    return {
      ...headers,
      ...(protocol === 'anthropic' ? { 'x-api-key': key } : { authorization: `Bearer ${key}` }),
    };
  }

  async #get(url: string, headers: Readonly<Record<string, string>>): Promise<Response> {
    try {
      // A key goes to the address of its route, and nowhere else.
      return await this.#options.fetch(url, {
        headers,
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
    } catch (cause) {
      throw new Error(`${new URL(url).host} does not answer`, { cause });
    }
  }

  async #json(response: Response): Promise<unknown> {
    const { host } = new URL(response.url);
    if (!response.ok) throw new Error(`${host} answered ${response.status}`);
    try {
      return await response.json();
    } catch (cause) {
      throw new Error(`${host} did not answer with JSON`, { cause });
    }
  }
}

const isMantle = (route: CatalogRoute): boolean =>
  route.auth === 'sigv4' && signedFor(route)?.service === 'bedrock-mantle';

/** `bedrock-mantle` has one list for all formats (Amazon Bedrock user guide, bedrock-mantle endpoint, List models). */
const listAddressOf = (route: CatalogRoute): string =>
  `${isMantle(route) ? route.base_url.replace(/\/(?:anthropic|openai)\/v1$/, '/v1') : route.base_url}/models`;
