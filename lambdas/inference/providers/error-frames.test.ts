import { describe, expect, it } from '@jest/globals';
import { FORMAT_NAMES } from '../testing/completions/received.ts';
import { play, type RouteProtocol } from '../testing/providers/played.ts';
import { ENCODINGS } from '../testing/providers/vendor-answers.ts';

const ROUTES = ['openai', 'openai-responses', 'anthropic', 'gemini'] as const;
const END: Readonly<Record<RouteProtocol, string>> = {
  openai: 'stop',
  'openai-responses': 'completed',
  anthropic: 'end_turn',
  bedrock: 'end_turn',
  gemini: 'STOP',
};

/** Frames as servers send them in the middle of a stream, some under the name of an event. */
const ERRORS: readonly (readonly [string, string])[] = [
  ['event: error, a code and a message', '{"code":500,"message":"heron"}\nevent: error'],
  ['event: error and a message', '{"message":"heron"}\nevent: error'],
  ['event: error and a text', 'heron is overloaded\nevent: error'],
  ['vLLM', '{"object":"error","message":"heron","type":"InternalServerError","param":null,"code":500}'],
  ['a code and a message', '{"code":503,"message":"heron"}'],
  ['a code as text', '{"code":"internal_error","message":"heron"}'],
  ['a status', '{"status":"500","message":"heron"}'],
  ['FastAPI', '{"detail":"heron"}'],
  ['Baidu', '{"error_code":336501,"error_msg":"heron"}'],
  ['OpenAI', '{"error":{"message":"heron","type":"server_error"}}'],
  ['a type alone', '{"type":"error","code":"server_error","message":"heron","param":null}'],
  ['a type with a null error', '{"type":"error","error":null,"message":"heron"}'],
  ['Anthropic', '{"type":"error","error":{"type":"overloaded_error","message":"heron"}}'],
];

/** A stream with another event before its end. */
function streamWith(route: RouteProtocol, event: string) {
  const { events } = ENCODINGS[route]({ text: 'half', end: END[route] }).streamed as {
    events: readonly unknown[];
  };
  const at = { openai: 1, 'openai-responses': 2, anthropic: 3, bedrock: 1, gemini: 1 }[route];
  return { events: [...events.slice(0, at), event, ...events.slice(at)] };
}

const rows = ERRORS.flatMap(([name, frame]) =>
  ROUTES.flatMap((route) => FORMAT_NAMES.map((caller) => [name, route, caller, frame] as const)),
);

describe('an error in the middle of a stream', () => {
  it.each(rows)('fails, in the form "%s", on %s for a caller of %s', async (_name, route, caller, frame) => {
    expect(await play({ caller, route }, streamWith(route, frame))).toBeUndefined();
  });
});

describe('an event that is no error', () => {
  const PAIRS = ROUTES.flatMap((route) => FORMAT_NAMES.map((caller) => [route, caller] as const));

  it.each(PAIRS)('changes nothing of a stream of %s for a caller of %s', async (route, caller) => {
    for (const event of [
      '{"type":"ping"}',
      '{"type":"heartbeat","message":"still thinking"}',
      '{"type":"heartbeat","detail":"still thinking"}',
      '{"type":"failover","message":"heron"}',
    ])
      expect(await play({ caller, route }, streamWith(route, event))).toMatchObject({ text: 'half' });
  });
});
