import { describe, expect, it } from '@jest/globals';
import { nativePayloadOf } from '../../testing/providers/payloads.ts';
import { responseBytes } from './response-bytes.ts';

const MB = 1024 * 1024;
const payload = nativePayloadOf('openai');

describe('the bound of a chat response', () => {
  it('grows with the tokens of all choices, and with what the request adds to each', () => {
    expect(responseBytes(payload(), 5)).toBe(MB + 5 * 64);
    expect(responseBytes(payload({}, true), 5)).toBe(16 * MB + 5 * 1024);
    expect(responseBytes(payload({ logprobs: true }), 5)).toBe(MB + 5 * (64 + 4_096));
    expect(responseBytes(payload({ modalities: ['text', 'image'] }), 5)).toBe(33 * MB + 5 * 64);
  });
});
