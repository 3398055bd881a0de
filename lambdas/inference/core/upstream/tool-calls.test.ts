import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { growthOf, MAX_RATIO } from '../../../../tools/test-kit/growth.ts';
import { it } from '../../../../tools/test-kit/search.ts';
import { parseJson } from '../../../platform/core/json/lossless-json.ts';
import { legalToolCallId, ToolCallIds, toolInput } from './tool-calls.ts';

describe('an id of a tool call', () => {
  it.each(['toolu_01T1x1fJ34qAmk2tNTrN7Up6', 'call-1', 'a', 'x'.repeat(64)])(
    'stays unchanged if valid: %s',
    (id) => {
      expect(legalToolCallId(id, 64)).toBe(id);
    },
  );

  it.each(['functions.get_weather:0', '', 'x'.repeat(65), 'größe', 'a b', 'a\n', 'call|1'])(
    'becomes a legal one, the same each time: %j',
    (id) => {
      const legal = legalToolCallId(id, 64);
      expect(legal).toMatch(/^call_[a-zA-Z0-9_-]{43}$/);
      expect(legalToolCallId(id, 64)).toBe(legal);
      expect(legalToolCallId(legal, 64)).toBe(legal);
    },
  );

  it('becomes legal and differs from every other, for any length that a protocol takes', () => {
    const ids = fc.uniqueArray(fc.oneof(fc.string(), fc.string({ minLength: 30, maxLength: 90 })), {
      minLength: 2,
    });
    fc.assert(
      fc.property(ids, fc.constantFrom(40, 64), (all, maxLength) => {
        const legal = all.map((id) => legalToolCallId(id, maxLength));
        for (const id of legal) expect(id).toMatch(new RegExp(`^[a-zA-Z0-9_-]{1,${maxLength}}$`));
        expect(new Set(legal).size).toBe(all.length);
      }),
    );
  });
});

describe('the ids of the tool calls of one conversation', () => {
  it('differ for each call, even if the caller repeats one, and match those of the results', () => {
    const ids = new ToolCallIds(64);
    const first = ids.ofCall('call_0');
    expect(first).toBe('call_0');
    expect(ids.ofResult('call_0')).toBe(first);
    const [second, third] = [ids.ofCall('call_0'), ids.ofCall('call_0')];
    expect(new Set([first, second, third]).size).toBe(3);
    expect([ids.ofResult('call_0'), ids.ofResult('call_0')]).toEqual([second, third]);
  });

  it('stay legal for a result without a call', () => {
    const ids = new ToolCallIds(40);
    expect(ids.ofResult('a b')).toBe(legalToolCallId('a b', 40));
    ids.ofCall('c');
    ids.ofResult('c');
    expect(ids.ofResult('c')).toBe('c');
  });

  it('differ and fit each to its result, whatever the caller’s ids and the length that a protocol takes', () => {
    const upstreamIds = fc.array(fc.oneof(fc.constantFrom('call_0', 'f:0', ''), fc.string()));
    fc.assert(
      fc.property(upstreamIds, fc.constantFrom(40, 64), (all, maxLength) => {
        const ids = new ToolCallIds(maxLength);
        const calls = all.map((id) => ids.ofCall(id));
        for (const id of calls) expect(id).toMatch(new RegExp(`^[a-zA-Z0-9_-]{1,${maxLength}}$`));
        expect(new Set(calls).size).toBe(all.length);
        expect(all.map((id) => ids.ofResult(id))).toEqual(calls);
      }),
    );
  });

  it('take time in proportion to the calls, even of thousands under one id', async () => {
    const takeIds = (calls: number) => {
      const ids = new ToolCallIds(64);
      for (let call = 0; call < calls; call += 1) ids.ofCall('call_0');
      for (let call = 0; call < calls; call += 1) ids.ofResult('call_0');
    };
    expect(await growthOf(takeIds, 1_000)).toBeLessThan(MAX_RATIO);
  });
});

describe('the input that a call’s arguments become', () => {
  it.each([
    ['', {}],
    [' \n', {}],
    [' {"city":"Łódź"} ', { city: 'Łódź' }],
    ['{"a":', { arguments: '{"a":' }],
    ['[1]', { arguments: '[1]' }],
    ['null', { arguments: 'null' }],
    ['12345678901234567890', { arguments: '12345678901234567890' }],
    ['not json', { arguments: 'not json' }],
  ])('remains an object, whatever the arguments: %j', (text, input) => {
    expect(toolInput(text)).toEqual(input);
    expect(toolInput(text, (json) => parseJson(json, BigInt))).toEqual(input);
  });

  it('preserves long numbers if its option specifies this', () => {
    const text = '{"id":12345678901234567890}';
    expect(JSON.stringify(toolInput(text))).toBe(text);
    expect(toolInput(text, (json) => parseJson(json, BigInt))).toEqual({ id: 12345678901234567890n });
  });
});
