import { describe, expect, it } from '@jest/globals';
import { overflowMessage } from '../../core/upstream/rejection.ts';
import { rejectionOf, rejectionOfBody } from './rejection.ts';

describe('a refusal', () => {
  it.each([
    // Claude API docs, Errors; Context windows.
    ['prompt is too long: 205000 tokens > 200000 maximum', { prompt: 205_000, window: 200_000 }],
    [
      'input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000, decrease input length or `max_tokens` and try again',
      { prompt: 190_000, output: 32_000, window: 200_000 },
    ],
    // OpenAI API, chat completions and Responses.
    [
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 130001 tokens. Please reduce the length of the messages.",
      { prompt: 130_001, window: 128_000 },
    ],
    ['Your input exceeds the context window of this model. Please adjust your input and try again.', {}],
    // vLLM.
    [
      "'max_tokens' or 'max_completion_tokens' is too large: 2000. This model's maximum context length is 4096 tokens and your request has 2104 input tokens (2000 > 4096 - 2104).",
      { prompt: 2_104, window: 4_096 },
    ],
    ['Input is too long for requested model.', {}],
    [
      'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
      { prompt: 1_200_000, window: 1_048_576 },
    ],
    [
      'This model’s maximum prompt length is 131072 but the request contains 140000 tokens.',
      { window: 131_072 },
    ],
    ['the request exceeds the available context size, try increasing it', {}],
    ['Please reduce the length of the messages or completion.', {}],
    // Kimi, LM Studio, MiniMax and others, as public clients know them.
    ['Invalid request: Your request exceeded model token limit: 131072', {}],
    ['The number of tokens to keep from the initial prompt is greater than the context length.', {}],
    ['invalid params, context window exceeds limit (2013)', {}],
    ['context_length_exceeded', {}],
    ['the context length exceeded what the server has', {}],
  ])('reports an overflow, with the values that the route reports: %s', (message, values) => {
    expect(rejectionOf(400, message).overflow).toEqual(values);
  });

  it('reports an overflow by its code alone', () => {
    expect(rejectionOf(413, '', 'context_length_exceeded').overflow).toEqual({});
  });

  it('reports a filter by its code only', () => {
    const message = 'the prompt triggered a filter';
    expect(rejectionOfBody(400, { error: { message, code: 'content_filter' } }).filtered).toBe(true);
    expect(rejectionOfBody(400, { error: { message, code: null } })).not.toHaveProperty('filtered');
  });

  it.each([
    'max_tokens: 300000 > 64000',
    'messages: at least one message is required',
    'prompt is missing',
    undefined,
  ])('reports no overflow for another reason: %s', (message) => {
    expect(rejectionOf(400, message)).not.toHaveProperty('overflow');
  });

  it.each([
    [{ error: { message: 'Field required', code: null } }],
    [{ error: 'Field required' }],
    [{ detail: 'Field required' }],
    [{ detail: [{ loc: ['body'], msg: 'Field required' }] }],
    [{ message: 'Field required' }],
  ])('contains the reason from any field of a server: %j', (body) => {
    expect(rejectionOfBody(400, body)).toEqual({ reason: 'Field required' });
  });

  it.each([undefined, null, [], 'x', {}, { error: null }, { detail: [] }, { error: { message: 7 } }])(
    'contains no reason if there is none: %j',
    (body) => {
      expect(rejectionOfBody(400, body)).toEqual({ reason: '' });
    },
  );
});

describe('the message of an overflow', () => {
  it('contains the values that Claude Code reads, and the text that clients of OpenAI search for', () => {
    const message = overflowMessage({ prompt: 205_000, window: 200_000 });
    expect(message).toMatch(/prompt is too long[^0-9]*(\d+)\s*tokens?\s*>\s*(\d+)/i);
    expect(message).toMatch(/maximum context length is \d+ tokens/);
  });

  it('suggests less output if only the output is too large', () => {
    expect(overflowMessage({ prompt: 190_000, output: 32_000, window: 200_000 })).toMatch(
      /input length and `max_tokens` exceed context limit: (\d+) \+ (\d+) > (\d+)/,
    );
  });

  it.each([{}, { window: 10 }, { prompt: 10 }, { output: 3, window: 4 }])(
    'starts with the same sentence for any known values: %j',
    (overflow) => {
      expect(overflowMessage(overflow)).toMatch(
        /^prompt is too long: it exceeds the context window of this model\./,
      );
    },
  );

  it.each([401, 403, 404, 413, 422, 429, 500])(
    'contains no text of a status other than 400: %i',
    (status) => {
      const body = { error: { message: 'prompt is too long: 9 tokens > 8 maximum, says heron' } };
      expect(rejectionOfBody(status, body)).toEqual({ reason: '', overflow: { prompt: 9, window: 8 } });
    },
  );
});
