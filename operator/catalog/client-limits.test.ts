import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { modelsOf } from '../../lambdas/inference/testing/catalog/models.ts';
import { clientWarnings, MIN_STRICT_TOKENS } from './client-limits.ts';

const root = join(import.meta.dirname, '..', '..');

const named = (alias: string, fields: object) => clientWarnings(modelsOf({ aliases: [alias], ...fields }));

describe('a model behind a name that a coding agent requests', () => {
  it.each([
    ['claude-sonnet-5-5', 127_999],
    ['claude-haiku-4-5-20251001', 32_000],
  ])('causes a warning if it writes less than the agent requests: %s', (alias, limit) => {
    expect(named(alias, { max_output_tokens: limit })).toEqual([
      expect.stringMatching(
        new RegExp(
          `^${alias}: .+ requests \\d+ tokens, but a/b writes at most ${limit}\\. Raise max_output_tokens`,
        ),
      ),
    ]);
  });

  it.each([
    ['writes as much', 'claude-sonnet-5-5', { max_output_tokens: 128_000 }],
    ['has no limit', 'claude-sonnet-5-5', {}],
    ['reduces requests to its limit', 'claude-sonnet-5-5', { max_output_tokens: 10, clamp_max_tokens: true }],
    ['has a name that no agent requests', 'acme-large', { max_output_tokens: 10 }],
  ])('causes no warning if it %s', (_reason, alias, fields) => {
    expect(named(alias, fields)).toEqual([]);
  });
});

const CATALOGS = [
  'tools/local/seed/catalog.json',
  'catalogs/bedrock.json',
  'examples/own-provider/catalog.json',
];

describe.each(CATALOGS)('the catalog %s', (path) => {
  const { models } = JSON.parse(readFileSync(join(root, path), 'utf8')) as {
    models: (Parameters<typeof clientWarnings>[0][number] & {
      readonly type: string;
      readonly aliases?: readonly string[];
    })[];
  };

  it('contains no model that writes less than the agents request by its name', () => {
    expect(clientWarnings(models.map(({ aliases = [], ...model }) => ({ ...model, aliases })))).toEqual([]);
  });

  it('reduces requests to the limit of each chat model that may write less than an agent requests', () => {
    const small = models.filter(
      ({ type, max_output_tokens: limit = Number.POSITIVE_INFINITY }) =>
        type === 'chat' && limit < MIN_STRICT_TOKENS,
    );
    expect(small).not.toEqual([]);
    for (const { id, clamp_max_tokens: isClamped } of small) expect([id, isClamped]).toEqual([id, true]);
  });
});
