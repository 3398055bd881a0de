import { describe, expect, it } from '@jest/globals';
import { runningUpstream } from '../../testing/models/running-upstream.ts';
import { type Quirk, RESPONSE_QUIRKS } from './quirks.ts';

const upstream = runningUpstream();
const KEY = { headers: { authorization: 'Bearer test' } };

/** Returns the body without what differs between any two answers. */
async function send(quirks: string, over: object): Promise<string> {
  const messages = [{ role: 'user', content: 'Repeat exactly: one two three' }];
  const body = { model: 'chat-cached', messages, ...over };
  const response = await upstream.postTo(`/hosts/${quirks}/v1/chat/completions`, body, KEY);
  expect(response.status).toBe(200);
  const text = await response.text();
  return text.replaceAll(/"(?:id|created|system_fingerprint)":(?:"[^"]+"|\d+),?/g, '');
}

const CALLS = {
  messages: [{ role: 'user', content: 'call first {"city":"X"}\ncall second {"city":"Y"}' }],
  tools: ['first', 'second'].map((name) => ({ type: 'function', function: { name } })),
};
const JSON_OUTPUT = {
  messages: [{ role: 'user', content: 'Answer exactly: {"answer":"yes"}' }],
  response_format: { type: 'json_object' },
};
const PARTS = { messages: [{ role: 'user', content: [{ type: 'text', text: 'Repeat exactly: one' }] }] };
const COUNTED = { stream_options: { include_usage: true } };

/** The request fields that make the quirk of a host visible, if a plain text with usage does not. */
const SHOWN_BY: Partial<Record<Quirk, object>> = {
  'json-in-reasoning': JSON_OUTPUT,
  'mirrors-content': PARTS,
  'standard-tier': { service_tier: 'priority' },
  'reasoning-named-reasoning': { reasoning_effort: 'low' },
  'reasoning-in-details': { reasoning_effort: 'low' },
  'empty-call-ids': CALLS,
  'no-call-index': CALLS,
  'one-call-index': CALLS,
  'gaps-in-call-indexes': CALLS,
  'arguments-go-on': CALLS,
  'stop-with-calls': CALLS,
  // A host with it counts without being asked.
  'usage-in-every-chunk': { stream_options: undefined },
};

describe('a vendor with its own response format', () => {
  // What callers of the service get from these hosts is in `test/endpoints/hosts`.
  it.each(RESPONSE_QUIRKS)('responds differently from a vendor without it: %s', async (quirk) => {
    const thinks = quirk.startsWith('reasoning-') ? 'thinks-by-effort' : 'none';
    const host = thinks === 'none' ? quirk : `${thinks},${quirk}`;
    const over = { stream: true, ...COUNTED, ...SHOWN_BY[quirk] };
    expect(await send(thinks, over)).toBe(await send(thinks, over));
    expect(await send(host, over)).not.toBe(await send(thinks, over));
  });
});

describe('a host with thinking', () => {
  it.each([
    ['thinks-by-effort', { reasoning_effort: 'none' }],
    ['thinks-by-effort', { thinking: { type: 'enabled' } }],
    ['thinks-by-switch', { thinking: { type: 'disabled' } }],
    ['thinks-by-switch', { reasoning_effort: 'low' }],
    ['thinks-by-reasoning', { reasoning: { enabled: true } }],
    ['thinks-by-reasoning-enabled', { reasoning: { effort: 'low' } }],
    ['thinks-unasked,thinks-by-switch', { thinking: { type: 'disabled' } }],
    ['none', { reasoning_effort: 'low', thinking: { type: 'enabled' } }],
  ])('returns no thoughts if the request does not use its own method: %s %j', async (quirk, over) => {
    expect(await send(quirk, { max_tokens: 2_000, ...over })).not.toContain('Let me think');
    expect(await send('thinks-unasked', { max_tokens: 2_000 })).toContain('Let me think');
  });

  it('rejects a budget that is missing, too small or beyond the output bound', async () => {
    for (const [max, limit] of [
      [2_000, { type: 'enabled' }],
      [2_000, { type: 'enabled', budget_tokens: 1_000 }],
      [1_024, { type: 'enabled', budget_tokens: 1_024 }],
    ] as const) {
      const messages = [{ role: 'user', content: 'x' }];
      const body = { model: 'm', messages, max_tokens: max, thinking: limit };
      const { status } = await upstream.postTo('/hosts/thinks-by-budget/v1/chat/completions', body, KEY);
      expect([limit, status]).toEqual([limit, 400]);
    }
  });
});
