import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { modelsOf } from '../../testing/catalog/models.ts';
import { PLAIN_REQUEST } from '../../testing/fields/needs.ts';
import { affinityOf, conversationIn } from './affinity.ts';
import { chooseRoutes } from './route-choice.ts';
import { NO_CONTROLS } from './route-controls.ts';

const PEPPERS = { current: 'pepper' };
const ACCOUNT = 'acc_1';

const routesFor = (
  weights: readonly number[],
  conversation: string,
  accountId = ACCOUNT,
): readonly string[] =>
  chooseRoutes({
    models: modelsOf({ routes: weights.map((weight) => ({ weight })) }),
    controls: NO_CONTROLS,
    call: PLAIN_REQUEST,
    chance: affinityOf(PEPPERS, accountId, () => conversation),
  }).map(({ route }) => route.id);

const NO_HEADERS = new Headers();
const conversationOf = (request: object, headers: Readonly<Record<string, string>> = {}) =>
  conversationIn(new Headers(headers), request);

describe('a conversation', () => {
  it('keeps all routes in the same order at each turn', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 6 }),
        (id, weights) => {
          const routes = routesFor(weights, id);
          expect(routesFor(weights, id)).toEqual(routes);
          expect([...routes].sort()).toEqual(weights.map((_, index) => `route-${index}`));
        },
      ),
    );
  });

  it('moves only to a route that is new, when one comes', () => {
    const conversations = Array.from({ length: 500 }, (_, index) => `conversation ${index}`);
    const moved = conversations.filter(
      (one) => routesFor([1, 2, 3], one)[0] !== routesFor([1, 2, 3, 2], one)[0],
    );
    expect(new Set(moved.map((one) => routesFor([1, 2, 3, 2], one)[0]))).toEqual(new Set(['route-3']));
    expect(moved.length / conversations.length).toBeCloseTo(2 / 8, 1);
  });

  it.each([[[1, 1]], [[1, 9]], [[1, 2, 3]], [[5, 1, 1, 1]]])(
    'uses each route in proportion to its weight among many conversations: weights %j',
    (weights) => {
      const total = 4_000;
      const first = Array.from(
        { length: total },
        (_, index) => routesFor(weights, `conversation ${index}`)[0],
      );
      const sum = weights.reduce((a, b) => a + b);
      for (const [index, weight] of weights.entries()) {
        const share = first.filter((id) => id === `route-${index}`).length / total;
        // Six standard deviations.
        expect(Math.abs(share - weight / sum)).toBeLessThan(6 * Math.sqrt(0.25 / total));
      }
    },
  );

  it('follows a separate order with another account or another pepper', () => {
    const weights = Array(12).fill(1) as number[];
    expect(routesFor(weights, 'one', 'acc_2')).not.toEqual(routesFor(weights, 'one'));
    const chances = [PEPPERS, { current: 'other' }].map((peppers) =>
      affinityOf(peppers, ACCOUNT, () => 'one')({ id: 'a' }),
    );
    expect(chances[0]).not.toBe(chances[1]);
  });
});

describe('the identity of a conversation', () => {
  const opening = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Hi' },
  ];
  const otherTexts = [
    { role: 'assistant', content: 'Hello' },
    { role: 'user', content: 'And now?' },
  ];

  it.each([
    ['chat', { messages: opening }, { messages: [...opening, ...otherTexts], temperature: 1 }],
    [
      'Messages, with cache breakpoints that move',
      {
        system: 'Be brief.',
        messages: [
          { role: 'user', content: [{ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral' } }] },
        ],
      },
      {
        system: [{ type: 'text', text: 'Be brief.' }],
        messages: [{ role: 'user', content: 'Hi' }, ...otherTexts],
      },
    ],
    [
      'Responses',
      { instructions: 'Be brief.', input: 'Hi' },
      { instructions: 'Be brief.', input: [opening[1], ...otherTexts] },
    ],
    [
      'Claude Code, whose first text changes',
      {
        system: [
          { type: 'text', text: 'x-anthropic-billing-header: a' },
          { type: 'text', text: 'Be brief.' },
        ],
        messages: [opening[1]],
      },
      {
        system: [
          { type: 'text', text: 'x-anthropic-billing-header: b' },
          { type: 'text', text: 'Be brief.' },
        ],
        messages: [opening[1], ...otherTexts],
      },
    ],
  ])('equals its opening, which is the same at each turn: %s', (_, first, later) => {
    expect(conversationOf(later)).toBe(conversationOf(first));
  });

  it('includes each part of the opening, however long the other one is', () => {
    const long = 'x'.repeat(100_000);
    const strings = [
      [long, 'Hi'],
      [long, 'Ho'],
      ['Be brief.', long],
      ['Be long.', long],
    ].map(([system, content]) => conversationOf({ system, messages: [{ role: 'user', content }] }));
    expect(new Set(strings).size).toBe(4);
    expect(Math.max(...strings.map(({ length }) => length))).toBeLessThan(10_000);
  });

  it.each([
    [{ session_id: 's', prompt_cache_key: 'k' }, { 'x-session-id': 'h' }, 's'],
    [{ prompt_cache_key: 'k' }, { 'x-session-id': 'h', 'session-id': 'c' }, 'h'],
    [{}, { 'x-session-affinity': 'a' }, 'a'],
    [{}, { 'x-claude-code-session-id': 'l' }, 'l'],
    [{}, { 'session-id': 'c' }, 'c'],
    [{ session_id: '', prompt_cache_key: 'k' }, {}, 'k'],
  ])('equals the caller’s name for it, if there is one: %j %j', (fields, headers, name) => {
    expect(conversationOf({ ...fields, messages: opening }, headers)).toBe(
      conversationOf({ session_id: name }),
    );
    expect(conversationOf({ ...fields, messages: otherTexts }, headers)).toBe(
      conversationOf({ session_id: name }),
    );
  });

  it('exists for any request', () => {
    fc.assert(
      fc.property(fc.object(), (request) =>
        expect(typeof conversationIn(NO_HEADERS, request)).toBe('string'),
      ),
    );
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (messages, system) =>
        expect(typeof conversationOf({ messages, system })).toBe('string'),
      ),
    );
  });
});
