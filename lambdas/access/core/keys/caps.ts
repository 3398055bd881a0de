/** The caps of a key: each limits what the calls of one window may cost. */
import type { NanoUsd } from '../../../platform/core/money.ts';

export const CAPS = [
  { field: 'daily_usd', window: 'day', left: 'dayLeft', code: 'daily_usd_exceeded', period: 'a day' },
  {
    field: 'monthly_usd',
    window: 'month',
    left: 'monthLeft',
    code: 'monthly_usd_exceeded',
    period: 'a month',
  },
] as const;

export type Cap = (typeof CAPS)[number];

/** The amount that is left of each cap; less than 0 after an overrun. */
export type CapsLeft = Readonly<Record<Cap['left'], NanoUsd>>;

export const byWindow = <T>(of: (cap: Cap) => T): Readonly<Record<Cap['window'], T>> =>
  Object.fromEntries(CAPS.map((cap) => [cap.window, of(cap)])) as Record<Cap['window'], T>;

export const capsLeft = (leftOf: (cap: Cap) => NanoUsd): CapsLeft =>
  Object.fromEntries(CAPS.map((cap) => [cap.left, leftOf(cap)])) as CapsLeft;
