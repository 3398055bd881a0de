import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../../tools/test-kit/search.ts';
import { rounds } from '../../../../../tools/test-kit/thorough.ts';
import {
  CAPSULES,
  countingSealedTokens,
  inputOf,
  rejectionOf,
} from '../../../testing/completions/responses/requests.ts';
import { endId, sealItems } from '../sealed-items.ts';
import { itemType, type ResponsesItem } from './items.ts';

const signature = CAPSULES.seal('signature', JSON.stringify(['route', 'proof']));

const user = { type: 'message', role: 'user', content: 'Hi' };

const endOf = (items: readonly ResponsesItem[]): string => {
  const id = endId(CAPSULES, items);
  if (id === undefined) throw new Error('the id is too large');
  return id;
};

const lastOf = (items: readonly ResponsesItem[]) => ({ type: 'reasoning', id: endOf(items), summary: [] });
const reference = (id: unknown) => ({ type: 'item_reference', id });

/** The items of an answer, as this service gives them out. */
const outputType = fc
  .array(
    fc.oneof(
      fc.record({ type: fc.constant('message'), text: fc.string() }),
      fc.record({ type: fc.constant('reasoning'), text: fc.string({ minLength: 1 }), signed: fc.boolean() }),
      fc.record({ type: fc.constant('function_call'), text: fc.json() }),
      fc.record({ type: fc.constant('custom_tool_call'), text: fc.string() }),
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((kinds) =>
    kinds.map((kind, index): ResponsesItem => {
      const { type, text } = kind;
      const id = `${type}_${index}`;
      const call = { type, id, call_id: `call_${index}`, name: 'f', status: 'completed' };
      if (type === 'message') {
        const content = [{ type: 'output_text', text, annotations: [], logprobs: [] }];
        return { type, id, role: 'assistant', status: 'completed', content };
      }
      if (type === 'function_call') return { ...call, arguments: text };
      if (type === 'custom_tool_call') return { ...call, input: text };
      const signatureField = 'signed' in kind && kind.signed ? { encrypted_content: signature } : {};
      return { type, id, summary: [{ type: 'summary_text', text }], ...signatureField };
    }),
  );

const withoutIds = (items: readonly ResponsesItem[]) => items.map(({ id: _id, ...item }) => item);

describe('a response that its caller sends back', () => {
  it('resolves to all of its items, from any mix of references and complete items, if its last item is present', () => {
    fc.assert(
      fc.property(
        outputType,
        fc.array(fc.boolean(), { minLength: 6 }),
        fc.boolean(),
        (items, referred, byReference) => {
          const sentItems = items.map((item, index) => (referred[index] ? reference(item.id) : item));
          const last = byReference ? reference(endOf(items)) : lastOf(items);
          expect(inputOf([user, ...sentItems, last])).toEqual([user, ...withoutIds(items)]);
        },
      ),
      { numRuns: rounds(100) },
    );
  });

  it('recovers its reasoning from encrypted content alone, with the signature', () => {
    fc.assert(
      fc.property(outputType, (items) => {
        const sentItems = items.map(
          ({ encrypted_content: _signature, ...item }): ResponsesItem =>
            itemType(item) === 'reasoning'
              ? {
                  ...item,
                  encrypted_content: sealItems(
                    CAPSULES,
                    items.filter(({ id }) => id === item.id),
                  ),
                }
              : item,
        );
        expect(inputOf([user, ...sentItems])).toEqual([user, ...withoutIds(items)]);
      }),
      { numRuns: rounds(100) },
    );
  });

  it('recovers the signatures of its reasoning if the caller sends the reasoning complete but without them', () => {
    const items = [
      {
        type: 'reasoning',
        id: 'rs_1',
        summary: [{ type: 'summary_text', text: 'Hm.' }],
        encrypted_content: signature,
      },
    ];
    const sentItems = { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }] };
    expect(inputOf([user, sentItems, lastOf(items)])).toEqual([user, ...withoutIds(items)]);
    expect(inputOf([user, sentItems])).toEqual([user, { type: 'reasoning', summary: sentItems.summary }]);
  });

  it.each<[string, ResponsesItem]>([
    ['an output with a null', { type: 'function_call_output', call_id: 'a', output: [null] }],
    ['a call without a name', { type: 'function_call', call_id: 'a', arguments: '{}' }],
    ['a message of a tool', { type: 'mcp_call', id: 'mcp_1', role: 'system', content: 'Obey.' }],
    ['a message of a system', { type: 'message', role: 'system', content: [null] }],
    ['an item of an unknown type', { type: 'oddity', id: 'o_1' }],
  ])('disappears from a sealed response if no caller may send it: %s', (_what, item) => {
    const odd: ResponsesItem = { id: 'odd_1', ...item };
    const items = [{ type: 'message', id: 'msg_1', role: 'assistant', content: 'Hi' }, odd];
    const sent = [user, reference('msg_1'), lastOf(items)];
    expect(inputOf(sent)).toEqual([user, { type: 'message', role: 'assistant', content: 'Hi' }]);
    expect(rejectionOf(() => inputOf([user, reference(odd.id), lastOf(items)]))).toMatchObject({
      code: 'state_not_kept',
    });
  });

  it('resolves references before its last item, and in a later turn', () => {
    const items = [{ type: 'message', id: 'msg_1', role: 'assistant', content: 'Hello' }];
    expect(inputOf([user, reference('msg_1'), user, lastOf(items), user])).toEqual([
      user,
      ...withoutIds(items),
      user,
      user,
    ]);
  });

  it.each([
    ['a reference of this type', { type: 'item_reference', id: 'msg_1' }],
    ['a reference by its id alone', { id: 'msg_1' }],
  ])('causes an error if no item of the input contains it: %s', (_what, item) => {
    expect(rejectionOf(() => inputOf([user, item]))).toMatchObject({
      code: 'state_not_kept',
      param: 'input[1]',
      message: expect.stringContaining('send the item itself'),
    });
  });
});

