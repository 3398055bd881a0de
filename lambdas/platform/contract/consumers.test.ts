import { describe, expect, it } from '@jest/globals';
import { AUDIT_SCHEDULE, CONSUMERS, type Consumer } from './consumers.ts';
import { METRIC_NAMESPACE, METRICS } from './metrics.ts';

/** Lambda's longest timeout, seconds (AWS Lambda quotas). */
const MAX_TIMEOUT_SECONDS = 900;

const consumers = Object.entries(CONSUMERS) as readonly (readonly [string, Consumer])[];

/** Schedule expressions (Amazon EventBridge user guide, Creating a rule that runs on a schedule). */
const SCHEDULE =
  /^(rate\((1 (minute|hour|day)|([2-9]|[1-9]\d+) (minutes|hours|days))\)|cron\((\S+ ){5}\S+\))$/;

describe('a consumer', () => {
  it.each(consumers)(
    'states a purpose, a timeout that Lambda accepts and a schedule that EventBridge accepts: %s',
    (_name, consumer) => {
      expect(consumer.purpose).toMatch(/\S/);
      expect(consumer.timeoutSeconds).toBeGreaterThan(0);
      expect(consumer.timeoutSeconds).toBeLessThanOrEqual(MAX_TIMEOUT_SECONDS);
      if (consumer.schedule !== undefined) expect(consumer.schedule).toMatch(SCHEDULE);
    },
  );

  it('runs the audit on a schedule that EventBridge accepts', () => {
    expect(AUDIT_SCHEDULE).toMatch(SCHEDULE);
  });
});

describe('the metrics', () => {
  it('use distinct names, in a namespace that is not one of AWS’s own', () => {
    const names = Object.values(METRICS);
    expect(new Set(names).size).toBe(names.length);
    for (const name of [METRIC_NAMESPACE, ...names]) expect(name).toMatch(/^[A-Z][A-Za-z0-9]{0,254}$/);
    expect(METRIC_NAMESPACE).not.toMatch(/^AWS/);
  });
});
