import { describe, expect, it } from '@jest/globals';
import {
  LINKED,
  PNG,
  request,
  toolTurns,
  withBlocks,
} from '../../testing/completions/messages/request-fixture.ts';
import { capabilitiesOf, featuresOf } from '../../testing/fields/needs.ts';
import { NO_SEALED_TOKENS } from '../../testing/upstream/no-sealed-tokens.ts';
import { toPayload as payloadOf } from './payload.ts';

const toPayload = (messagesRequest: ReturnType<typeof request>) =>
  payloadOf(messagesRequest, NO_SEALED_TOKENS);
const user = (...content: readonly object[]) => ({ messages: [{ role: 'user', content }] });
const bodyOf = (fields: Record<string, unknown>) => toPayload(request(fields)).body;
const tool = { name: 'f', input_schema: { type: 'object' } };

describe('the payload of a Messages request', () => {
  it('equals the request with the interface’s defaults, without nulls and without the routing controls', () => {
    const payload = toPayload(
      request({ system: null, models: ['c/d'], provider: { only: ['r'] }, service_tier: 'auto' }),
    );
    expect(payload).toMatchObject({
      protocol: 'anthropic',
      stream: false,
      fields: { needs: [], undocumented: [], unconvertedFields: new Set(['service_tier']) },
    });
    expect(payload.body).toEqual({
      model: 'a/b',
      messages: [{ role: 'user', content: 'Hi' }],
      max_tokens: 256,
      temperature: 0.7,
      service_tier: 'auto',
    });
  });

  it('excludes a default temperature next to fields with which Claude rejects one', () => {
    expect(bodyOf({ top_p: 0.9 })).not.toHaveProperty('temperature');
    expect(bodyOf({ thinking: { type: 'adaptive' } })).not.toHaveProperty('temperature');
    expect(bodyOf({ thinking: { type: 'disabled' } })).toMatchObject({ temperature: 0.7 });
    expect(bodyOf({ top_p: 0.9, temperature: 0 })).toMatchObject({ top_p: 0.9, temperature: 0 });
  });

  it('excludes a top_p of 1, which has no effect, so that the route accepts a temperature next to it', () => {
    const body = bodyOf({ top_p: 1, temperature: 0.2 });
    expect(body).toMatchObject({ temperature: 0.2 });
    expect(body).not.toHaveProperty('top_p');
  });

  it.each<[string, Record<string, unknown>, string[]]>([
    ['tools', { tools: [tool] }, ['tools']],
    ['an empty list of tools', { tools: [] }, []],
    ['a tool choice', { tool_choice: { type: 'none' } }, ['tools']],
    ['tool turns', { messages: toolTurns({}, {}) }, ['tools']],
    ['an output format', { output_config: { format: { type: 'json_schema', schema: {} } } }, ['json']],
    ['an image', user(PNG), ['vision']],
    ['an image in a result', { messages: toolTurns({}, { content: [PNG] }) }, ['tools', 'vision']],
    ['a stream', { stream: true }, ['stream']],
  ])('requires the route’s capabilities for %s', (_what, fields, needs) => {
    expect(capabilitiesOf(toPayload(request(fields)))).toEqual(needs);
  });

  it.each<[string, Record<string, unknown>, string[]]>([
    ['an image by URL', user(LINKED), ['image-urls']],
    ['an image by URL in a result', { messages: toolTurns({}, { content: [LINKED] }) }, ['image-urls']],
    ['a server tool', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }, ['messages-blocks']],
    ['a custom tool', { tools: [{ ...tool, type: 'custom' }] }, []],
    ['an unknown block', user({ type: 'new' }), ['messages-blocks']],
    [
      'an unknown block in a result',
      { messages: toolTurns({}, { content: [{ type: 'tool_reference' }] }) },
      ['messages-blocks'],
    ],
    ['a document', user({ type: 'document', source: { type: 'text', data: '' } }), ['messages-blocks']],
    ['stop sequences', { stop_sequences: ['a'] }, ['stop-sequences']],
    ['no stop sequences', { stop_sequences: [] }, []],
    ['MCP servers', { mcp_servers: [{ type: 'url' }] }, ['messages-blocks']],
    ['no MCP servers', { mcp_servers: [] }, []],
    ['a container', { container: 'c' }, ['messages-blocks']],
    [
      'thoughts, which other protocols do not need',
      {
        thinking: { type: 'adaptive' },
        messages: [
          { role: 'assistant', content: [{ type: 'thinking', thinking: 'x', signature: 's' }] },
          { role: 'assistant', content: [{ type: 'redacted_thinking', data: 'x' }] },
        ],
      },
      [],
    ],
    ['cache breakpoints', { cache_control: { type: 'ephemeral' } }, []],
  ])('limits the routes by the features of the request: %s', (_what, fields, features) => {
    expect(featuresOf(toPayload(request(fields)))).toEqual(features);
  });

  const PRIVATE = { type: 'url', url: 'http://169.254.169.254/latest' };
  const fetchedPage = (source: object) => ({
    type: 'web_fetch_tool_result',
    tool_use_id: 'srvtoolu_1',
    content: { type: 'web_fetch_result', url: 'https://example.com', content: { type: 'document', source } },
  });

  it.each([
    ['an image', user({ type: 'image', source: PRIVATE })],
    ['a document', user({ type: 'document', source: PRIVATE })],
    ['an image in a result', { messages: toolTurns({}, { content: [{ type: 'image', source: PRIVATE }] }) }],
    ['a page that a tool of the provider has fetched', user(fetchedPage(PRIVATE))],
    ['such a page without a type', user(fetchedPage({ url: PRIVATE.url }))],
    ['such a page within an array', user(fetchedPage([PRIVATE]))],
  ])('fails validation if it contains an address in a private network: %s', (_what, fields) => {
    expect(() => toPayload(request(fields))).toThrow(/public internet/);
  });

  it('creates the conversation once', () => {
    const payload = toPayload(withBlocks(PNG));
    expect(payload.conversation()).toBe(payload.conversation());
  });
});
