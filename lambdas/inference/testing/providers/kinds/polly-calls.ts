import { PollyClient } from '@aws-sdk/client-polly';
import type { JsonObject } from '../../../../platform/core/json/lossless-json.ts';
import { type CatalogRoute, type Model, parseCatalog } from '../../../core/catalog/catalog-document.ts';
import type { ProviderAttempt } from '../../../core/kinds/call-kind.ts';
import { clientsByAddress } from '../../../store/aws-clients.ts';

export const pollyClient = clientsByAddress(
  (settings) =>
    new PollyClient({
      region: 'us-east-1',
      credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' },
      ...settings,
    }),
);

/** A model of speech with one route of Polly. */
export function speechModel(baseUrl: string, model: object = {}, route: object = {}): Model {
  const { models } = parseCatalog({
    models: [
      {
        id: 'amazon/polly',
        type: 'tts',
        owned_by: 'amazon',
        created: 1,
        characters_per_token: 4,
        price: { unit: 'per_million_tokens', input: 64 },
        ...model,
        routes: [
          {
            id: 'polly',
            protocol: 'polly',
            upstream_model: 'neural',
            base_url: baseUrl,
            cost: { unit: 'per_million_characters', character: 16 },
            ...route,
          },
        ],
      },
    ],
  });
  return models[0] as Model;
}

/** One try of the route of such a model. */
export function attemptOf(
  model: Model,
  payload: JsonObject,
  signal: AbortSignal = new AbortController().signal,
): ProviderAttempt<JsonObject> {
  const clock = { signal, stopFirstByte: () => {}, close: () => {} };
  return { model, route: model.routes[0] as CatalogRoute, payload, clock };
}
