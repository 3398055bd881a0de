/** The metrics of some calls: what they add to histograms and to a sum (delta temporality). */
import { type Attributes, ValueType } from '@opentelemetry/api';
import {
  AggregationTemporality,
  DataPointType,
  type HistogramMetricData,
  type MetricData,
} from '@opentelemetry/sdk-metrics';
import type { UsageRecord } from '../../ledger/core/usage-record.ts';
import { toMetric } from '../../platform/core/money.ts';
import { type AttributeNames, commonAttributes, errorAttribute, errorTypeOf } from './attributes.ts';
import { attemptsOf, hrTime } from './call-spans.ts';
import { timesOf } from './call-times.ts';

/** A value of a call, and the attributes of its point. */
type PointValue<Value> = readonly [value: Value, attributes: Attributes];

interface Histogram {
  readonly name: string;
  readonly description: string;
  readonly unit: string;
  /** The bounds of the buckets. */
  readonly bounds: readonly number[];
  readonly read: (call: UsageRecord) => readonly PointValue<number>[];
}

/** The bounds that the conventions state for each metric (GenAI metrics, version 1.37.0). */
const DURATION_BOUNDS = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
];
const FIRST_TOKEN_BOUNDS = [
  0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
];
const TOKEN_BOUNDS = Array.from({ length: 14 }, (_, index) => 4 ** index);

const SECONDS = { unit: 's' };

const HISTOGRAMS: readonly Histogram[] = [
  {
    name: 'gen_ai.server.request.duration',
    description: 'Duration of a call, from its admission to its settlement.',
    ...SECONDS,
    bounds: DURATION_BOUNDS,
    read: (call) =>
      call.durationMs === undefined ? [] : [[call.durationMs / 1_000, errorAttribute(errorTypeOf(call))]],
  },
  {
    name: 'gen_ai.server.time_to_first_token',
    description: 'Time from the admission of a streamed call to the first content of its response.',
    ...SECONDS,
    bounds: FIRST_TOKEN_BOUNDS,
    read: ({ firstTokenMs }) => (firstTokenMs === undefined ? [] : [[firstTokenMs / 1_000, {}]]),
  },
  {
    name: 'gen_ai.client.operation.duration',
    description: 'Duration of an attempt of a route.',
    ...SECONDS,
    bounds: DURATION_BOUNDS,
    read: (call) =>
      attemptsOf(call).map(({ durationMs, errorType }) => [durationMs / 1_000, errorAttribute(errorType)]),
  },
  {
    name: 'gen_ai.client.token.usage',
    description: 'Number of input and output tokens that are billed.',
    unit: '{token}',
    bounds: TOKEN_BOUNDS,
    read: ({ unit, inputUnits, outputUnits }) =>
      unit !== 'token'
        ? []
        : [
            [inputUnits, { 'gen_ai.token.type': 'input' }],
            [outputUnits, { 'gen_ai.token.type': 'output' }],
          ],
  },
];

const COST = {
  name: 'unified_inference.cost',
  description: 'Cost of calls as the ledger has it.',
  unit: '{nano_usd}',
  valueType: ValueType.INT,
};

/** Returns the metrics that have points, their series in the order in which they first occur. */
export function metricsOf(calls: readonly UsageRecord[], names: AttributeNames): MetricData[] {
  const times = calls.map(timesOf);
  const span = {
    startTime: hrTime(Math.min(...times.map(({ startMs }) => startMs))),
    endTime: hrTime(Math.max(...times.map(({ endMs }) => endMs))),
  };
  const aggregationTemporality = AggregationTemporality.DELTA;
  const histograms = HISTOGRAMS.map(({ bounds, read, ...descriptor }) => ({
    aggregationTemporality,
    descriptor: { ...descriptor, valueType: ValueType.DOUBLE },
    dataPointType: DataPointType.HISTOGRAM as const,
    dataPoints: seriesOf(calls, names, read).map(({ attributes, values }) => ({
      ...span,
      attributes,
      value: histogramOf(values, bounds),
    })),
  }));
  const cost = {
    aggregationTemporality,
    descriptor: COST,
    dataPointType: DataPointType.SUM as const,
    isMonotonic: true,
    dataPoints: seriesOf(calls, names, (call) => [[call.cost, {}]]).map(({ attributes, values }) => ({
      ...span,
      attributes,
      value: toMetric(values.reduce((total, value) => total + value, 0n)),
    })),
  };
  return [...histograms, cost].filter(({ dataPoints }) => dataPoints.length > 0);
}

interface Series<Value> {
  readonly attributes: Attributes;
  readonly values: Value[];
}

function seriesOf<Value>(
  calls: readonly UsageRecord[],
  names: AttributeNames,
  read: (call: UsageRecord) => readonly PointValue<Value>[],
): readonly Series<Value>[] {
  const all = new Map<string, Series<Value>>();
  for (const call of calls) {
    const common = commonAttributes(call, names);
    for (const [value, own] of read(call)) {
      const attributes = { ...common, ...own };
      const id = JSON.stringify(attributes);
      const series = all.get(id) ?? { attributes, values: [] };
      series.values.push(value);
      all.set(id, series);
    }
  }
  return [...all.values()];
}

/** A value belongs to the first bucket whose bound is not below it. */
function histogramOf(
  values: readonly number[],
  bounds: readonly number[],
): HistogramMetricData['dataPoints'][number]['value'] {
  const counts = new Array<number>(bounds.length + 1).fill(0);
  for (const value of values) {
    const index = bounds.findIndex((bound) => value <= bound);
    const bucket = index === -1 ? bounds.length : index;
    counts[bucket] = (counts[bucket] ?? 0) + 1;
  }
  return {
    buckets: { boundaries: [...bounds], counts },
    sum: values.reduce((total, value) => total + value, 0),
    count: values.length,
    min: Math.min(...values),
    max: Math.max(...values),
  };
}
