import { describe, expect, it } from '@jest/globals';
import { runningUpstream } from '../../testing/models/running-upstream.ts';
import type { Quirk } from './quirks.ts';

const upstream = runningUpstream();

/** A chat request to a host with these quirks. */
const send = (quirks: string, body: unknown) =>
  upstream.postTo(`/hosts/${quirks}/v1/chat/completions`, body, {
    headers: { authorization: 'Bearer test' },
  });

const user = (content: unknown) => ({ role: 'user', content });
const system = { role: 'system', content: 'Be brief.' };
const chat = (over: object) => ({ model: 'chat', messages: [user('Hello')], ...over });
const chatWith = (...messages: object[]) => chat({ messages });

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
  readonly rejected: readonly object[];
  /** The same without what is refused. */
  readonly accepted: object;
}

/**
 * The cases that calls through the service do not show (`test/endpoints/hosts`): the quirks without a flag, and each
 * form of a rejection.
 */
const CASES: Partial<Record<Quirk, Case>> = {
  'no-developer-role': {
    rejected: [chatWith({ ...system, role: 'developer' }, user('Hello'))],
    accepted: chatWith(system, user('Hello')),
  },
  'no-reasoning-effort': { rejected: [chat({ reasoning_effort: 'low' })], accepted: chat({}) },
  'wants-thought-signature': {
    rejected: [chatWith(...called('call_1')), chatWith(...called('call_1', signed('forged')))],
    accepted: chatWith(...called('call_1', signed('skip_thought_signature_validator'))),
  },
  'simple-schemas': {
    rejected: [
      propertyOf({ type: 'array', prefixItems: [{ type: 'string' }] }),
      propertyOf({ type: 'array', items: [{ type: 'string' }] }),
      propertyOf({ type: 'string', anyOf: [{ minLength: 1 }] }),
      propertyOf({ type: 'array', items: { enum: ['a', 'b'] } }),
    ],
    accepted: propertyOf({ type: 'array', items: { type: 'string', enum: ['a', 'b'] } }),
  },
};

describe('a strict host', () => {
  it.each(Object.entries(CASES))(
    'rejects the requests that %s specifies, and no others',
    async (quirk, { rejected, accepted }) => {
      for (const body of rejected) {
        const rejection = await send(quirk, body);
        expect([body, rejection.status]).toEqual([body, expect.any(Number)]);
        expect([400, 422]).toContain(rejection.status);
        expect(JSON.stringify(await rejection.json())).toMatch(/message|msg|error/);
        const response = await send('none', body);
        expect([body, response.status]).toEqual([body, 200]);
        await response.text();
      }
      const response = await send(quirk, accepted);
      expect([accepted, response.status]).toEqual([accepted, 200]);
      await response.text();
    },
  );

  it('returns 404 with the quirk’s name if the quirk does not exist', async () => {
    const response = await send('no-such-quirk', chat({}));
    expect([response.status, await response.text()]).toEqual([404, expect.stringContaining('no-such-quirk')]);
  });
});
