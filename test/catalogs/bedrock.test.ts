import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parseCatalog } from '../../lambdas/core/inference/catalog/catalog-document.ts';

const text = readFileSync(join(import.meta.dirname, '..', '..', 'catalogs', 'bedrock.json'), 'utf8');
const { models, defaults } = parseCatalog(JSON.parse(text));
const routes = models.flatMap((model) => model.routes);

describe('the catalog of Amazon Bedrock', () => {
  it('is valid, and has a default of each type that Bedrock serves', () => {
    expect(models.length).toBeGreaterThan(5);
    expect(Object.keys(defaults).sort()).toEqual(['chat', 'embeddings', 'image']);
  });

  it('answers without a provider’s key: every route is signed with the function’s role', () => {
    for (const { id, protocol, auth, secret } of routes)
      expect([id, secret, protocol === 'bedrock' || auth === 'sigv4']).toEqual([id, undefined, true]);
  });

  it('can serve every model in whatever region it is deployed to, by its profile or after another route', () => {
    for (const { id, routes: own } of models)
      expect([id, own.some(({ protocol, base_url: url }) => protocol === 'bedrock' && url === '')]).toEqual([
        id,
        true,
      ]);
  });

  it('streams every conversation', () => {
    const conversations = models.filter(({ type }) => type === 'chat').flatMap((model) => model.routes);
    for (const { id, capabilities } of conversations)
      expect([id, capabilities]).toEqual([id, expect.arrayContaining(['stream'])]);
  });
});
