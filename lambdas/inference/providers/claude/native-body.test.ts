import { describe, expect, it } from '@jest/globals';
import { allowedBetas } from '../../core/catalog/betas.ts';
import { reminderOf } from '../../core/upstream/system-reminder.ts';
import { nativeBody } from './native-body.ts';

const MANAGES = 'context-management-2025-06-27';
const DEFERS = 'advanced-tool-use-2025-11-20';
const MOVES = 'mid-conversation-system-2026-04-07';

const tool = { name: 'f', input_schema: { type: 'object' } };
const edits = { edits: [{ type: 'clear_tool_uses_20250919' }] };

const sentBeta = (
  body: object,
  betas: readonly string[] = [],
  dialect?: { system_messages?: 'first' | 'anywhere' },
) => nativeBody({ ...body }, { betas, dialect });

describe('the body of a Messages request for a route of the protocol', () => {
  it('stays unchanged if nothing in it needs a beta', () => {
    const body = {
      model: 'm',
      messages: [{ role: 'user', content: 'Hi' }],
      tools: [tool],
      later: { field: 1 },
    };
    expect(sentBeta(body)).toEqual(body);
  });

  it('gets the maximum temperature of the protocol in place of a higher one', () => {
    expect(sentBeta({ temperature: 1.5 })).toEqual({ temperature: 1 });
    expect(sentBeta({ temperature: 0.7 })).toEqual({ temperature: 0.7 });
  });

  it.each([
    [{ context_management: edits }, {}, MANAGES],
    [{ tools: [{ ...tool, defer_loading: true }] }, { tools: [tool] }, DEFERS],
    [{ tools: [{ ...tool, input_examples: [{}] }] }, { tools: [tool] }, DEFERS],
    [
      { tools: [{ ...tool, eager_input_streaming: true }] },
      { tools: [tool] },
      'fine-grained-tool-streaming-2025-05-14',
    ],
    [
      { thinking: { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } } },
      { thinking: { type: 'adaptive' } },
      'thinking-binding-controls-2026-08-01',
    ],
  ])(
    'retains the fields of a beta only with its flag, if the output is the same without them: %j',
    (body, without, beta) => {
      expect(sentBeta(body)).toEqual(without);
      expect(sentBeta(body, ['effort-2025-11-24'])).toEqual(without);
      expect(sentBeta(body, [beta])).toEqual(body);
    },
  );

  const user = (content: unknown) => ({ role: 'user', content });
  const system = (content: unknown) => ({ role: 'system', content });
  const called = { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: {} }] };
  const toolResultTurn = user([{ type: 'tool_result', tool_use_id: 't', content: 'x' }]);

  it.each([
    [
      [user('a'), system('b')],
      [user('a'), user(reminderOf('b'))],
    ],
    [
      [user('a'), called, system('b'), toolResultTurn],
      [user('a'), called, toolResultTurn, user(reminderOf('b'))],
    ],
    [
      [user('a'), called, toolResultTurn, system('b'), system('c')],
      [user('a'), called, toolResultTurn, user(reminderOf('b')), user(reminderOf('c'))],
    ],
    [
      [system('b'), user('a')],
      [user('a'), user(reminderOf('b'))],
    ],
    [
      [user('a'), system([{ type: 'text', text: 'b', cache_control: { type: 'ephemeral' } }])],
      [user('a'), user([{ type: 'text', text: reminderOf('b'), cache_control: { type: 'ephemeral' } }])],
    ],
  ])('moves a system message to the user, after the results of tools: %j', (messages, expected) => {
    expect(sentBeta({ messages })).toEqual({ messages: expected });
  });

  it('retains a system message if the route supports it', () => {
    const messages = [user('a'), system('b')];
    expect(sentBeta({ messages }, [MOVES])).toEqual({ messages });
    expect(sentBeta({ messages }, [], { system_messages: 'anywhere' })).toEqual({ messages });
  });
});

describe('the flags of a request that go to a route', () => {
  it('include only those that change neither price nor retention if the route lists none', () => {
    const body = [MANAGES, 'context-1m-2025-08-07', 'files-api-2025-04-14', 'of-tomorrow-2027-01-01', DEFERS];
    expect(allowedBetas(body, {})).toEqual([MANAGES, DEFERS]);
  });

  it('include exactly those that the route lists if it lists any', () => {
    expect(allowedBetas([MANAGES, DEFERS], { betas: [DEFERS, 'context-management-2020-01-01'] })).toEqual([
      DEFERS,
    ]);
    expect(allowedBetas([MANAGES], { betas: [] })).toEqual([]);
    expect(allowedBetas(['of-tomorrow-2027-01-01'], { betas: ['of-tomorrow-2027-01-01'] })).toHaveLength(1);
  });
});
