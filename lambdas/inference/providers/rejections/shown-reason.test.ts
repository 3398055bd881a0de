import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { rounds } from '../../../../tools/test-kit/thorough.ts';
import { shownReason } from './rejection.ts';

describe('the shown reason of an error', () => {
  it.each([
    'messages.0.content: Field required',
    'tools[3].function.parameters: schema must have type "object"',
    "Invalid value: 'tool'. Supported values are: 'system', 'assistant' and 'user'.",
    'max_tokens: 300000 > 64000, which is the maximum allowed number of output tokens',
    'temperature: range: 0..1',
    'tool_use ids were found without tool_result blocks immediately after',
    'Unexpected value(s) `context-1m-2025-08-07` for the header.',
    'image/tiff is not supported; use image/png or image/jpeg.',
    'INVALID_ARGUMENT: additionalProperties must be false',
  ])('stays the same if it is plain: %s', (text) => {
    expect(shownReason(text)).toBe(text);
  });

  it.each([
    ['the model gpt-4o-2024-08-06 does not take images', 'the model … does not take images'],
    ['see https://docs.vendor.example/errors?x=1 for more', 'see … for more'],
    ['proxy api.vendor.example:443 refused 10.1.2.3', 'proxy … refused …'],
    ['OpenAI refused it, as Azure does', '… refused it, as … does'],
    ['invalid image. Request ID: 0d1f-22 (eastus)', 'invalid image.'],
    ['arn:aws:bedrock:us-east-1:123456789012:model/x is unknown', '… is unknown'],
    ['account 123456789012 has no access', 'account … has no access'],
    ['project 4711 of organization org-acme has no tier 4', 'project … of organization … has no tier 4'],
    ['account_id: 4711, tenant "contoso7"', 'account_id: …, tenant "…"'],
    ['wrote to ops@vendor.example', 'wrote to …'],
  ])('contains a placeholder for names and addresses: %s', (text, shown) => {
    expect(shownReason(text)).toBe(shown);
  });

  it('becomes empty if nothing else remains', () => {
    expect(shownReason('https://a.example sk-1 10.0.0.1')).toBe('');
    expect(shownReason('')).toBe('');
  });

  it('fits on one line of bounded length, for any text', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 3_000, unit: 'binary' }), (text) => {
        const shown = shownReason(text);
        expect(shown.length).toBeLessThanOrEqual(310);
        expect(shown).not.toMatch(/[\r\n]/);
      }),
      { numRuns: rounds(300) },
    );
    expect(shownReason('word '.repeat(1_000)).length).toBeGreaterThan(200);
  });

  const alphanumeric = (minLength: number) =>
    fc.string({
      unit: fc.constantFrom(...'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'),
      minLength,
      maxLength: 48,
    });
  const host = fc.domain();
  const secrets = fc.oneof(
    fc
      .tuple(
        fc.constantFrom('sk-', 'sk-ant-', 'xai-', 'gsk_', 'AIza', 'AKIA', 'Bearer-', 'hf_', ''),
        alphanumeric(24),
      )
      .map(([a, b]) => `${a}${b}`),
    fc.webUrl({ withQueryParameters: true }),
    host,
    fc.tuple(host, fc.nat(65_535)).map(([name, port]) => `${name}:${port}`),
    fc.ipV4(),
    fc.ipV6().filter((ip) => ip.length > 6),
    fc.emailAddress(),
    fc.uuid(),
    fc
      .tuple(
        fc.constantFrom('account ', 'project id: ', 'organization=', 'tenant "'),
        fc.integer({ min: 10_000, max: 99_999_999 }),
      )
      .map(([a, b]) => `${a}${b}`),
    fc
      .tuple(
        fc.constantFrom('org-', 'proj_', 'acct_'),
        fc.string({ unit: fc.constantFrom(...'abcdefgh'), minLength: 8, maxLength: 20 }),
      )
      .map(([a, b]) => `${a}${b}`),
    alphanumeric(3).map((id) => `arn:aws:bedrock:eu-central-1:123456789012:inference-profile/${id}`),
  );
  const prefixes = fc.constantFrom('', 'failed at ', 'messages.0: bad ', 'Error (', '"', "key='", 'x=');

  it('never has a key, an address or an id of the usual forms', () => {
    fc.assert(
      fc.property(prefixes, secrets, prefixes, (before, secret, after) => {
        expect(shownReason(`${before}${secret}${after}`)).not.toContain(secret);
        expect(shownReason(`plain words ${secret} and ${before}${secret}${after}`)).not.toContain(secret);
      }),
      { numRuns: rounds(2_000) },
    );
  });
});
