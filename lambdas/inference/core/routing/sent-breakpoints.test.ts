import { describe, expect, it } from '@jest/globals';
import { candidateOf } from '../../testing/catalog/models.ts';
import { PROVIDERS, payloadNeeding } from '../../testing/fields/needs.ts';
import { NO_FIELDS } from '../../testing/fields/no-fields.ts';
import type { Candidate } from '../catalog/catalog-document.ts';
import { tokenPrices } from '../metering/priced-usage.ts';
import { type BillableItems, worstCost } from '../pricing/billable-items.ts';
import { withSentBreakpoints } from '../upstream/cache-breakpoints.ts';
import type { CacheLifetime, Conversation } from '../upstream/conversation.ts';
import type { ChatPayload } from '../upstream/provider.ts';
import { checkSupport } from './route-support.ts';

interface Case {
  readonly protocol: string;
  readonly capabilities?: readonly string[];
  readonly writes?: Readonly<Record<string, number>>;
}

const candidateThat = ({ protocol, capabilities = ['cache'], writes }: Case) =>
  candidateOf({
    price: { unit: 'per_million_tokens', input: 1, output: 0, ...(writes && { cache_writes: writes }) },
    routes: [{ protocol, capabilities, ...(protocol === 'bedrock' && { base_url: undefined }) }],
  });

const payloadThat = (
  cachedMessages: CacheLifetime,
  protocol: ChatPayload['protocol'] = 'openai',
): ChatPayload => {
  const conversation: Conversation = {
    system: ['s'],
    systemCache: new Map([[0, cachedMessages]]),
    turns: [{ role: 'user', parts: [{ type: 'text', text: 'a', cache: cachedMessages }] }],
    tools: [{ name: 'f', parameters: {}, cache: cachedMessages }],
    maxTokens: 1,
    stop: [],
  };
  const param = 'messages[0].cache_control';
  return payloadNeeding([{ kind: 'cache-write', lifetime: cachedMessages, param }], {
    protocol,
    conversation: () => conversation,
  });
};

function billableItemsOn(candidate: Candidate, payload: ChatPayload): BillableItems {
  const carriage = checkSupport(candidate, payload, PROVIDERS);
  if ('unmetNeed' in carriage) throw new Error('the route does not serve the call');
  return carriage.billableItems;
}

const BOTH = { '5m': 1.25, '1h': 2 };

describe('cache breakpoints on a route of another protocol', () => {
  it.each<[string, Case, CacheLifetime, CacheLifetime | undefined]>([
    ['Converse', { protocol: 'bedrock', writes: BOTH }, '5m', '5m'],
    ['Converse, for an hour', { protocol: 'bedrock', writes: BOTH }, '1h', '1h'],
    ['Messages', { protocol: 'anthropic', writes: BOTH }, '1h', '1h'],
    ['an hour that has no price', { protocol: 'bedrock', writes: { '5m': 1.25 } }, '1h', '5m'],
    ['minutes that have no price', { protocol: 'bedrock', writes: { '1h': 2 } }, '5m', undefined],
    ['a model without a price for writes', { protocol: 'bedrock' }, '5m', undefined],
    ['a host that does not cache', { protocol: 'bedrock', capabilities: [], writes: BOTH }, '5m', undefined],
    ['a protocol without marks', { protocol: 'openai-responses', writes: BOTH }, '5m', undefined],
  ])('match in the request, the hold and the bill: %s', (_what, marks, requestedCache, sentLifetime) => {
    const candidate = candidateThat(marks);
    const payload = payloadThat(requestedCache);
    const { system, systemCache, turns, tools } = withSentBreakpoints(candidate, payload).conversation();
    const cacheFields = sentLifetime === undefined ? {} : { cache: sentLifetime };
    expect([system, systemCache]).toEqual([['s'], sentLifetime && new Map([[0, sentLifetime]])]);
    expect(turns[0]?.parts).toEqual([{ type: 'text', text: 'a', ...cacheFields }]);
    expect(tools).toEqual([{ name: 'f', parameters: {}, ...cacheFields }]);
    const items = [...billableItemsOn(candidate, payload).items].filter((item) => /_(5m|1h)$/.test(item));
    expect(items).toEqual(sentLifetime === undefined ? [] : [`cache_write_${sentLifetime}`]);
  });

  it('add the price of the write to the hold', () => {
    const candidate = candidateThat({ protocol: 'bedrock', writes: BOTH });
    const costOf = (payload: ChatPayload) => {
      const billableItems = billableItemsOn(candidate, payload);
      return worstCost(tokenPrices(candidate.model), billableItems, { prompt: 1_000_000, completion: 0 });
    };
    expect(costOf(payloadThat('5m'))).toBe(1_250_000_000n);
    expect(costOf(payloadThat('1h'))).toBe(2_000_000_000n);
    expect(costOf({ ...payloadThat('1h'), fields: NO_FIELDS })).toBe(1_000_000_000n);
  });

  it('stay the caller’s own on a route of its protocol', () => {
    const candidate = candidateThat({ protocol: 'anthropic', capabilities: [] });
    const payload = payloadThat('1h', 'anthropic');
    expect(withSentBreakpoints(candidate, payload)).toBe(payload);
  });
});
