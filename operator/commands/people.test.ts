import { describe, expect, it } from '@jest/globals';
import { usdJson } from '../../lambdas/platform/core/money.ts';
import { forPeople } from './people.ts';

describe('the output for a person', () => {
  it('lists fields in two columns, and lists of objects as tables with a head', () => {
    const output = {
      account_id: 'acc_1',
      balance: usdJson(1_500_000_000n),
      earnings: { pending: usdJson(0n), paid_out: null },
      removed: ['acme/a', 'acme/b'],
      blocked: [],
      in_use: {},
      keys: [
        { id: 'key_1', calls: 7, policy: { daily_usd: usdJson(5n), allowed_models: ['a', 'b'] } },
        { id: 'key_long', calls: 1200, policy: {}, previous: true },
      ],
    };
    expect(forPeople(output).split('\n')).toEqual([
      'account_id              acc_1',
      'balance (USD)           1.5',
      'earnings.pending (USD)  0',
      'earnings.paid_out       -',
      'removed                 acme/a',
      '                        acme/b',
      'blocked                 -',
      'in_use                  -',
      '',
      'keys',
      'id        calls  policy                                      previous',
      'key_1         7  daily_usd 0.000000005, allowed_models a, b  -',
      'key_long   1200  -                                           true',
    ]);
  });

  it('shows times as dates, and names the unit of amounts once in each table', () => {
    const output = {
      created: 1_795_972_323,
      last_used: null,
      calls: 1_795_972_323,
      entries: [
        { amount: usdJson(-5n), expires: 1_795_972_324 },
        { amount: usdJson(1n), expires: 1_795_972_325 },
      ],
      held: [{ hold: { created: 1_795_972_323, amount: usdJson(2_000_000_000n) } }],
    };
    expect(forPeople(output).split('\n')).toEqual([
      'created    2026-11-29T17:12:03.000Z',
      'last_used  -',
      'calls      1795972323',
      '',
      'entries',
      'amount (USD)  expires',
      '-0.000000005  2026-11-29T17:12:04.000Z',
      ' 0.000000001  2026-11-29T17:12:05.000Z',
      '',
      'held',
      'hold',
      'created 2026-11-29T17:12:03.000Z, amount (USD) 2',
    ]);
  });

  it('begins with the table if there is nothing else, and shows no empty line', () => {
    expect(forPeople({ versions: [{ version: 'a', current: true }] })).toBe(
      'versions\nversion  current\na        true',
    );
    expect(forPeople({})).toBe('');
  });

  it('shows control characters as text: a name of a customer does nothing to the terminal', () => {
    const hostile = 'a\u001b[2Jb\n\u202ec';
    const text = forPeople({ name: hostile, [hostile]: 1, keys: [{ name: hostile }] });
    expect(text).not.toMatch(/[^\n\P{Cc}]|\p{Bidi_Control}/u);
    expect(text.split('\n')).toHaveLength(6);
    expect(text).toContain('a\\u001b[2Jb\\u000a\\u202ec');
  });
});
