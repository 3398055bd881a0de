import { describe, expect, it } from '@jest/globals';
import { toRequest } from '../../providers/anthropic/request.ts';
import { toConverseCall } from '../../providers/bedrock/request.ts';
import { modelsOf } from '../../testing/catalog/models.ts';
import { chatPayloadOf, messagesPayloadOf } from '../../testing/completions/payloads.ts';
import { payloadOf as responsesPayloadOf } from '../../testing/completions/responses/requests.ts';
import { PROVIDERS } from '../../testing/fields/needs.ts';
import { routeOf } from '../../testing/providers/http-calls.ts';
import { SIGNATURES } from '../../testing/providers/sealing.ts';
import type { ChatPayload } from '../upstream/provider.ts';
import { chooseRoutes } from './route-choice.ts';
import { NO_CONTROLS } from './route-controls.ts';
import { ignoredFields } from './route-support.ts';

const CLAUDE = 'us.anthropic.claude-haiku-4-5-20251001-v1:0';

const routeFor = (protocol: string, mode?: string, upstream_model = CLAUDE) =>
  routeOf({
    protocol,
    base_url: 'https://vendor.example/v1',
    upstream_model,
    ...(mode === undefined ? {} : { dialect: { reasoning_request: mode } }),
  });

/** The sampling and stop sequences that a route is sent, by the caller's names. */
function sentTo(route: ReturnType<typeof routeFor>, payload: ChatPayload) {
  if (route.protocol === 'anthropic') {
    const { body } = toRequest(payload, route, SIGNATURES);
    return { temperature: body.temperature, top_p: body.top_p, stop: body.stop_sequences };
  }
  const { inferenceConfig = {} } = toConverseCall(payload.conversation(), route, SIGNATURES).request;
  const { temperature, topP, stopSequences } = inferenceConfig;
  return { temperature, top_p: topP, stop: stopSequences };
}

const VALUES: readonly Record<string, unknown>[] = [
  {},
  { temperature: 0.5 },
  { top_p: 0.5 },
  { top_p: 0.97 },
  { temperature: 0.5, top_p: 0.5 },
  { temperature: 0.5, top_p: 0.97 },
  { temperature: 0.5, top_p: 1 },
  { stop: ['\n', 'END'] },
  { stop: [' '], temperature: 0.5 },
  { stop: ['END'], top_p: 0.5 },
];
const EFFORTS = [undefined, 'none', 'high'];
const MODES = [undefined, 'adaptive', 'switch', 'budget', 'effort'];
const COMBINATIONS = ['anthropic', 'bedrock'].flatMap((protocol) =>
  MODES.flatMap((mode) => EFFORTS.map((effort) => [protocol, mode, effort] as const)),
);

describe('the fields of a chat request that Claude does not take', () => {
  it.each(COMBINATIONS)(
    'appear among the ignored fields, and no others do: %s, reasoning by %s at %s',
    (protocol, mode, effort) => {
      const route = routeFor(protocol, mode);
      for (const values of VALUES)
        for (const max_tokens of [500, 20_000]) {
          const request = {
            max_tokens,
            ...values,
            ...(effort === undefined ? {} : { reasoning_effort: effort }),
          };
          const payload = chatPayloadOf(request);
          const sent = sentTo(route, payload);
          const lost = Object.entries(values).flatMap(([name, value]) => {
            const received = sent[name as keyof typeof sent];
            if (name === 'stop') return JSON.stringify(received) === JSON.stringify(value) ? [] : ['stop'];
            // A share of 1 drops nothing, so it is no loss.
            return received === undefined && value !== 1 ? [name] : [];
          });
          const ignored = [...ignoredFields(route, payload, request)].filter((name) => name in values);
          expect([values, ignored.sort()]).toEqual([values, lost.sort()]);
        }
    },
  );

  it('include those of Messages on Bedrock', () => {
    const request = { stop_sequences: ['\n', 'END'], temperature: 0.5, top_p: 0.5 };
    const payload = messagesPayloadOf(request);
    expect([...ignoredFields(routeFor('bedrock'), payload, request)]).toEqual([
      'stop_sequences',
      'temperature',
    ]);
    expect([...ignoredFields(routeFor('anthropic'), payload, request)]).toEqual([]);
  });

  it('exclude stop sequences on Bedrock’s other models', () => {
    const request = { stop: ['\n'] };
    const nova = routeFor('bedrock', undefined, 'amazon.nova-pro-v1:0');
    expect([...ignoredFields(nova, chatPayloadOf(request), request)]).toEqual([]);
    expect(sentTo(nova, chatPayloadOf(request)).stop).toEqual(['\n']);
  });
});

/** Conversations that end with a blank turn of the user. */
const CHAT = (content: unknown) => [
  { role: 'user', content: 'Hi' },
  { role: 'assistant', content: 'ok' },
  { role: 'user', content },
];
const BLANK: readonly (readonly [string, ChatPayload, string])[] = [
  ...['', ' ', '\n\t', [{ type: 'text', text: ' ' }]].map(
    (content) => ['chat', chatPayloadOf({ messages: CHAT(content) }), 'messages[2]'] as const,
  ),
  ['Messages', messagesPayloadOf({ messages: CHAT(' ') }), 'messages[2]'],
  ['Responses', responsesPayloadOf({ input: CHAT(' ') }), 'input[2]'],
  ['Responses', responsesPayloadOf({ input: CHAT([{ type: 'input_text', text: ' ' }]) }), 'input[2]'],
];

const choose = (payload: ChatPayload, ...protocols: readonly string[]) =>
  chooseRoutes({
    models: modelsOf({
      routes: protocols.map((protocol, at) => ({
        id: `r-${at}`,
        protocol,
        capabilities: ['tools', 'stream'],
      })),
    }),
    controls: NO_CONTROLS,
    chance: () => 0,
    call: { payload, providers: PROVIDERS, request: {} },
  }).map(({ route }) => route.protocol);

describe('a blank last turn of the user', () => {
  it.each(BLANK)(
    'fails validation if only Claude could serve it, and names the message: %s %#',
    (_name, payload, at) => {
      const protocols = payload.protocol === 'anthropic' ? ['bedrock'] : ['anthropic', 'bedrock'];
      for (const protocol of protocols)
        expect(() => choose(payload, protocol)).toThrow(
          expect.objectContaining({ code: 'unsupported_by_model', message: expect.stringContaining(at) }),
        );
    },
  );

  it.each(BLANK)('goes to another candidate that takes it: %s %#', (_name, payload) => {
    expect(choose(payload, 'bedrock', 'openai', 'gemini')).toEqual(['openai', 'gemini']);
  });

  it('goes to a route of the caller’s own protocol, which decides', () => {
    expect(choose(messagesPayloadOf({ messages: CHAT(' ') }), 'anthropic')).toEqual(['anthropic']);
  });

  it.each([
    ['a first turn', [{ role: 'user', content: ' ' }]],
    ['a turn after another one of the user', [...CHAT('Hi'), { role: 'user', content: ' ' }]],
    [
      'a turn before others',
      [...CHAT(' '), { role: 'assistant', content: 'ok' }, { role: 'user', content: 'Hi' }],
    ],
    ['a turn with an image', CHAT([{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }])],
  ])('differs from %s, which Claude is sent', (_name, messages) => {
    const needs = chatPayloadOf({ messages }).fields.needs.map((need) =>
      'name' in need ? need.name : need.kind,
    );
    expect(needs).not.toContain('blank-turns');
  });
});
