import { describe, expect, it } from '@jest/globals';
import {
  CAPSULES,
  type Fields,
  payloadOf,
  rejectionOf,
} from '../../testing/completions/responses/requests.ts';
import { capabilitiesOf, featuresOf, pricedFeaturesOf } from '../../testing/fields/needs.ts';

const PNG = { type: 'input_image', image_url: 'data:image/png;base64,aGk=' };
const LINKED = { type: 'input_image', image_url: 'https://example.com/a.png' };
const user = (...content: readonly unknown[]) => ({ input: [{ role: 'user', content }] });
const f = { type: 'function', name: 'f' };
const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' };
const outputOf = (...output: readonly unknown[]) => ({ type: 'function_call_output', call_id: 'c', output });
const PRIVATE = 'http://169.254.169.254/latest';

describe('the payload of a Responses request', () => {
  it('equals the request without nulls, ids, routing controls and client metadata', () => {
    const payload = payloadOf({
      input: [{ type: 'message', id: 'msg_1', status: null, role: 'assistant', content: 'Hi' }],
      models: ['c/d'],
      provider: { only: ['r'] },
      client_metadata: { session: 's' },
      instructions: null,
      max_output_tokens: 9,
      include: ['reasoning.encrypted_content'],
      new_field: 1,
    });
    expect(payload).toMatchObject({
      protocol: 'openai-responses',
      stream: false,
      fields: {
        needs: [],
        undocumented: [{ pattern: 'client_metadata' }, { pattern: 'new_field' }],
      },
    });
    expect(payload.body).toEqual({
      model: 'a/b',
      input: [{ type: 'message', role: 'assistant', content: 'Hi' }],
      store: false,
      max_output_tokens: 9,
      include: ['reasoning.encrypted_content'],
    });
    expect(payload.bodyWith?.((pattern) => pattern === 'new_field')).toEqual({
      ...payload.body,
      new_field: 1,
    });
  });

  it('leaves a string input unchanged', () => {
    expect(payloadOf({ input: 'Hi' }).body.input).toBe('Hi');
  });

  it('retains the ids of the provider’s items, to which other items refer', () => {
    const item = { type: 'mcp_approval_request', id: 'mcpr_1', arguments: '{}' };
    expect(payloadOf({ input: [item] }).body.input).toEqual([item]);
  });

  it.each<[string, unknown, string]>([
    ['store', true, 'store: false'],
    ['background', true, 'stream'],
    ['conversation', 'conv_1', 'whole conversation'],
    ['conversation', { id: 'conv_1' }, 'whole conversation'],
    ['previous_response_id', 'resp_1', 'whole conversation'],
  ])(
    'rejects a field that needs storage, with an error that states what to send instead: %s',
    (field, value, instead) => {
      const rejection = rejectionOf(() => payloadOf({ [field]: value }));
      expect(rejection).toMatchObject({ code: 'state_not_kept', param: field });
      expect(rejection.message).toContain(instead);
    },
  );

  it.each(['store', 'background', 'conversation', 'previous_response_id'])(
    'accepts a field that declares that the request needs no storage: %s',
    (field) => {
      expect(() =>
        payloadOf({ [field]: field === 'store' || field === 'background' ? false : null }),
      ).not.toThrow();
    },
  );

  it.each<[string, Fields]>([
    ['the address of a file', user({ type: 'input_file', file_url: PRIVATE })],
    ['the data of a file', user({ type: 'input_file', file_data: PRIVATE })],
    ['the data of a file, after a space', user({ type: 'input_file', file_data: ` ${PRIVATE}` })],
    ['an image', user({ ...LINKED, image_url: 'http://localhost/a.png' })],
    ['an image of a tool', { input: [call, outputOf({ ...LINKED, image_url: PRIVATE })] }],
    ['a screenshot', { input: [{ type: 'computer_call_output', output: { image_url: PRIVATE } }] }],
    [
      'a screenshot as an object',
      { input: [{ type: 'computer_call_output', output: { image_url: { url: PRIVATE } } }] },
    ],
  ])('fails validation if it contains an address in a private network: %s', (_what, fields) => {
    expect(rejectionOf(() => payloadOf(fields))).toMatchObject({ code: 'invalid_value', param: 'input' });
  });

  it.each<[string, Fields, string[]]>([
    ['tools', { tools: [f] }, ['tools']],
    ['no tools', { tools: [], tool_choice: 'auto' }, []],
    ['turns with tools', { input: [call] }, ['tools']],
    ['a schema', { text: { format: { type: 'json_schema', name: 'a', schema: {} } } }, ['json']],
    ['a text', { text: { format: { type: 'text' } } }, []],
    ['an image', user(PNG), ['vision']],
    ['an image of a tool', { input: [call, outputOf(PNG)] }, ['tools', 'vision']],
    ['a file', user({ type: 'input_file', file_data: 'QUJD' }), ['documents']],
    ['a stream', { stream: true }, ['stream']],
  ])('requires the route’s capabilities for %s', (_what, fields, needs) => {
    expect(capabilitiesOf(payloadOf(fields))).toEqual(needs);
  });

  it.each<[string, Fields, string[]]>([
    ['an image by URL', user(LINKED), ['image-urls']],
    ['a file', user({ type: 'input_file', file_data: 'QUJD' }), ['responses-items']],
    ['an item of the provider’s own', { input: [{ type: 'web_search_call' }] }, ['responses-items']],
    ['a tool of the provider’s own', { tools: [{ type: 'web_search' }] }, ['responses-items']],
    ['the choice of such a tool', { tools: [f], tool_choice: { type: 'web_search' } }, ['responses-items']],
    ['a prompt with truncation', { truncation: 'auto' }, []],
    ['a namespace', { tools: [{ type: 'namespace', name: 'n', tools: [f] }] }, []],
    [
      'a custom tool',
      { tools: [{ type: 'custom', name: 'f' }], tool_choice: { type: 'custom', name: 'f' } },
      [],
    ],
    ['reasoning', { input: [{ type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] }] }, []],
  ])('limits the routes by the features of the request: %s', (_what, fields, features) => {
    expect(featuresOf(payloadOf(fields))).toEqual(features);
  });

  it('requires a price for the sent features, but not for references', () => {
    const last = {
      type: 'reasoning',
      id: `rs_${CAPSULES.seal('items', JSON.stringify([{ ...call, id: 'fc_1' }]))}`,
    };
    const referring = payloadOf({ input: [{ type: 'item_reference', id: 'fc_1' }, last] });
    expect(pricedFeaturesOf(referring)).toEqual([]);
    expect(pricedFeaturesOf(payloadOf({ service_tier: 'flex' }))).toMatchObject([
      { kind: 'service-tier', name: 'flex' },
    ]);
    expect(pricedFeaturesOf(payloadOf({ input: [{ type: 'compaction_trigger' }] }))).toMatchObject([
      { kind: 'unpriced' },
    ]);
  });
});

describe('the bound of the output', () => {
  it('equals the caller’s bound, and no other bound replaces it', () => {
    const payload = payloadOf({ max_output_tokens: 9 });
    expect(payload).not.toHaveProperty('limitedTo');
    expect(payload.conversation().maxTokens).toBe(9);
    expect(payload.conversation()).toBe(payload.conversation());
  });

  it('receives its value later if the caller leaves it open, and no conversation exists without it', () => {
    const payload = payloadOf();
    expect(() => payload.conversation()).toThrow('no bound');
    const limited = payload.limitedTo?.(7);
    expect(limited).toMatchObject({ body: { ...payload.body, max_output_tokens: 7 } });
    expect(limited?.conversation().maxTokens).toBe(7);
    expect(payload.body).not.toHaveProperty('max_output_tokens');
  });
});
