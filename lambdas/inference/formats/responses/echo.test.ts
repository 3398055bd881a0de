import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import {
  completeBody,
  createWriter,
  dataOf,
  readSseEvents,
} from '../../testing/completions/responses/answering.ts';
import { PLAIN_SEALED_TOKENS } from '../../testing/upstream/plain-sealed-tokens.ts';
import type { ResponsesRequest } from './request.ts';

const ASSISTANT_REPLY = {
  parts: [{ type: 'text', text: 'Hi' }],
  finish: { reason: 'stop', raw: 'stop' },
} as const;

const USAGE = { promptTokens: 1, cachedTokens: 0, completionTokens: 1 };
const REQUEST: Partial<ResponsesRequest> = {
  truncation: 'auto',
  reasoning: { effort: 'high', summary: 'auto' },
};

const optionsOf = ({ truncation, reasoning }: JsonObject) => ({ truncation, reasoning });

/** Returns what each response in a stream, and the complete response, say of the request's options. */
async function optionsFrom(losesEffort: boolean, native?: JsonObject): Promise<unknown[]> {
  const open = () => createWriter(REQUEST, PLAIN_SEALED_TOKENS, losesEffort);
  const complete = open().writer.body(
    native === undefined ? { output: ASSISTANT_REPLY } : { body: native },
    USAGE,
  );
  const call = open();
  const payloads =
    native === undefined
      ? call.writer.events({ type: 'finish', reason: 'stop', raw: 'stop' })
      : ['response.created', 'response.completed'].map((type) => ({ type, response: native }));
  const events = dataOf(await readSseEvents(payloads, call));
  const responses = events.flatMap(({ response }) =>
    response === undefined ? [] : [response as JsonObject],
  );
  return [JSON.parse(complete), ...responses].map(optionsOf);
}

describe('the request in its response', () => {
  it('shows no truncation on a route of another protocol, because nothing is left out there', async () => {
    const options = await optionsFrom(false);
    expect(options).toHaveLength(4);
    expect(new Set(options.map((each) => JSON.stringify(each)))).toEqual(
      new Set([JSON.stringify({ truncation: 'disabled', reasoning: REQUEST.reasoning })]),
    );
  });

  it('shows no effort if the route has no way to express one', async () => {
    const reasoning = { effort: null, summary: 'auto' };
    for (const each of await optionsFrom(true)) expect(each).toMatchObject({ reasoning });
  });

  it('shows the truncation and the effort that a route of the protocol reports', async () => {
    const native = { status: 'completed', truncation: 'auto', reasoning: { effort: null }, output: [] };
    for (const each of await optionsFrom(false, native))
      expect(each).toEqual({ truncation: 'auto', reasoning: { effort: null, summary: 'auto' } });
    for (const each of await optionsFrom(false, { ...native, reasoning: { effort: 'medium' } }))
      expect(each).toMatchObject({ reasoning: REQUEST.reasoning });
  });

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
