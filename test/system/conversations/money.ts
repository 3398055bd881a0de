import { describe, expect, it } from '@jest/globals';
import { formatUsd, parseUsd } from '../../../lambdas/platform/core/money.ts';
import { until } from '../../../tools/test-kit/waiting.ts';
import { service } from './service.ts';

const nano = (amount: number | string): bigint => parseUsd(amount) ?? 0n;
const userMessage = (content: string, fields: object = {}) => ({
  model: 'sim/chat',
  messages: [{ role: 'user', content }],
  ...fields,
});

interface Credits {
  readonly balance: number;
  readonly held: number;
  readonly spend: { readonly today: number; readonly month: number };
}

/** On the shared host, once the wallet holds nothing in advance and the spend of the key is what it should be. */
const credits = (key: string, spent?: bigint): Promise<Credits> =>
  until(
    async () => (await (await service.fetch(`/credits/${key}`, { key })).json()) as Credits,
    ({ held, spend }) =>
      !service.isHost || (held === 0 && (spent === undefined || nano(spend.today) === spent)),
  );
const usage = async (key: string, id: string | null) =>
  (await (await service.fetch(`/v1/usage/${id}`, { key })).json()) as Record<string, unknown> & {
    cost: number;
  };

describe('the cost of a call', () => {
  it('equals the difference of the balances, the usage record and the header, to the nano-dollar', async () => {
    const { key } = await service.account('1');
    const before = await credits(key);
    const response = await service.chat(userMessage('Describe the sea.'), { key });
    const body = (await response.json()) as {
      readonly id: string;
      readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number };
    };
    const record = await usage(key, response.headers.get('x-request-id'));
    expect(await usage(key, body.id)).toEqual(record);
    const { prompt_tokens: input, completion_tokens: output } = body.usage;
    // 0.15 USD and 0.6 USD a million tokens are 150 and 600 nano-USD a token.
    const expected = 150n * BigInt(input) + 600n * BigInt(output);
    const after = await credits(key, expected);
    expect(nano(before.balance) - nano(after.balance)).toBe(expected);
    expect(nano(record.cost)).toBe(expected);
    expect(response.headers.get('x-cost-usd')).toBe(formatUsd(expected));
    expect(response.headers.get('x-balance-usd')).toBe(String(after.balance));
    expect(nano(after.spend.today)).toBe(expected);
    expect(nano(after.spend.month)).toBe(expected);
    expect(after.held).toBe(0);
    expect(record).toMatchObject({
      model: 'sim/chat',
      kind: 'chat',
      unit: 'token',
      input_units: input,
      output_units: output,
      estimated: false,
      route: 'sim-chat',
      status: 'completed',
    });
  });

  it('stays the same for a stream, appears in its last event and is settled before its end', async () => {
    const { key } = await service.account('1');
    const request = userMessage('Describe the sea.', {
      stream: true,
      stream_options: { include_usage: true },
    });
    const response = await service.chat(request, { key });
    const events = (await response.text()).split('\n\n').filter((line) => line.startsWith('data: '));
    const after = await credits(key);
    expect(events.at(-1)).toBe('data: [DONE]');
    const last = JSON.parse(events.at(-2)?.slice(6) ?? '{}') as { usage: { cost: number } };
    const record = await usage(key, response.headers.get('x-request-id'));
    expect(nano('1') - nano(after.balance)).toBe(nano(last.usage.cost));
    expect(record.cost).toBe(last.usage.cost);
    expect(record.status).toBe('completed');
  });

  it('includes cached prompt tokens at their separate price', async () => {
    const { key } = await service.account('1');
    const response = await service.chat(
      { ...userMessage('Describe the sea.'), model: 'sim/chat-large' },
      { key },
    );
    const { usage: counted } = (await response.json()) as {
      usage: {
        prompt_tokens: number;
        completion_tokens: number;
        prompt_tokens_details: { cached_tokens: number };
      };
    };
    const cached = counted.prompt_tokens_details.cached_tokens;
    expect(cached).toBeGreaterThan(0);
    const expected =
      3_000n * BigInt(counted.prompt_tokens - cached) +
      300n * BigInt(cached) +
      15_000n * BigInt(counted.completion_tokens);
    expect(response.headers.get('x-cost-usd')).toBe(formatUsd(expected));
  });

  it('appears in the list of its key, newest first, page by page', async () => {
    const { key } = await service.account('1');
    const ids: (string | null)[] = [];
    for (let call = 0; call < 3; call += 1) {
      const { headers } = await service.chat(userMessage('Hi', { max_tokens: 1 }), { key });
      ids.unshift(headers.get('x-request-id'));
    }
    const pageAt = async (query: string) =>
      (await (await service.fetch(`/v1/usage?limit=2${query}`, { key })).json()) as {
        data: { id: string }[];
        next_cursor: string | null;
      };
    const first = await pageAt('');
    const second = await pageAt(`&cursor=${first.next_cursor}`);
    expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(ids);
    expect(second.next_cursor).toBeNull();
  });
});

describe('a call that fails', () => {
  it('costs nothing and leaves no hold if it has no output', async () => {
    const { id, key } = await service.account('1');
    for (const stream of [false, true]) {
      const response = await service.chat(
        { ...userMessage('Hi', { stream }), model: 'sim/chat-down' },
        { key },
      );
      expect(response.status).toBe(503);
      expect(response.headers.get('retry-after')).toMatch(/^\d+$/);
      expect(await usage(key, response.headers.get('x-request-id'))).toMatchObject({
        cost: 0,
        status: 'failed',
        route: null,
      });
    }
    expect(await service.wallet(id)).toMatchObject({ balance: 1, held: 0 });
  });

  it('succeeds on the next route over either format, and skips the first route once its circuit has opened', async () => {
    const { key } = await service.account('1');
    const attempts = () => service.output.split('sim-failover-dead').length - 1;
    const call = async () => {
      const before = attempts();
      for (const path of ['/v1/chat/completions', '/v1/messages'])
        for (const stream of [false, true]) {
          const body = { ...userMessage('Repeat exactly: once', { stream }), model: 'sim/chat-failover' };
          const response = await service.post(path, body, { key });
          expect([response.status, response.headers.get('x-route')]).toEqual([200, 'sim-failover-live']);
          expect(await response.text()).not.toContain('"error"');
        }
      return attempts() - before;
    };
    await until(call, () => service.output.includes('circuit opened route=sim-failover-dead'));
    await until(call, (attemptCount) => attemptCount === 0);
  });

  it('costs its delivered output and ends in one error event if it has some', async () => {
    const { key } = await service.account('1');
    await service.fault({ cut_after_chunks: 8 });
    const response = await service.chat(userMessage('write 200 words', { stream: true, max_tokens: 400 }), {
      key,
    });
    expect(response.status).toBe(200);
    const events = (await response.text()).split('\n\n').filter((line) => line.startsWith('data: '));
    expect(events).not.toContain('data: [DONE]');
    expect(JSON.parse(events.at(-1)?.slice(6) ?? '')).toMatchObject({
      error: { type: 'service_unavailable', code: 'all_routes_failed' },
    });
    const record = await usage(key, response.headers.get('x-request-id'));
    expect(record).toMatchObject({ status: 'interrupted', estimated: true });
    expect(record.cost).toBeGreaterThan(0);
    const remainingCredit = await credits(key);
    expect(nano(1) - nano(remainingCredit.balance)).toBe(nano(record.cost));
    expect(remainingCredit.held).toBe(0);
  });
});