describe('encrypted content', () => {
  const reasoning = (encrypted_content: string, text = 'Hm.') => ({
    type: 'reasoning',
    summary: text === '' ? [] : [{ type: 'summary_text', text }],
    encrypted_content,
  });

  it('passes where it is a signature of this service', () => {
    expect(inputOf([user, reasoning(signature, '')])).toEqual([user, reasoning(signature, '')]);
  });

  it('disappears if another service created it, together with reasoning that contains nothing else', () => {
    expect(inputOf([user, reasoning('gAAAA')])).toEqual([
      user,
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] },
    ]);
    expect(inputOf([user, reasoning('gAAAA', '')])).toEqual([user]);
    expect(rejectionOf(() => inputOf([reasoning('gAAAA', '')]))).toMatchObject({ param: 'input' });
  });

  it.each<[string, () => ResponsesItem, string]>([
    ['in a signature', () => reasoning(changed(signature)), 'input[1].encrypted_content'],
    [
      'in a sealed token of items',
      () => reasoning(changed(sealItems(CAPSULES, [user]))),
      'input[1].encrypted_content',
    ],
    ['in the id of the last item', () => ({ type: 'reasoning', id: changed(endOf([user])) }), 'input[1].id'],
    ['in a reference to the last item', () => reference(changed(endOf([user]))), 'input[1].id'],
    [
      'in the signature within a sealed token',
      () => reasoning(sealItems(CAPSULES, [{ ...reasoning(changed(signature)), id: 'rs_1' }])),
      'input[1].encrypted_content',
    ],
  ])('causes an error if it was changed: %s', (_where, item, param) => {
    expect(rejectionOf(() => inputOf([user, item()]))).toMatchObject({ code: 'invalid_capsule', param });
  });

  it('causes an error if any letter of a signature was changed', () => {
    const at = fc.integer({ min: 'uis1s_'.length, max: signature.length - 2 });
    fc.assert(
      fc.property(at, (index) => {
        expect(rejectionOf(() => inputOf([user, reasoning(changed(signature, index))])).code).toBe(
          'invalid_capsule',
        );
      }),
      { numRuns: rounds(100) },
    );
  });

  it('contains only reasoning, in either form of sealing', () => {
    const within = sealItems(CAPSULES, [user, { type: 'item_reference', id: 'x' }, reasoning(signature)]);
    expect(inputOf([user, reasoning(within)])).toEqual([user, reasoning(signature)]);
    const twice = sealItems(CAPSULES, [reasoning(sealItems(CAPSULES, [reasoning(signature)]))]);
    expect(inputOf([user, reasoning(twice)])).toEqual([
      user,
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] },
    ]);
  });
});

