import { describe, expect, it } from '@jest/globals';
import { SUBSCRIBABLE_TYPES } from './event.ts';
import { description, eventTypes } from './subscription.ts';

const [TYPE] = SUBSCRIBABLE_TYPES;

describe('a subscription', () => {
  it.each([
    ['', true],
    ['x'.repeat(256), true],
    ['x'.repeat(257), false],
    ['half \ud83d', false],
  ])('accepts a description of up to 256 characters; %j is valid: %j', (text, isTaken) => {
    expect(description.safeParse(text).success).toBe(isTaken);
  });

  it('names each type of event once', () => {
    expect(eventTypes.parse([TYPE, TYPE])).toEqual([TYPE]);
    expect(eventTypes.safeParse([]).success).toBe(false);
    expect(eventTypes.safeParse(['no.such']).success).toBe(false);
  });
});
