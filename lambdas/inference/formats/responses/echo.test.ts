import { describe, expect, it } from '@jest/globals';
import { completeBody } from '../../testing/completions/responses/answering.ts';

const ASSISTANT_REPLY = {
  parts: [{ type: 'text', text: 'Hi' }],
  finish: { reason: 'stop', raw: 'stop' },
} as const;

describe('the request in its response', () => {
  it('contains every required field of a function, with null for a field that the caller omitted', () => {
    const parameters = { type: 'object', properties: {} };
    const custom = { type: 'custom', name: 'patch' };
    const { tools } = completeBody(ASSISTANT_REPLY, {
      tools: [
        { type: 'function', name: 'now' },
        { type: 'function', name: 'weather', description: 'The weather.', parameters, strict: true },
        custom,
      ],
    });
    expect(tools).toEqual([
      { type: 'function', name: 'now', description: null, parameters: null, strict: null },
      { type: 'function', name: 'weather', description: 'The weather.', parameters, strict: true },
      custom,
    ]);
  });

  it('contains every required field of a schema format', () => {
    const format = { type: 'json_schema' as const, name: 'person', schema: { type: 'object' } };
    const { text } = completeBody(ASSISTANT_REPLY, { text: { format, verbosity: 'low' } });
    expect(text).toEqual({ format: { ...format, description: null, strict: false }, verbosity: 'low' });
    expect(completeBody(ASSISTANT_REPLY, {}).text).toEqual({ format: { type: 'text' } });
  });
});
