import { describe, expect, it } from '@jest/globals';
import { resourceFromAttributes } from '@opentelemetry/resources';
import * as conventions from '@opentelemetry/semantic-conventions/incubating';
import { CALLS } from '../testing/calls.ts';
import { ATTRIBUTE_TYPES, METRIC_UNITS } from '../testing/conventions.ts';
import { metricsOf } from './call-metrics.ts';
import { spansOf } from './call-spans.ts';

const published = (prefix: string): ReadonlySet<unknown> =>
  new Set(Object.entries(conventions).flatMap(([name, value]) => (name.startsWith(prefix) ? [value] : [])));

const OURS = 'unified_inference.';

const source = { resource: resourceFromAttributes({}), instrumentationScope: { name: 'test' } };

const exported = (names: 'stable' | 'both') => {
  const spans = CALLS.flatMap((call) => spansOf(call, names, source));
  const metrics = metricsOf(CALLS, names);
  const points = metrics.flatMap(({ dataPoints }) => dataPoints.map(({ attributes }) => attributes));
  return { metrics, attributes: [...spans.map(({ attributes }) => attributes), ...points] };
};

const isOfType = (value: unknown, type: string | undefined): boolean => {
  if (type === 'int') return Number.isInteger(value);
  if (type === 'double') return typeof value === 'number';
  return typeof value === (type === 'enum' ? 'string' : type);
};

describe('the names of the conventions', () => {
  const all = published('ATTR_');

  it.each(['stable', 'both'] as const)(
    'include every attribute of spans and points with its type: %s',
    (names) => {
      const entries = exported(names).attributes.flatMap((attributes) => Object.entries(attributes));
      const wrong = entries.filter(
        ([name, value]) =>
          !name.startsWith(OURS) && !(all.has(name) && isOfType(value, ATTRIBUTE_TYPES[name])),
      );
      expect(wrong).toEqual([]);
      const used = new Set(entries.map(([name]) => name));
      const older = ['gen_ai.system', 'gen_ai.usage.prompt_tokens', 'gen_ai.usage.completion_tokens'];
      expect(older.map((name) => used.has(name))).toEqual(older.map(() => names === 'both'));
      expect(Object.keys(ATTRIBUTE_TYPES).filter((name) => !used.has(name))).toEqual(
        names === 'both' ? [] : older.toSorted(),
      );
    },
  );

  it('include the values of operations, outputs and types of tokens', () => {
    for (const [name, prefix] of [
      ['gen_ai.operation.name', 'GEN_AI_OPERATION_NAME_VALUE_'],
      ['gen_ai.output.type', 'GEN_AI_OUTPUT_TYPE_VALUE_'],
      ['gen_ai.token.type', 'GEN_AI_TOKEN_TYPE_VALUE_'],
    ] as const) {
      const values = new Set(exported('stable').attributes.flatMap(({ [name]: value }) => value ?? []));
      expect(values.size).toBeGreaterThan(1);
      expect([...values].filter((value) => !published(prefix).has(String(value)))).toEqual([]);
    }
  });

  it('include every metric but the cost', () => {
    const { metrics } = exported('stable');
    const units = metrics.map(({ descriptor: { name, unit } }) => [name, unit] as const);
    const ours = units.filter(([name]) => name.startsWith(OURS));
    expect(ours).toEqual([['unified_inference.cost', '{nano_usd}']]);
    expect(Object.fromEntries(units.filter(([name]) => !name.startsWith(OURS)))).toEqual(METRIC_UNITS);
    expect(Object.keys(METRIC_UNITS).filter((name) => !published('METRIC_').has(name))).toEqual([]);
  });
});
