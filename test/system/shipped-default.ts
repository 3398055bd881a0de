/** The default chat model of `catalogs/bedrock.json` as a running service sells it, except that its routes are simulated. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../../tools/test-kit/waiting.ts';
import { ROOT } from './example-run.ts';
import type { Service } from './service.ts';

interface RouteDocument {
  readonly id: string;
  readonly protocol: string;
  readonly auth?: string;
  readonly capabilities: readonly string[];
  readonly priority?: number;
}

interface ModelDocument {
  readonly id: string;
  readonly max_output_tokens: number;
  readonly routes: readonly RouteDocument[];
}

interface Document {
  readonly models: readonly ModelDocument[];
  readonly defaults: { readonly chat: string };
}

const PROMPT = { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1 };
const CALLS = [
  ['/v1/messages', PROMPT],
  ['/v1/chat/completions', PROMPT],
  ['/v1/responses', { input: 'Hi', max_output_tokens: 16 }],
] as const;

export function shippedDefault(): ModelDocument {
  const { models, defaults } = JSON.parse(
    readFileSync(join(ROOT, 'catalogs/bedrock.json'), 'utf8'),
  ) as Document;
  const model = models.find(({ id }) => id === defaults.chat);
  if (model === undefined) throw new Error('the shipped catalog has no default chat model');
  return model;
}

/** Adds the model to the catalog of the service; returns it. Its routes have the protocols and capabilities of the shipped ones. */
export async function addShippedDefault(service: Service): Promise<ModelDocument> {
  const model = shippedDefault();
  const { document } = await service.admin<{ document: Document }>('catalog', 'show');
  const simulated = document.models.flatMap(({ routes }) => routes);
  const routes = model.routes.map(({ id, protocol, auth, capabilities, priority }) => {
    const route = simulated.find((each) => each.protocol === protocol && each.auth === auth);
    return { ...route, id, capabilities, priority };
  });
  const file = join(service.directory, 'with-shipped-default.json');
  writeFileSync(file, JSON.stringify({ ...document, models: [...document.models, { ...model, routes }] }));
  await service.admin('catalog', 'apply', file);
  const { key } = await service.account('1');
  // Each endpoint reads the catalog by itself.
  for (const [path, body] of CALLS) {
    const call = async () => (await service.post(path, { model: model.id, ...body }, { key })).status;
    await until(call, (status) => status === 200);
  }
  return model;
}
