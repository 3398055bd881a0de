import { describe, expect, it } from '@jest/globals';
import { type ChatPayload, UpstreamFailure } from '../../core/upstream/provider.ts';
import { toPayload } from '../../formats/chat/payload.ts';
import type { ChatRequest } from '../../formats/chat/request.ts';
import { CALL, IDENTITY, jsonOf, nativePayload } from '../../testing/providers/openai/fixtures.ts';
import { SIGNATURES } from '../../testing/providers/sealing.ts';
import { NO_SEALED_TOKENS } from '../../testing/upstream/no-sealed-tokens.ts';
import { textOf } from './content.ts';
import { toRequestBody } from './request.ts';
import { toRouteResponse } from './response.ts';
import { toUsage } from './usage.ts';

const messages = [{ role: 'user', content: 'Hi' }];

const payload = (body: Record<string, unknown>, stream: boolean): ChatPayload =>
  nativePayload({ model: 'sim/chat', messages, ...body }, stream);

const sentFor = (request: ChatPayload) =>
  toRequestBody(request, { upstream_model: 'm', reasoning: false }, SIGNATURES);

describe('the request sent to an OpenAI-compatible server', () => {
  it('equals the caller’s request, including fields unknown to the service, under the route’s model name', () => {
    const body = {
      temperature: 0,
      stop: ['\n'],
      logprobs: true,
      metadata: { trace: 'a' },
      vendor_extension: { nested: [1, null] },
    };
    expect(sentFor(payload(body, false))).toEqual({
      ...body,
      model: 'm',
      messages,
      stream: false,
    });
  });

  it('requests usage of a stream, whatever the caller requests', () => {
    const streamOptions = [undefined, null, {}, { include_usage: false }, { include_usage: true }];
    for (const options of streamOptions) {
      expect(sentFor(payload({ stream_options: options }, true))).toEqual({
        model: 'm',
        messages,
        stream: true,
        stream_options: { include_usage: true },
      });
    }
  });

  it('retains the caller’s other stream options', () => {
    const body = sentFor(payload({ stream_options: { include_obfuscation: false } }, true));
    expect(body.stream_options).toEqual({ include_obfuscation: false, include_usage: true });
  });

  it('omits stream options without a stream, because servers reject them', () => {
    const body = sentFor(payload({ stream: true, stream_options: { include_usage: true } }, false));
    expect(body).toEqual({ model: 'm', messages, stream: false });
  });

  it('changes nothing of the caller’s request itself', () => {
    const body = payload({ stream_options: { include_obfuscation: true } }, true);
    const before = structuredClone(body.body);
    sentFor(body);
    expect(body.body).toEqual(before);
  });

  it('contains the service’s defaults and none of its controls', () => {
    const request: ChatRequest = {
      model: 'sim/chat',
      models: ['sim/chat-large'],
      provider: { order: ['sim-a'], only: [], ignore: [], allow_fallbacks: true },
      messages: [
        { role: 'developer', content: 'Be brief.' },
        { role: 'user', content: 'Hi' },
      ],
      stream: true,
      stream_options: null,
      top_p: null,
      seed: 7,
    };
    expect(sentFor(toPayload(request, NO_SEALED_TOKENS))).toEqual({
      model: 'm',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hi' },
      ],
      stream: true,
      stream_options: { include_usage: true },
      temperature: 0.7,
      max_tokens: 256,
      seed: 7,
    });
  });
});

describe('a complete response', () => {
  const completion = jsonOf('completion');

  it('preserves everything except usage and vendor details, under our id and model', () => {
    const { system_fingerprint: _backend, x_vendor: _vendor, usage: _usage, ...kept } = completion;
    expect(toRouteResponse(completion, CALL)).toEqual({
      kind: 'json',
      completeResponse: { body: { ...kept, ...IDENTITY } },
      outputText: 'get_weather{"city":"Łódź"}get_time{}Grüße, 世界Hm. ',
      usage: {
        promptTokens: 19,
        cachedTokens: 16,
        completionTokens: 14,
        reasoningTokens: 2,
        serviceTier: 'standard',
        reported: completion.usage,
      },
    });
  });

  it('becomes a chat completion, whatever type the server reports', () => {
    const { object: _object, ...unnamed } = completion;
    expect(toRouteResponse(unnamed, CALL).completeResponse).toMatchObject({
      body: { object: 'chat.completion' },
    });
    const renamed = toRouteResponse({ ...completion, object: 'text' }, CALL);
    expect(renamed.completeResponse).toMatchObject({ body: { object: 'chat.completion' } });
  });

  it('succeeds without usage', () => {
    const { usage: _usage, ...uncounted } = completion;
    expect(toRouteResponse(uncounted, CALL).usage).toBeUndefined();
  });

  it.each([
    [null],
    ['text'],
    [42],
    [[]],
    [{}],
    [{ choices: [] }],
    [{ choices: {} }],
    [{ choices: [null] }],
    [{ choices: [{}] }],
    [{ choices: [{ message: null }] }],
    [{ choices: [{ message: 'text' }] }],
    [{ error: { message: 'heron-7f3a' } }],
  ])('causes a protocol failure if it is not a chat completion: %j', (body) => {
    expect(() => toRouteResponse(body, CALL)).toThrow(UpstreamFailure);
    expect(() => toRouteResponse(body, CALL)).toThrow(/^upstream failure: protocol$/);
  });
});

describe('the output text', () => {
  it.each([
    [{}, ''],
    [{ content: null }, ''],
    [{ content: 'a', refusal: 'b', reasoning_content: 'c' }, 'abc'],
    [{ reasoning: 'd' }, 'd'],
    [{ content: [{ type: 'text', text: 'parts' }] }, ''],
    [{ tool_calls: [{ function: { name: 'f', arguments: '{}' } }, { function: {} }, {}, null] }, 'f{}'],
    [{ tool_calls: 'none' }, ''],
  ])('includes everything that a caller would be billed for: %j', (output, text) => {
    expect(textOf(output)).toBe(text);
  });
});

describe('reported usage', () => {
  it.each([
    [{ cached_tokens: 99 }, 10],
    [{ cached_tokens: -1 }, 0],
    [{ cached_tokens: 1.5 }, 0],
    [{ cached_tokens: '4' }, 0],
    [{}, 0],
    [null, 0],
  ])('never counts more cached tokens than there are, nor nonsense: %j', (details, cachedTokens) => {
    const reported = { prompt_tokens: 10, completion_tokens: 0, prompt_tokens_details: details };
    expect(toUsage(reported, true)?.cachedTokens).toBe(cachedTokens);
  });
});
