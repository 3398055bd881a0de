import { describe, expect, it } from '@jest/globals';
import { runningUpstream } from '../../testing/models/running-upstream.ts';
import type { StrictQuirk } from './quirks.ts';

const upstream = runningUpstream();

/** A chat request to a host with these quirks. */
const send = (quirks: string, body: unknown, path = 'chat/completions') =>
  upstream.postTo(`/hosts/${quirks}/v1/${path}`, body, { headers: { authorization: 'Bearer test' } });

const user = (content: unknown) => ({ role: 'user', content });
const system = { role: 'system', content: 'Be brief.' };
const chat = (over: object) => ({ model: 'chat', messages: [user('Hello')], ...over });
const say = (...messages: object[]) => chat({ messages });

const functionTool = (parameters: object, over: object = {}) => ({
  type: 'function',
  function: { name: 'lookup', parameters, ...over },
});
const CITY = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const tools = (parameters: object) => chat({ tools: [functionTool(parameters)] });
const propertyOf = (schema: object) => tools({ ...CITY, properties: { city: schema } });

/** A turn in which a tool is called and has answered, with fields of the call and of its message. */
const called = (id: string, { message = {}, call = {} }: { message?: object; call?: object } = {}) => [
  user('The weather?'),
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id, type: 'function', function: { name: 'lookup', arguments: '{"city":"X"}' }, ...call }],
    ...message,
  },
  { role: 'tool', tool_call_id: id, content: 'rain' },
];
const signed = (signature: string) => ({
  call: { extra_content: { google: { thought_signature: signature } } },
});

interface Case {
  readonly refused: readonly object[];
  /** The same without what is refused. */
  readonly taken: object;
}

/**
 * The cases that calls through the service do not show (`test/endpoints/hosts`): the quirks without a flag, and each
 * form of a rejection.
 */
const CASES: Partial<Record<StrictQuirk, Case>> = {
  'no-developer-role': {
    refused: [say({ ...system, role: 'developer' }, user('Hello'))],
    taken: say(system, user('Hello')),
  },
  'no-reasoning-effort': { refused: [chat({ reasoning_effort: 'low' })], taken: chat({}) },
  'few-efforts': {
    refused: ['none', 'minimal', 'xhigh', 'max'].map((effort) => chat({ reasoning_effort: effort })),
    taken: chat({ reasoning_effort: 'medium' }),
  },
  'nine-character-ids': {
    refused: [say(...called('call_1')), say(...called('call_12345678')), say(...called('call_1234'))],
    taken: say(...called('abcDEF123')),
  },
  'wants-reasoning-content': {
    refused: [say(...called('call_1')), say(...called('call_1', { message: { reasoning_content: null } }))],
    taken: say(...called('call_1', { message: { reasoning_content: '' } })),
  },
  'wants-reasoning': {
    refused: [say(...called('call_1')), say(...called('call_1', { message: { reasoning_content: '' } }))],
    taken: say(...called('call_1', { message: { reasoning: '' } })),
  },
  'wants-thought-signature': {
    refused: [say(...called('call_1')), say(...called('call_1', signed('forged')))],
    taken: say(...called('call_1', signed('skip_thought_signature_validator'))),
  },
  'simple-schemas': {
    refused: [
      propertyOf({ type: 'array', prefixItems: [{ type: 'string' }] }),
      propertyOf({ type: 'array', items: [{ type: 'string' }] }),
      propertyOf({ type: 'string', anyOf: [{ minLength: 1 }] }),
      propertyOf({ type: 'array', items: { enum: ['a', 'b'] } }),
    ],
    taken: propertyOf({ type: 'array', items: { type: 'string', enum: ['a', 'b'] } }),
  },
  'all-required': {
    refused: [
      tools({ ...CITY, required: [] }),
      tools({ type: 'object', properties: CITY.properties }),
      propertyOf({ type: 'object', properties: CITY.properties }),
    ],
    taken: tools(CITY),
  },
};

describe('a strict host', () => {
  it.each(Object.entries(CASES))(
    'refuses what %s says, and nothing else',
    async (quirk, { refused, taken }) => {
      for (const body of refused) {
        const refusal = await send(quirk, body);
        expect([body, refusal.status]).toEqual([body, expect.any(Number)]);
        expect([400, 422]).toContain(refusal.status);
        expect(JSON.stringify(await refusal.json())).toMatch(/message|msg|error/);
        const answer = await send('none', body);
        expect([body, answer.status]).toEqual([body, 200]);
        await answer.text();
      }
      const answer = await send(quirk, taken);
      expect([taken, answer.status]).toEqual([taken, 200]);
      await answer.text();
    },
  );

  it('combines several quirks, and requires a key', async () => {
    const both = 'no-store,only-max-tokens';
    expect((await send(both, chat({ store: false }))).status).toBe(422);
    expect((await send(both, chat({ max_completion_tokens: 5 }))).status).toBe(400);
    expect((await send(both, chat({ max_tokens: 5 }))).status).toBe(200);
    expect((await upstream.postTo(`/hosts/none/v1/chat/completions`, chat({}))).status).toBe(401);
  });

  it('returns 404 with the quirk’s name if the quirk does not exist', async () => {
    const response = await send('no-such-quirk', chat({}));
    expect([response.status, await response.text()]).toEqual([404, expect.stringContaining('no-such-quirk')]);
  });

  it('refuses what the format itself refuses', async () => {
    expect((await send('none', '{"model":')).status).toBe(400);
    expect((await send('none', chat({ messages: [3] }))).status).toBe(400);
    expect((await send('none', { model: 'chat' })).status).toBe(400);
  });
});
