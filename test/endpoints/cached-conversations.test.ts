/** A long conversation with marks for the cache costs on every route that caches what it costs at the provider itself. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CLAUDE_HEADERS } from '../../tools/simulators/testing/models/running-upstream.ts';
import { CountingTill, CREDENTIAL } from '../fuzz/counting-till.ts';
import { modelOf, routeTo, type Service, type SurfaceName, startService } from '../fuzz/running-service.ts';
import { Wire } from '../fuzz/wire.ts';

/** Nano-USD of a token: Claude Haiku 4.5 (Claude docs, Pricing). */
const RATES = { input: 1_000n, read: 100n, write: 1_250n, output: 5_000n };

const PRICE = {
  unit: 'per_million_tokens',
  input: 1,
  output: 5,
  cached_input: 0.1,
  cache_writes: { '5m': 1.25, '1h': 2 },
};

const CLAUDE = 'claude-haiku-4-5';
/** Another name, so that it has a cache of its own. */
const DIRECT = `${CLAUDE}-direct`;
const CONVERSE = 'us.anthropic.claude-haiku-4-5-20251001-v1:0';

const capabilities = ['tools', 'json', 'vision', 'stream', 'cache'];

const catalogOf = (origin: string) => {
  const model = (name: string, protocol: string, upstream_model: string, fields: object = {}) => {
    const routes = [routeTo(origin, protocol, { id: name, upstream_model, capabilities, ...fields })];
    const limits = { max_output_tokens: 1_000, context_window: 200_000 };
    return modelOf(`sim/${name}`, 'chat', PRICE, { ...limits, routes });
  };
  const signed = {
    base_url: `${origin}/anthropic/v1`,
    secret: undefined,
    auth: 'sigv4',
    aws_service: 'bedrock',
    aws_region: 'eu-central-1',
  };
  return {
    models: [
      model('messages', 'anthropic', CLAUDE),
      model('converse', 'bedrock', CONVERSE),
      model('signed', 'anthropic', CONVERSE, signed),
      model('uncached', 'bedrock', CONVERSE, { capabilities: [] }),
    ],
  };
};

const till = new CountingTill();
let service: Service;

beforeAll(async () => {
  service = await startService(till, Object.assign(new Wire(1_000_000), { catalog: catalogOf }));
});
afterAll(() => service.stop());

/** About 50,000 tokens, other ones for each conversation so that none reads what another wrote. */
const manual = (topic: string): string =>
  Array.from({ length: 7_250 }, (_, line) => `Rule ${line} of ${topic}.`).join('\n');

const control = { cache_control: { type: 'ephemeral' } };
const cachedMessages = (text: string) => [{ type: 'text', text, ...control }];

type Turn = readonly [role: 'user' | 'assistant', text: string];
const FIRST: readonly Turn[] = [['user', 'What is rule 7? Answer in ten words.']];
const SECOND: readonly Turn[] = [...FIRST, ['assistant', 'Rule 7 is rule 7.'], ['user', 'And rule 8?']];

/** The conversation in a format, the manual and the last turn marked. */
const bodyOf = (format: SurfaceName, system: string, turns: readonly Turn[]) => {
  const messages = turns.map(([role, text], at) => ({
    role,
    content: at === turns.length - 1 ? cachedMessages(text) : [{ type: 'text', text }],
  }));
  return format === 'messages'
    ? { max_tokens: 50, system: cachedMessages(system), messages }
    : { max_tokens: 50, messages: [{ role: 'system', content: cachedMessages(system) }, ...messages] };
};

/** Returns the cost of the call at the provider, computed from the reported usage. */
async function directCost(system: string, turns: readonly Turn[]): Promise<bigint> {
  const body = { model: DIRECT, temperature: 0.7, ...bodyOf('messages', system, turns) };
  const headers = { 'content-type': 'application/json', ...CLAUDE_HEADERS };
  const response = await fetch(`${service.origin}/v1/messages`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  const { usage } = (await response.json()) as { readonly usage: Readonly<Record<string, number>> };
  const tokens = (name: string) => BigInt(usage[name] ?? 0);
  return (
    tokens('input_tokens') * RATES.input +
    tokens('cache_read_input_tokens') * RATES.read +
    tokens('cache_creation_input_tokens') * RATES.write +
    tokens('output_tokens') * RATES.output
  );
}

async function paidThrough(format: SurfaceName, model: string, body: object) {
  const headers = { 'content-type': 'application/json', 'x-api-key': CREDENTIAL };
  const response = await service.send(format, { headers, body: JSON.stringify({ model, ...body }) });
  const text = await response.text();
  const paid = till.paid.at(-1);
  if (response.status !== 200 || paid === undefined) throw new Error(text);
  return paid;
}

describe('a conversation of 50,000 tokens with cache breakpoints', () => {
  it.each<[SurfaceName, string, string]>([
    ['messages', 'sim/messages', 'A'],
    ['chat', 'sim/messages', 'B'],
    ['messages', 'sim/converse', 'C'],
    ['chat', 'sim/converse', 'D'],
    ['messages', 'sim/signed', 'F'],
    ['chat', 'sim/signed', 'G'],
  ])('costs what the provider takes, turn by turn: %s over %s', async (format, model, topic) => {
    const system = manual(topic);
    for (const turns of [FIRST, SECOND]) {
      const direct = await directCost(system, turns);
      const { cost, held } = await paidThrough(format, model, bodyOf(format, system, turns));
      expect(held).toBeGreaterThanOrEqual(cost);
      expect(cost).toBe(direct);
    }
  });

  it('costs ten times as much in its second turn on a route that receives no cache breakpoints', async () => {
    const system = manual('E');
    await directCost(system, FIRST);
    const direct = await directCost(system, SECOND);
    await paidThrough('messages', 'sim/uncached', bodyOf('messages', system, FIRST));
    const { cost } = await paidThrough('messages', 'sim/uncached', bodyOf('messages', system, SECOND));
    expect(cost).toBeGreaterThan(9n * direct);
  });
});
