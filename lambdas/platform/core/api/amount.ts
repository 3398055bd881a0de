/** Amounts of USD as callers write them. */
import * as z from 'zod';
import { MAX_AMOUNT_LENGTH, type NanoUsd, parseUsd } from '../money.ts';

const NANO_PER_USD = 1_000_000_000;

export interface AmountRange {
  readonly min: NanoUsd;
  readonly max: NanoUsd;
  /** The step of which every amount is a multiple. */
  readonly step: NanoUsd;
  /** The texts that the API's description names; each is taken. Those with an exponent or more zeros are taken, too. */
  readonly pattern: string;
}

/** Parses a number or a string as nano-USD; rejects a value outside the range. */
export function usdAmount({ min, max, step, pattern }: AmountRange) {
  const places = 9 - (String(step).length - 1);
  const [minimum, maximum] = [Number(min) / NANO_PER_USD, Number(max) / NANO_PER_USD];
  const description = `USD, with at most ${places} decimal places.`;
  return z
    .union([z.number().meta({ minimum, maximum }), z.string().max(MAX_AMOUNT_LENGTH).meta({ pattern })])
    .meta({ description })
    .transform((value) => parseUsd(value))
    .refine(
      (nano): nano is NanoUsd => nano !== undefined && nano >= min && nano <= max && nano % step === 0n,
      {
        error: `must be an amount of USD from ${minimum} to ${maximum} with at most ${places} decimal places`,
      },
    );
}
