import type { JsonObject } from '../../../../platform/core/json/lossless-json.ts';
import type { WireServer } from '../../../../platform/testing/connections/wire-server.ts';
import {
  type CatalogDocument,
  type CatalogRoute,
  type Model,
  parseCatalog,
} from '../../../core/catalog/catalog-document.ts';
import type { ProviderAttempt } from '../../../core/kinds/call-kind.ts';
import { createBedrockClients } from '../../../store/bedrock-clients.ts';

type BedrockKind = 'embeddings' | 'image';

export const { client: bedrockClient } = createBedrockClients({
  region: 'us-east-1',
  credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' },
});

/** A catalog of one model with one route of Bedrock. */
export const catalogOf = (
  type: BedrockKind,
  upstreamModel: string,
  baseUrl: string,
  fields: object = {},
): CatalogDocument =>
  parseCatalog({
    models: [
      {
        id: 'sim/x',
        type,
        owned_by: 'sim',
        created: 1,
        price: type === 'image' ? { unit: 'per_image', image: 1 } : { unit: 'per_million_tokens', input: 1 },
        ...fields,
        routes: [{ id: 'x', protocol: 'bedrock', base_url: baseUrl, upstream_model: upstreamModel }],
      },
    ],
  });

/** One try of that route. */
export function attemptOf(catalog: CatalogDocument, payload: JsonObject): ProviderAttempt<JsonObject> {
  const signal = new AbortController().signal;
  const model = catalog.models[0] as Model;
  return {
    model,
    route: model.routes[0] as CatalogRoute,
    payload,
    clock: { signal, stopFirstByte: () => {}, close: () => {} },
  };
}

/** Answers every request with what `make` makes of its body. */
export function respondWith(
  server: WireServer,
  make: (body: Record<string, unknown>) => unknown,
  headers: Record<string, string> = {},
): void {
  server.respond = (response, { body }) =>
    void response
      .writeHead(200, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(make(JSON.parse(body) as Record<string, unknown>)));
}

/** The bodies of all requests that came. */
export const bodiesOf = (server: WireServer): Record<string, unknown>[] =>
  server.requests.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
