/** Instances of numbers and strings within the bounds a schema sets. */
import fc from 'fast-check';
import type { Random } from '../random.ts';
import { numberOf, patternOf, type SchemaNode } from './schema.ts';

/** Width of the range used where a schema bounds a number on one side or not at all. */
const DEFAULT_SPAN = 100;

interface Range {
  readonly min: number;
  readonly max: number;
}

/** The closed range of multiples of `step`, counted in steps, or undefined when no multiple lies within the bounds. */
function stepRange(node: SchemaNode, step: number): Range | undefined {
  const low = Math.max(numberOf(node.minimum) ?? -Infinity, numberOf(node.exclusiveMinimum) ?? -Infinity);
  const high = Math.min(numberOf(node.maximum) ?? Infinity, numberOf(node.exclusiveMaximum) ?? Infinity);
  let min = Number.isFinite(low)
    ? Math.ceil(low / step)
    : Math.min(1, Math.floor(high / step) - DEFAULT_SPAN);
  if (min * step === numberOf(node.exclusiveMinimum)) min += 1;
  let max = Number.isFinite(high) ? Math.floor(high / step) : min + DEFAULT_SPAN;
  if (max * step === numberOf(node.exclusiveMaximum)) max -= 1;
  return min <= max ? { min, max } : undefined;
}

/** The middle of a range too narrow for the usual steps. */
function midpoint(node: SchemaNode): number {
  const low = numberOf(node.minimum) ?? numberOf(node.exclusiveMinimum) ?? 0;
  const high = numberOf(node.maximum) ?? numberOf(node.exclusiveMaximum) ?? low;
  return low + (high - low) / 2;
}

/** Multiples of a decimal step such as 0.01 carry binary noise; fifteen digits is what a double holds exactly. */
const withoutNoise = (value: number): number => Number.parseFloat(value.toPrecision(15));

/** A number that satisfies the bounds and `multipleOf`; whole when `type` is `integer`. */
export function numberInstance(node: SchemaNode, type: 'integer' | 'number', random: Random): number {
  const multiple = numberOf(node.multipleOf);
  const step = multiple ?? (type === 'integer' ? 1 : 0.5);
  const range = stepRange(node, step);
  if (range === undefined) return midpoint(node);
  const value = withoutNoise(random.integer(range.min, range.max) * step);
  if (type === 'number' || Number.isInteger(value)) return value;
  return Math.ceil(range.min * step);
}

/** One well-formed example of each format of "JSON Schema Validation", section 7.3. */
const FORMATS: Readonly<Record<string, (random: Random) => string>> = {
  'date-time': (random) => `2026-03-${random.integer(10, 28)}T09:26:53Z`,
  date: (random) => `2026-03-${random.integer(10, 28)}`,
  time: (random) => `09:${random.integer(10, 59)}:53Z`,
  duration: (random) => `PT${random.integer(1, 59)}M`,
  email: (random) => `ada${random.integer(1, 999)}@example.com`,
  hostname: (random) => `host${random.integer(1, 999)}.example.com`,
  ipv4: (random) => `192.0.2.${random.integer(1, 254)}`,
  ipv6: (random) => `2001:db8::${random.integer(1, 999)}`,
  uri: (random) => `https://example.com/items/${random.integer(1, 999)}`,
  'uri-reference': (random) => `/items/${random.integer(1, 999)}`,
  uuid: (random) => `0b9f7a52-3c1d-4e8a-9f60-${String(random.integer(1, 999_999)).padStart(12, '0')}`,
};

const WORDS: readonly [string, ...string[]] = [
  'amber',
  'birch',
  'cedar',
  'delta',
  'ember',
  'fjord',
  'grove',
  'harbor',
];

/** Enough draws to meet a length bound beside a pattern in simple cases. */
const PATTERN_SAMPLES = 40;

/** A string that matches `pattern`, or undefined where the generator does not support it (look-around). */
function patternInstance(node: SchemaNode, random: Random): string | undefined {
  const pattern = node.pattern;
  if (patternOf(pattern) === undefined) return undefined;
  const min = numberOf(node.minLength) ?? 0;
  const max = numberOf(node.maxLength) ?? Number.POSITIVE_INFINITY;
  try {
    const matching = fc.stringMatching(new RegExp(`^(?:${pattern})$`, 'u'));
    const samples = fc.sample(matching, { seed: random.integer(0, 2 ** 31), numRuns: PATTERN_SAMPLES });
    return samples.find((sample) => [...sample].length >= min && [...sample].length <= max) ?? samples[0];
  } catch {
    return undefined;
  }
}

function boundedWord(node: SchemaNode, random: Random): string {
  const min = numberOf(node.minLength) ?? 0;
  const max = numberOf(node.maxLength) ?? Number.POSITIVE_INFINITY;
  let text = `${random.pick(WORDS)} ${random.integer(1, 99)}`;
  while (text.length < min) text += ` ${random.pick(WORDS)}`;
  return text.slice(0, Math.max(Math.min(max, text.length), min));
}

/** A string that satisfies the length bounds, and the format and pattern where they are ordinary. */
export function stringInstance(node: SchemaNode, random: Random): string {
  const format = typeof node.format === 'string' ? FORMATS[node.format] : undefined;
  return patternInstance(node, random) ?? format?.(random) ?? boundedWord(node, random);
}
