import { describe, expect, it } from '@jest/globals';
import { PROVIDERS, payloadNeeding } from '../../testing/fields/needs.ts';
import { type Candidate, type Model, parseCatalog } from '../catalog/catalog-document.ts';
import { NO_FIELDS } from '../fields/read-fields.ts';
import { tokenPrices } from '../metering/priced-usage.ts';
import { type Terms, worstCost } from '../pricing/terms.ts';
import { withSentMarks } from '../upstream/cache-marks.ts';
import type { CacheLifetime, Conversation } from '../upstream/conversation.ts';
import type { ChatPayload } from '../upstream/provider.ts';
import { carries } from './carries.ts';

interface Case {
  readonly protocol: string;
  readonly capabilities?: readonly string[];
  readonly writes?: Readonly<Record<string, number>>;
}

function candidateOf({ protocol, capabilities = ['cache'], writes }: Case) {
  const host = protocol === 'bedrock' ? {} : { base_url: 'https://a.test/v1' };
  const { models } = parseCatalog({
    models: [
      {
        id: 'a/b',
        type: 'chat',
        owned_by: 'a',
        created: 1,
        price: { unit: 'per_million_tokens', input: 1, output: 0, ...(writes && { cache_writes: writes }) },
        routes: [{ id: 'r', protocol, upstream_model: 'm', capabilities, ...host }],
      },
    ],
  });
  const model = models[0] as Model;
  const [route] = model.routes;
  if (route === undefined) throw new Error('the catalog has no route');
  return { model, route };
}

const payloadThat = (marked: CacheLifetime, protocol: ChatPayload['protocol'] = 'openai'): ChatPayload => {
  const conversation: Conversation = {
    system: ['s'],
    systemCache: new Map([[0, marked]]),
    turns: [{ role: 'user', parts: [{ type: 'text', text: 'a', cache: marked }] }],
    tools: [{ name: 'f', parameters: {}, cache: marked }],
    maxTokens: 1,
    stop: [],
  };
  const param = 'messages[0].cache_control';
  return payloadNeeding([{ kind: 'cache-write', lifetime: marked, param }], {
    protocol,
    conversation: () => conversation,
  });
};

function termsOn(candidate: Candidate, payload: ChatPayload): Terms {
  const carriage = carries(candidate, payload, PROVIDERS);
  if ('lacks' in carriage) throw new Error('the route does not serve the call');
  return carriage.terms;
}

const BOTH = { '5m': 1.25, '1h': 2 };

describe('marks for a cache on a route of another protocol', () => {
  it.each<[string, Case, CacheLifetime, CacheLifetime | undefined]>([
    ['Converse', { protocol: 'bedrock', writes: BOTH }, '5m', '5m'],
    ['Converse, for an hour', { protocol: 'bedrock', writes: BOTH }, '1h', '1h'],
    ['Messages', { protocol: 'anthropic', writes: BOTH }, '1h', '1h'],
    ['an hour that has no price', { protocol: 'bedrock', writes: { '5m': 1.25 } }, '1h', '5m'],
    ['minutes that have no price', { protocol: 'bedrock', writes: { '1h': 2 } }, '5m', undefined],
    ['a model without a price for writes', { protocol: 'bedrock' }, '5m', undefined],
    ['a host that does not cache', { protocol: 'bedrock', capabilities: [], writes: BOTH }, '5m', undefined],
    ['a protocol without marks', { protocol: 'openai-responses', writes: BOTH }, '5m', undefined],
  ])('match in the request, the hold and the bill: %s', (_what, given, asked, sent) => {
    const candidate = candidateOf(given);
    const payload = payloadThat(asked);
    const { system, systemCache, turns, tools } = withSentMarks(candidate, payload).conversation();
    const mark = sent === undefined ? {} : { cache: sent };
    expect([system, systemCache]).toEqual([['s'], sent && new Map([[0, sent]])]);
    expect(turns[0]?.parts).toEqual([{ type: 'text', text: 'a', ...mark }]);
    expect(tools).toEqual([{ name: 'f', parameters: {}, ...mark }]);
    const items = [...termsOn(candidate, payload).items].filter((item) => /_(5m|1h)$/.test(item));
    expect(items).toEqual(sent === undefined ? [] : [`cache_write_${sent}`]);
  });

  it('add the price of the write to the hold', () => {
    const candidate = candidateOf({ protocol: 'bedrock', writes: BOTH });
    const costOf = (payload: ChatPayload) => {
      const terms = termsOn(candidate, payload);
      return worstCost(tokenPrices(candidate.model), terms, { prompt: 1_000_000, completion: 0 });
    };
    expect(costOf(payloadThat('5m'))).toBe(1_250_000_000n);
    expect(costOf(payloadThat('1h'))).toBe(2_000_000_000n);
    expect(costOf({ ...payloadThat('1h'), fields: NO_FIELDS })).toBe(1_000_000_000n);
  });

  it('stay the caller’s own on a route of its protocol', () => {
    const candidate = candidateOf({ protocol: 'anthropic', capabilities: [] });
    const payload = payloadThat('1h', 'anthropic');
    expect(withSentMarks(candidate, payload)).toBe(payload);
  });
});
