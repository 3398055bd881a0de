import { describe, expect, it } from '@jest/globals';
import { awsAddressOf } from '../../lambdas/core/inference/catalog/aws-address.ts';
import type { Route } from '../../lambdas/core/inference/catalog/catalog-document.ts';
import { shippedCatalog } from './shipped-catalogs.ts';

const { models, defaults } = shippedCatalog('bedrock.json');
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

  it('can serve every model in whatever region it is deployed to: by a profile, or at an address of the model’s region', () => {
    const servedAnywhere = ({ base_url: url, upstream_model: model }: Route): boolean =>
      url === '' ? !model.startsWith('stability.') : awsAddressOf(url) !== undefined;
    for (const { id, routes: own } of models)
      expect([id, own.some((route) => route.protocol === 'bedrock' && servedAnywhere(route))]).toEqual([
        id,
        true,
      ]);
  });

  it('asks Stability AI’s models in the one region that has them', () => {
    const images = models.filter(({ type }) => type === 'image').flatMap((model) => model.routes);
    expect(images.length).toBeGreaterThan(0);
    for (const { id, base_url: url } of images)
      expect([id, awsAddressOf(url)?.region]).toEqual([id, 'us-west-2']);
  });

  it('streams every conversation', () => {
    const conversations = models.filter(({ type }) => type === 'chat').flatMap((model) => model.routes);
    for (const { id, capabilities } of conversations)
      expect([id, capabilities]).toEqual([id, expect.arrayContaining(['stream'])]);
  });
});
