import { describe, expect, it } from '@jest/globals';
import { describeService } from '../../../app/operations.ts';
import { receiptEntry, usageEntry } from '../../../ledger/core/usage/receipt.ts';
import type { UsageRecord } from '../../../ledger/core/usage-record.ts';
import { parseCatalog } from '../catalog/catalog-document.ts';
import { modelListBody, priceListBody } from '../catalog/model-lists.ts';
import { receiptHeaders } from '../paid-endpoint.ts';

/** Digits that nothing else has. */
const COST = 31_337_424_242n;

const record: UsageRecord = {
  id: 'req_1',
  keyId: 'key_1',
  accountId: 'acc_1',
  created: 1_790_000_000,
  model: 'a/b',
  kind: 'chat',
  inputUnits: 1,
  cachedUnits: 0,
  outputUnits: 1,
  unit: 'token',
  cost: 5n,
  estimated: false,
  route: 'r',
  status: 'completed',
  lines: [{ item: 'input', quantity: 1, price: 5n, per: 1 }],
  catalog: 'v1',
  providerCost: COST,
};

const { models } = parseCatalog({
  models: [
    {
      id: 'a/b',
      type: 'chat',
      owned_by: 'a',
      created: 1,
      price: { unit: 'per_million_tokens', input: 1, output: 2 },
      routes: [
        {
          id: 'r',
          protocol: 'openai',
          base_url: 'https://a.example/v1',
          upstream_model: 'up',
          cost: { unit: 'per_million_tokens', input: '31.337424242', output: '31.337424242' },
        },
      ],
    },
  ],
});

const headers = models
  .flatMap(({ routes }) => routes)
  .map((route) => receiptHeaders({ headers: {} }, route, { record, balance: 1n }));

/** All but what is the operator's, who may know what is left of a price. */
function describedForCallers(): unknown {
  const description = describeService() as { readonly paths: Readonly<Record<string, unknown>> };
  const otherPaths = Object.entries(description.paths).filter(
    ([path]) => !path.startsWith('/api/v1/operator/'),
  );
  expect(otherPaths.length).toBeLessThan(Object.keys(description.paths).length);
  return { ...description, paths: Object.fromEntries(otherPaths) };
}

const textOf = (value: unknown): string => JSON.stringify(value) ?? '';

describe('the cost of a provider', () => {
  it.each([
    ['a usage record', usageEntry(record)],
    ['a receipt', receiptEntry(record)],
    ['the headers of a response', headers],
    ['the list of models', modelListBody(models)],
    ['the list of prices', priceListBody(models)],
    ['the service description for callers and owners', describedForCallers()],
  ])('appears nowhere in %s, by name or by amount', (_what, response) => {
    expect(textOf(response).replaceAll('.', '')).not.toMatch(/31337424|provider_?cost|margin/i);
  });

  it('appears in the record and in the catalog from which the service creates these responses', () => {
    expect(record.providerCost).toBe(COST);
    expect(models[0]?.routes[0]?.cost).toMatchObject({ input: COST });
  });
});
