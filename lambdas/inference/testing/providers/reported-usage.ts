/** The common checks and generators for the usage readers of all protocols. */
import fc from 'fast-check';
import type { TokenUsage } from '../../core/pricing/token-usage.ts';

/** Every figure of an account. */
export function valuesOf(usage: TokenUsage | undefined): readonly number[] {
  const { reported: _reported, uses = {}, cacheWrites = {}, ...rest } = usage ?? {};
  return [...Object.values(uses), ...Object.values(cacheWrites), ...Object.values(rest)].filter(
    (value) => typeof value === 'number',
  );
}

/** Figures as no server should send them, among those that it may. */
export const amount: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: fc.nat(100_000) },
  fc.constantFrom<unknown[]>(
    Number.NaN,
    Number.POSITIVE_INFINITY,
    -1,
    0.5,
    2 ** 53 - 1,
    2 ** 53,
    -0,
    '7',
    '',
    null,
    undefined,
    true,
    {},
    [],
    [3],
    { a: 1 },
  ),
);

/** Values that are no account at all. */
export const noAccount: fc.Arbitrary<unknown> = fc.constantFrom(undefined, null, '10', []);

/** An account under these names, any of which may be missing. */
export const accountOf = (
  names: readonly string[],
  parts: Readonly<Record<string, fc.Arbitrary<unknown>>> = {},
): fc.Arbitrary<Record<string, unknown>> =>
  fc.record(
    { ...Object.fromEntries(names.map((name) => [name, amount])), ...parts },
    { requiredKeys: [] },
  ) as fc.Arbitrary<Record<string, unknown>>;