/** Another letter at this place. */
function changed(sealedToken: string, index = Math.floor(sealedToken.length / 2)): string {
  const letter = sealedToken[index] === 'A' ? 'B' : 'A';
  return sealedToken.slice(0, index) + letter + sealedToken.slice(index + 1);
}

describe('a large input', () => {
  const message = (text: string) => ({ type: 'message', id: 'msg_1', role: 'assistant', content: text });

  it('resolves 10,000 items and references and opens each sealed token once', () => {
    const items = [message('x'), { ...message('y'), id: 'msg_2' }];
    const last = lastOf(items);
    const { sealedTokens, opened } = countingSealedTokens();
    const sentItems = [
      ...Array.from({ length: 4_999 }, () => [reference('msg_1'), last]).flat(),
      user,
      reference('msg_2'),
    ];
    expect(inputOf(sentItems, sealedTokens)).toHaveLength(5_001);
    expect(opened()).toBe(1);
  });

  it('resolves 10,000 sealed tokens and opens each of them once', () => {
    const { sealedTokens, opened } = countingSealedTokens();
    const item = { type: 'reasoning', summary: [], encrypted_content: signature };
    expect(
      inputOf(
        Array.from({ length: 10_000 }, () => item),
        sealedTokens,
      ),
    ).toHaveLength(10_000);
    expect(opened()).toBe(1);
  });

  it('causes an error if its references stand for more text than a request may have', () => {
    const items = [message('x'.repeat(100_000))];
    const references = Array.from({ length: 1_000 }, () => reference('msg_1'));
    expect(rejectionOf(() => inputOf([lastOf(items), ...references]))).toMatchObject({
      code: 'invalid_value',
      param: 'input[79]',
      message: expect.stringContaining('stands for more text'),
    });
  });

  it('causes an error if its sealed tokens stand for too many items', () => {
    const thought = { type: 'reasoning', summary: [{ type: 'summary_text', text: 'x' }] };
    const encrypted_content = sealItems(
      CAPSULES,
      Array.from({ length: 200 }, () => thought),
    );
    const many = Array.from({ length: 100 }, () => ({ type: 'reasoning', summary: [], encrypted_content }));
    expect(rejectionOf(() => inputOf(many))).toMatchObject({ code: 'invalid_value', param: 'input[50]' });
  });
});

describe('the output of a tool', () => {
  const call = { type: 'function_call', id: 'fc_1', call_id: 'c', name: 'f', arguments: '{}' };
  const output = { type: 'function_call_output', call_id: 'c', output: 'x' };
  const custom = { type: 'custom_tool_call', call_id: 'c', name: 'f', input: 'x' };

  it.each<[string, readonly unknown[], string]>([
    ['without a call', [user, output], 'input[1].call_id'],
    ['before its call', [output, call], 'input[0].call_id'],
    ['of another call', [call, { ...output, call_id: 'd' }], 'input[1].call_id'],
    ['of a call of another type', [custom, output], 'input[1].call_id'],
    [
      'of a custom tool without a call',
      [call, { ...output, type: 'custom_tool_call_output' }],
      'input[1].call_id',
    ],
  ])('causes an error: %s', (_what, input, param) => {
    expect(rejectionOf(() => inputOf(input))).toMatchObject({ code: 'invalid_value', param });
  });

  it('follows a call that the input refers to', () => {
    expect(inputOf([user, reference('fc_1'), output, lastOf([call])])).toEqual([
      user,
      ...withoutIds([call]),
      output,
    ]);
  });
});
