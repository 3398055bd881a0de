import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Payer } from '../payer.ts';
import { service } from './service.ts';

const CLAUDE = 'sim/chat-anthropic';
const TIERED = 'sim/chat-large';

const payer = Payer.ofTests(service, '20');

interface Receipt {
  readonly cost: number;
  readonly waived: number;
  readonly catalog: string;
  readonly service_tier: string | null;
  readonly region: string | null;
  readonly lines: readonly {
    readonly item: string;
    readonly quantity: number;
    readonly price: number;
    readonly per: number;
  }[];
}

const receiptOf = (response: Response) => payer.record<Receipt>(response);

/** Returns the total of the lines, rounded up to a nano-dollar. */
const sumOf = ({ lines }: Receipt): number => {
  const nano = lines.reduce((sum, { quantity, price, per }) => sum + (quantity * price * 1e9) / per, 0);
  return Math.ceil(Number(nano.toFixed(3))) / 1e9;
};

const quantities = ({ lines }: Receipt) =>
  Object.fromEntries(lines.map(({ item, quantity }) => [item, quantity]));

const userMessage = (content: string) => [{ role: 'user' as const, content }];

describe('the receipt of a call', () => {
  it('lists the tokens written to a cache and read from it, each at its price', async () => {
    const long = `Be brief. ${'Mind the manual of the house. '.repeat(300)}${randomUUID()}`;
    const request = {
      model: CLAUDE,
      max_tokens: 50,
      messages: userMessage('Repeat exactly: hello'),
      system: [
        {
          type: 'text' as const,
          text: long,
          cache_control: { type: 'ephemeral' as const, ttl: '1h' as const },
        },
      ],
    };
    const first = await payer.anthropic.messages.create(request).withResponse();
    const written = await receiptOf(first.response);
    const tokens = first.data.usage.cache_creation?.ephemeral_1h_input_tokens ?? 0;
    expect(tokens).toBeGreaterThan(1_000);
    expect(written.lines).toContainEqual({
      item: 'cache_write_1h',
      quantity: tokens,
      price: 2,
      per: 1_000_000,
    });
    expect(written.cost).toBe(sumOf(written));
    expect(first.response.headers.get('x-cost-usd')).toBe(String(written.cost));
    const second = await payer.anthropic.messages.create(request).withResponse();
    const read = await receiptOf(second.response);
    expect(read.lines).toContainEqual({ item: 'cached_input', quantity: tokens, price: 0.1, per: 1_000_000 });
    expect(read.cost).toBeLessThan(written.cost);
    expect(read.cost).toBe(sumOf(read));
    expect(read.catalog).toBe(written.catalog);
  });

  it('lists the searches of the provider’s own tool, streamed, and applies the factor of the region', async () => {
    const { data: stream, response } = await payer.anthropic.messages
      .create({
        stream: true,
        model: CLAUDE,
        max_tokens: 50,
        messages: userMessage('Repeat exactly: found'),
        inference_geo: 'us',
        tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 2 }],
      })
      .withResponse();
    for await (const _event of stream);
    const receipt = await receiptOf(response);
    expect(quantities(receipt)).toMatchObject({ 'feature:web_search': 1 });
    expect(receipt).toMatchObject({ region: 'us', waived: 0 });
    expect(receipt.lines).toContainEqual(expect.objectContaining({ item: 'input', price: 1.1 }));
    expect(receipt.cost).toBe(sumOf(receipt));
  });

  it('states the tier that the upstream used, not the requested one', async () => {
    const send = () =>
      payer.client.chat.completions
        .create({
          model: TIERED,
          max_tokens: 20,
          service_tier: 'priority',
          messages: userMessage('Repeat exactly: soon'),
        })
        .withResponse();
    const response = await send();
    expect(await receiptOf(response.response)).toMatchObject({
      service_tier: 'priority',
    });
    await service.fault({ served_tier: 'default' });
    const lowered = await send();
    expect(lowered.data.service_tier).toBe('default');
    const receipt = await receiptOf(lowered.response);
    expect(receipt).toMatchObject({ service_tier: null });
    expect(receipt.lines).toContainEqual(expect.objectContaining({ item: 'input', price: 3 }));
  });

  it('uses the price tier of the prompt that was sent, whatever count a route reports', async () => {
    const prompt = `Repeat exactly: short\n${'word '.repeat(40)}`;
    await service.fault({ usage: { prompt_tokens: 150_001, completion_tokens: 10 } });
    const { response } = await payer.client.chat.completions
      .create({ model: TIERED, max_tokens: 20, messages: userMessage(prompt) })
      .withResponse();
    const receipt = await receiptOf(response);
    // More than the prompt can count is not believed: a route cannot lift a call into a dearer tier.
    expect(quantities(receipt).input).toBeLessThan(2_000);
    expect(receipt.lines).toContainEqual(expect.objectContaining({ item: 'input', price: 3 }));
  });
});
