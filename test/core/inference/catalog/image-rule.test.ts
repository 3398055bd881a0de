import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parseCatalog } from '../../../../lambdas/core/inference/catalog/catalog-document.ts';

const modelWith = (rule: unknown) => ({
  models: [
    {
      id: 'acme/eyes',
      type: 'chat',
      owned_by: 'acme',
      created: 0,
      price: { unit: 'per_million_tokens', input: 1, output: 2 },
      routes: [{ id: 'a', protocol: 'openai', base_url: 'https://a.example.com/v1', upstream_model: 'm' }],
      image_tokens: rule,
    },
  ],
});

const ruleOf = (rule: unknown) => parseCatalog(modelWith(rule)).models[0]?.image_tokens;

describe('the rule of a model for images', () => {
  const page = readFileSync('docs/operate.md', 'utf8');
  const documented = [...page.matchAll(/^\| `(\{"rule".*?\})`/gm)].map(([, json = '']) => JSON.parse(json));

  it('is taken as the page on operating writes it', () => {
    expect(new Set(documented.map(({ rule }) => rule)).size).toBe(4);
    for (const rule of documented) expect(ruleOf(rule)).toMatchObject(rule);
  });

  it('is absent where the document has no such field', () => {
    expect(ruleOf(undefined)).toBeUndefined();
  });

  it('has for Claude the limits of the models that count the most', () => {
    expect(ruleOf({ rule: 'anthropic' })).toEqual({ rule: 'anthropic', max_edge: 2_576, max_tokens: 4_784 });
  });

  it.each<[string, unknown, string]>([
    ['an unknown rule', { rule: 'openai' }, 'image_tokens.rule'],
    ['no rule', {}, 'image_tokens.rule'],
    ['tiles without their tokens', { rule: 'openai_tiles', base_tokens: 85 }, 'image_tokens.tile_tokens'],
    [
      'tokens that are no count',
      { rule: 'openai_tiles', base_tokens: 85, tile_tokens: 1.5 },
      'image_tokens.tile_tokens',
    ],
    [
      'a factor of nothing',
      { rule: 'openai_patches', max_patches: 9, multiplier: 0 },
      'image_tokens.multiplier',
    ],
    ['a field of another rule', { rule: 'gemini', max_patches: 9 }, 'image_tokens'],
  ])('is refused by the name of its field: %s', (_name, rule, field) => {
    expect(() => ruleOf(rule)).toThrow(`models[0].${field}`);
  });
});
