import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { markupOf } from '../import/imported-model.ts';
import { discoverCatalog } from './discover.ts';
import { BedrockPrices } from './prices.ts';

const folder = mkdtempSync(join(tmpdir(), 'discover-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('two versions of a model', () => {
  it('get ids of their own, and the name that agents know belongs to the first', () => {
    const ids = ['anthropic.claude-new-20260101-v1:0', 'anthropic.claude-new-20260601-v1:0'];
    const twins = [...ids, 'vendor.twin-v1:0', 'vendor.twin-v2:0'];
    const price = { unit: 'per_million_tokens', input: '1', output: '2' };
    const entry = { type: 'chat', created: 0, price, capabilities: ['stream'] };
    const table = {
      sources: [{ name: 'litellm', url: 'https://example.com', as_of: '2026-11-01' }],
      models: Object.fromEntries(twins.map((id) => [id, entry])),
      left_out: {},
    };
    const files = ['table.json', 'shipped.json'].map((name) => join(folder, name)) as [string, string];
    writeFileSync(files[0], JSON.stringify(table));
    writeFileSync(files[1], JSON.stringify({ models: [] }));
    const models = twins.map((modelId) => ({
      modelId,
      inputModalities: ['TEXT'],
      outputModalities: ['TEXT'],
      inferenceTypesSupported: ['ON_DEMAND'],
      modelLifecycle: { status: 'ACTIVE' },
    }));
    const { document } = discoverCatalog({
      offers: [{ region: 'us-east-1', models, profiles: [] }],
      residency: 'global',
      markup: markupOf('0%'),
      prices: new BedrockPrices(...files),
      others: [],
      now: new Date('2026-11-29'),
    });
    expect(document.models.map(({ id, aliases }) => [id, aliases])).toEqual([
      ['anthropic/claude-new-20260101', [ids[0], 'claude-new']],
      ['anthropic/claude-new-20260601', [ids[1]]],
      ['vendor/twin', ['vendor.twin-v1:0']],
      ['vendor/twin-v2:0', ['vendor.twin-v2:0']],
    ]);
  });
});
