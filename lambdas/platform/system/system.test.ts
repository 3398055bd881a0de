import { describe, expect, it } from '@jest/globals';
import { decodeTime } from 'ulid';
import { systemAfter, systemClock, systemRandom, systemUlid } from './system.ts';

describe('identifiers', () => {
  it('follow the ULID format with the current time, without duplicates, in the order of creation', () => {
    const before = systemClock();
    const ids = Array.from({ length: 10_000 }, () => systemUlid());
    expect(new Set(ids).size).toBe(ids.length);
    expect([...ids].sort()).toEqual(ids);
    for (const id of ids) expect(id).toMatch(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
    expect(decodeTime(ids[0] ?? '')).toBeGreaterThanOrEqual(before);
    expect(decodeTime(ids.at(-1) ?? '')).toBeLessThanOrEqual(systemClock() + 1_000);
  });
});

describe('chance', () => {
  it('ranges from 0, inclusive, to 1, exclusive', () => {
    for (let draw = 0; draw < 1_000; draw += 1) {
      const value = systemRandom();
      expect(value >= 0 && value < 1).toBe(true);
    }
  });
});

describe('a timer', () => {
  it('runs once, unless it is called off', async () => {
    const ran: string[] = [];
    systemAfter(5, () => ran.push('first'));
    systemAfter(5, () => ran.push('called off'))();
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(ran).toEqual(['first']);
  });
});
