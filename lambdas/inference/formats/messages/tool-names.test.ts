import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { RouteToolNames } from '../../core/upstream/tool-names.ts';
import { toConverseCall } from '../../providers/bedrock/request.ts';
import { toRequestBody as toGemini } from '../../providers/gemini/request.ts';
import { toRequestBody as toChat } from '../../providers/openai/request.ts';
import { toRequestBody as toResponses } from '../../providers/responses/request.ts';
import { messagesPayloadOf } from '../../testing/completions/payloads.ts';
import { play, type RouteProtocol } from '../../testing/providers/played.ts';
import { SIGNATURES } from '../../testing/providers/sealing.ts';
import { waysOf } from '../../testing/providers/vendor-answers.ts';

/** Names as MCP clients join them, with one beginning. */
const PREFIX = 'mcp__plugin_a-very-long-name-of-a-server_with-a-long-name-of-its-own';
const LONG = [`${PREFIX}__create_pull_request`, `${PREFIX}__create_pull_request_review`];
const input_schema = { type: 'object' };
const FIELDS = {
  tools: [...LONG, 'short'].map((name) => ({ name, input_schema })),
  tool_choice: { type: 'tool', name: LONG[1] },
  messages: [
    { role: 'user', content: 'Hi' },
    {
      role: 'assistant',
      content: [LONG[0], `${PREFIX}__of_an_earlier_turn`, 'short'].map((name, at) => ({
        type: 'tool_use',
        id: `id_${at}`,
        name,
        input: {},
      })),
    },
    { role: 'user', content: [0, 1, 2].map((at) => ({ type: 'tool_result', tool_use_id: `id_${at}` })) },
  ],
};
const TARGET = { upstream_model: 'm', reasoning: false };
const payload = messagesPayloadOf(FIELDS);

/** The requests of routes that take 64 characters at most. */
const REQUESTS: readonly (readonly [Exclude<RouteProtocol, 'anthropic'>, () => unknown])[] = [
  ['openai', () => toChat(payload, TARGET, SIGNATURES)],
  ['openai-responses', () => toResponses(payload, TARGET, SIGNATURES)],
  ['bedrock', () => toConverseCall(payload.conversation(), TARGET, SIGNATURES).request],
  ['gemini', () => toGemini(payload.conversation(), TARGET, SIGNATURES)],
];
const END = { openai: 'tool_calls', 'openai-responses': 'completed', bedrock: 'tool_use', gemini: 'STOP' };

const namesIn = (json: string) =>
  [...json.matchAll(/"(?:name|allowedFunctionNames)":\[?"([^"]+)"/g)].map(([, name]) => name);

describe('a tool with a long name', () => {
  it.each(REQUESTS)(
    'reaches a route of %s under one shorter name, in tools, choice and history',
    (_route, request) => {
      const json = JSON.stringify(request());
      expect(json).not.toContain(LONG[0]);
      const names = namesIn(json);
      for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      // Two long ones, the one of an earlier turn, and the short one as it is.
      expect(new Set(names).size).toBe(4);
      expect(names.filter((name) => name === 'short').length).toBeGreaterThan(1);
    },
  );

  it.each(REQUESTS)('returns under its own name from a route of %s, whole and streamed', async (route) => {
    const [first, second] = payload.conversation().tools.map(({ name }) => name);
    const calls = [first, second, 'short', 'unknown'].map((name = '', at) => ({
      id: `c${at}`,
      name,
      arguments: '{}',
    }));
    for (const wire of waysOf(route, { calls, end: END[route] })) {
      const heard = await play({ caller: 'messages', route, request: FIELDS }, wire);
      expect(heard?.calls.map(({ name }) => name)).toEqual([...LONG, 'short', 'unknown']);
    }
  });

  it('reaches a route of Messages under its own name', () => {
    expect(payload.body).toMatchObject({
      tools: [{ name: LONG[0] }, { name: LONG[1] }, {}],
      tool_choice: { name: LONG[1] },
    });
  });
});

describe('the names of tools on routes', () => {
  it('stay legal, unique and reversible for any names', () => {
    const name = fc.oneof(
      fc.stringMatching(/^[a-zA-Z0-9_-]{1,128}$/),
      fc.stringMatching(/^a{60}[a-c]{0,30}$/),
      fc.string({ minLength: 1, maxLength: 90 }),
    );
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 40 }), (all) => {
        const names = new RouteToolNames(all);
        const routeNames = all.map((each) => names.routeNameOf(each));
        expect(new Set(routeNames).size).toBe(all.length);
        for (const routeName of routeNames) expect(routeName).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
        expect(routeNames.map((each) => names.callerNameOf(each))).toEqual(all);
        for (const [at, each] of all.entries())
          if (/^[a-zA-Z0-9_-]{1,64}$/.test(each)) expect(routeNames[at]).toBe(each);
      }),
    );
  });
});
