import { describe, expect, it } from '@jest/globals';
import { attemptSpanId, callSpanId, readTraceparent, traceIdOf, validTraceparent } from './trace-context.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

describe('a traceparent', () => {
  it.each(['00', '01', 'ff'])('gives the ids and the flags that it states: %s', (flags) => {
    const value = `00-${TRACE}-${SPAN}-${flags}`;
    expect(readTraceparent(value)).toEqual({ traceId: TRACE, spanId: SPAN, flags });
    expect(validTraceparent(value)).toBe(value);
  });

  it.each([
    null,
    '',
    `01-${TRACE}-${SPAN}-01`,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01-more`,
    `00-${TRACE}-${SPAN}-01\n`,
    `00-${TRACE}-${SPAN}-1`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
    'x'.repeat(10_000),
  ])('gives nothing if it is no valid one of version 00: %#', (value) => {
    expect(readTraceparent(value)).toBeUndefined();
    expect(validTraceparent(value)).toBeUndefined();
  });
});

describe('the ids of the spans of a call', () => {
  it('fit the format, differ, and stay the same', () => {
    const ids = [
      callSpanId('req_1'),
      callSpanId('req_2'),
      attemptSpanId('req_1', 1),
      attemptSpanId('req_1', 2),
    ];
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{16}$/);
    expect(new Set(ids).size).toBe(ids.length);
    expect(traceIdOf('req_1')).toMatch(/^[0-9a-f]{32}$/);
    expect([callSpanId('req_1'), traceIdOf('req_1')]).toEqual([
      '2fac601787cc6d47',
      '350619588035379c074d1c46dda84081',
    ]);
  });
});
