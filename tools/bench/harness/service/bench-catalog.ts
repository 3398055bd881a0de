/** The catalog of our own side of the comparison: a model for each protocol and pause. */
import { writeCatalog } from '../../../../lambdas/inference/store/catalog-history.ts';
import { requireVariable } from '../../../../lambdas/platform/contract/environment.ts';
import { TABLES } from '../../../../lambdas/platform/contract/tables.ts';
import type { Database } from '../../../test-kit/database.ts';
import type { Case } from '../load/cases.ts';

type Protocol = Case['protocol'];

/** The model of a protocol, or of its upstream's name for an answer. */
export const catalogModel = (protocol: Protocol, upstream: string): string => `bench/${protocol}-${upstream}`;

/** The document with a model for each protocol and upstream's name. */
export const catalogOf = (upstreamUrl: string, upstreams: readonly string[]): string =>
  JSON.stringify({
    models: upstreams.flatMap((upstream) =>
      (['openai', 'anthropic'] as const).map((protocol) => modelOf(protocol, upstreamUrl, upstream)),
    ),
    defaults: {},
  });

function modelOf(protocol: Protocol, upstreamUrl: string, upstream: string) {
  const id = catalogModel(protocol, upstream);
  return {
    id,
    type: 'chat',
    owned_by: 'bench',
    created: 1_760_000_000,
    aliases: [],
    context_window: 128_000,
    max_output_tokens: 16_384,
    price: { unit: 'per_million_tokens', input: 0.15, output: 0.6, cached_input: 0.075 },
    routes: [
      {
        id: id.replaceAll('/', '-'),
        protocol,
        base_url: protocol === 'openai' ? `${upstreamUrl}/v1` : upstreamUrl,
        upstream_model: upstream,
        secret: 'env:SIM_KEY',
        capabilities: ['tools', 'json', 'vision', 'stream'],
        timeout_ms: 180_000,
        ...(protocol === 'anthropic' ? { cancels: true } : {}),
      },
    ],
  };
}

export async function applyCatalog(database: Database, document: string): Promise<void> {
  const table = requireVariable(database.environment, TABLES.catalog.variable);
  await writeCatalog(database.connect().client, table, document);
}
