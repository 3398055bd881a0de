/** Requests in the form in which Claude Code sends them (2.1.197 and 2.1.330, seen on the wire), over routes of each protocol. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CountingTill, CREDENTIAL } from '../fuzz/counting-till.ts';
import { catalogAt, type Service, startService } from '../fuzz/running-service.ts';
import { Wire } from '../fuzz/wire.ts';

/** Keeps the headers of what is asked of the upstream. */
class HeaderWire extends Wire {
  readonly headers: Headers[] = [];

  /** A route of each protocol, and one that is given flags that its host does not know. */
  readonly catalog = (origin: string) => {
    const { models, ...rest } = catalogAt(origin);
    const [model] = models.filter(({ id }) => id === 'sim/anthropic');
    const betas = [...NEWEST.split(','), 'of-tomorrow-2027-01-01'];
    const routes = model?.routes.map((route) => ({ ...route, id: 'takes-any-beta', betas }));
    return {
      ...rest,
      models: [...models, { ...model, id: 'sim/takes-any-beta', aliases: ['claude-any'], routes }],
    };
  };

  override readonly fetch: typeof globalThis.fetch = (input, init) => {
    this.headers.push(new Headers(init?.headers));
    return fetch(input, init);
  };
}

const till = new CountingTill();
const wire = new HeaderWire(1_000);
let service: Service;

beforeAll(async () => {
  service = await startService(till, wire);
});
afterAll(() => service.stop());

const NEWEST = [
  'claude-code-20250219',
  'interleaved-thinking-2025-05-14',
  'context-management-2025-06-27',
  'per-turn-control-2026-07-01',
  'mid-conversation-tool-changes-2026-07-01',
  'thinking-token-count-2026-05-13',
  'advanced-tool-use-2025-11-20',
  'effort-2025-11-24',
].join(',');
const OLDER = `${NEWEST},context-1m-2025-08-07,prompt-caching-scope-2026-01-05,mid-conversation-system-2026-04-07`;

const tools = [
  {
    name: 'Read',
    description: 'Reads a file.',
    defer_loading: true,
    input_schema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  },
];
const request = {
  max_tokens: 32_000,
  system: [
    { type: 'text', text: 'x-anthropic-billing-header: cc_version=2.1.330' },
    { type: 'text', text: 'You are an agent.' },
  ],
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'Repeat exactly: hello' }] },
    { role: 'system', content: 'Tools may change.' },
  ],
  tools,
  metadata: { user_id: 'user_1' },
  thinking: { type: 'adaptive' },
  context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
};
const secondTurn = [
  ...request.messages,
  { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'Read', input: { path: 'a' } }] },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'alpha' }] },
  { role: 'system', content: [{ type: 'text', text: 'Answer soon.' }] },
];

async function send(model: string, fields: object, betas: string, version = '2023-06-01') {
  const headers = {
    'content-type': 'application/json',
    'x-api-key': CREDENTIAL,
    'anthropic-beta': betas,
    'anthropic-version': version,
    'x-claude-code-session-id': 'heron-session',
  };
  const body = JSON.stringify({ ...request, model, ...fields });
  const response = await service.send('messages', { headers, body });
  return { status: response.status, text: await response.text() };
}

/** The clients' ring has the Responses protocol, whose simulated models take no temperature. */
const MODELS = ['sim/anthropic', 'sim/openai', 'sim/bedrock'];

describe.each([
  ['newest', NEWEST],
  ['older', OLDER],
])('what Claude Code sends, the %s', (_version, betas) => {
  it.each(MODELS)('receives a response over %s: complete, streamed and with tool results', async (model) => {
    for (const fields of [{}, { stream: true }, { messages: secondTurn }]) {
      const { status, text } = await send(model, fields, betas);
      expect([status, text]).toEqual([200, expect.any(String)]);
      expect(text).toContain(model);
    }
    expect(till.open.size).toBe(0);
    expect(service.internalErrors).toEqual([]);
  });
});

describe('the flags of a request', () => {
  it('reach a route of the protocol, except priced and unknown flags', async () => {
    wire.headers.length = 0;
    await send('sim/anthropic', {}, `${OLDER},of-tomorrow-2027-01-01`);
    const [sentHeaders] = wire.headers;
    expect(sentHeaders?.get('anthropic-beta')).toMatch(
      /^claude-code-20250219,.*context-management-2025-06-27/,
    );
    expect(sentHeaders?.get('anthropic-beta')).not.toMatch(/context-1m|of-tomorrow|mid-conversation-system/);
    expect(sentHeaders?.get('anthropic-version')).toBe('2023-06-01');
    expect([...(sentHeaders ?? [])].join()).not.toContain('heron-session');
  });

  it('reach the route together with the protocol version of the caller', async () => {
    wire.headers.length = 0;
    expect((await send('sim/anthropic', {}, NEWEST, '2026-10-21')).status).toBe(200);
    expect(wire.headers[0]?.get('anthropic-version')).toBe('2026-10-21');
  });

  it('cause an error that names the header if a route must receive a flag that it does not accept', async () => {
    const { status, text } = await send('sim/takes-any-beta', {}, `${NEWEST},of-tomorrow-2027-01-01`);
    expect(status).toBe(400);
    expect(text).toContain('Unexpected value(s) `of-tomorrow-2027-01-01` for the `anthropic-beta` header.');
  });

  it('reach no route of another protocol', async () => {
    wire.headers.length = 0;
    await send('sim/openai', {}, NEWEST);
    expect([...(wire.headers[0] ?? [])].join()).not.toMatch(/anthropic|heron/);
  });
});

describe('an older structured output', () => {
  it.each(MODELS)('reaches the model over %s like the current form', async (model) => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'string' } },
      required: ['a'],
      additionalProperties: false,
    };
    const { status, text } = await send(
      model,
      {
        messages: [{ role: 'user', content: 'Who?' }],
        tools: undefined,
        output_format: { type: 'json_schema', schema },
      },
      'structured-outputs-2025-11-13',
    );
    expect([status, text]).toEqual([200, expect.stringContaining('\\"a\\"')]);
  });
});

describe('a response', () => {
  it.each([false, true])(
    'contains the requested model name, also for an alias: stream %s',
    async (stream) => {
      const { text } = await send('claude-any', { stream }, NEWEST);
      expect(text).toContain('"model":"claude-any"');
      expect(text).not.toContain('sim/takes');
    },
  );
});
