import { describe, expect, it } from '@jest/globals';
import { SynthesizedApp } from '../../test/template/synthesized-app.ts';

const MINUTE = 60;

interface Query {
  readonly Id: string;
  readonly Expression?: string;
  readonly Period?: number;
  readonly ReturnData?: boolean;
  readonly MetricStat?: {
    readonly Metric: {
      readonly MetricName: string;
      readonly Namespace: string;
      readonly Dimensions: unknown;
    };
    readonly Period: number;
    readonly Stat: string;
  };
}

interface MathAlarm {
  readonly AlarmName: string;
  readonly Threshold: number;
  readonly ComparisonOperator: string;
  readonly EvaluationPeriods: number;
  readonly DatapointsToAlarm: number;
  readonly TreatMissingData: string;
  readonly Metrics: readonly Query[];
}

/** Calls in one minute; undefined where nothing was raised. */
interface Minute {
  readonly failed?: number;
  readonly settled?: number;
}

const METRICS: Readonly<Record<string, keyof Minute>> = { RequestsFailed: 'failed', CallsSettled: 'settled' };

/** The functions of CloudWatch's metric math that the alarms use. A missing value stays missing unless it is filled. */
const FUNCTIONS = {
  FILL: (value: number | undefined, filling: number) => value ?? filling,
  IF: (condition: boolean, then: number, otherwise: number) => (condition ? then : otherwise),
};

function evaluate(expression: string, values: Readonly<Record<string, number | undefined>>): number {
  const scope = { ...FUNCTIONS, ...values };
  for (const [word] of expression.matchAll(/[A-Za-z]\w*/g)) expect(Object.keys(scope)).toContain(word);
  return Number(new Function(...Object.keys(scope), `return ${expression};`)(...Object.values(scope)));
}

class Alarms {
  readonly #app: SynthesizedApp;
  readonly #alarms: ReadonlyMap<string, MathAlarm>;

  constructor(app: SynthesizedApp) {
    this.#app = app;
    this.#alarms = new Map(
      app
        .resources('operations', 'AWS::CloudWatch::Alarm')
        .map(([id, { Properties }]) => [id, Properties as unknown as MathAlarm]),
    );
  }

  /** Returns whether a metric alarm is in ALARM at the end of the last minute. */
  isRaised(id: string, minutes: readonly Minute[]): boolean {
    const alarm = this.#alarms.get(id);
    const [math] = alarm?.Metrics.filter(({ Expression }) => Expression !== undefined) ?? [];
    const stats = alarm?.Metrics.filter(({ MetricStat: stat }) => stat !== undefined) ?? [];
    expect(alarm).toMatchObject({
      EvaluationPeriods: 1,
      DatapointsToAlarm: 1,
      TreatMissingData: 'notBreaching',
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
    });
    if (alarm === undefined || math?.Expression === undefined) throw new Error(`${id} is no metric math`);
    const values = stats.map(({ Id, MetricStat: stat }) => {
      expect(stat).toMatchObject({
        Stat: 'Sum',
        Metric: { Namespace: expect.stringMatching(/^UnifiedInference\//) },
      });
      const { MetricName: name } = stat?.Metric ?? { MetricName: '' };
      const window = minutes.slice(-(stat?.Period ?? 0) / MINUTE);
      const raised = window.flatMap((minute) => minute[METRICS[name] ?? 'failed'] ?? []);
      return [Id, raised.length === 0 ? undefined : raised.reduce((sum, value) => sum + value, 0)] as const;
    });
    expect(values.map(([id]) => id).sort()).toEqual(['failed', 'settled']);
    // Where no metric has a value, neither has the expression.
    if (values.every(([, value]) => value === undefined)) return false;
    return evaluate(math.Expression, Object.fromEntries(values)) >= alarm.Threshold;
  }

  /** The windows of a composite alarm, by the ids of their alarms; both must be raised for it. */
  windowsOf(article: string): readonly string[] {
    const [, { Properties }] =
      this.#app
        .resources('operations', 'AWS::CloudWatch::CompositeAlarm')
        .find(([, each]) => String(each.Properties.AlarmName).endsWith(`/${article}`)) ?? ([] as never);
    const { 'Fn::Join': [, parts] = ['', []] } = Properties.AlarmRule as { 'Fn::Join'?: [string, unknown[]] };
    const rule = parts.map((part) => (typeof part === 'string' ? part : '*')).join('');
    expect(rule).toBe('(ALARM("*") AND ALARM("*"))');
    return parts.flatMap((part) => Object(part)['Fn::GetAtt']?.[0] ?? []);
  }

  isPaged(article: string, minutes: readonly Minute[]): boolean {
    return this.windowsOf(article).every((id) => this.isRaised(id, minutes));
  }

  periodsOf(article: string): readonly number[] {
    return this.windowsOf(article).map(
      (id) => this.#alarms.get(id)?.Metrics.flatMap(({ MetricStat: stat }) => stat?.Period ?? [])[0] ?? 0,
    );
  }
}

const alarms = new Alarms(new SynthesizedApp());
const both = (minutes: readonly Minute[]) => ({
  fast: alarms.isPaged('availability-fast', minutes),
  slow: alarms.isPaged('availability-slow', minutes),
});

const steady = (minutes: number, minute: Minute): Minute[] => Array.from({ length: minutes }, () => minute);
const HOURS = 60;
/** A thousand calls a minute, of which this many in a hundred fail. */
const failing = (percent: number): Minute => ({ failed: 10 * percent, settled: 1_000 - 10 * percent });
const HEALTHY: Minute = { settled: 1_000 };

describe('the alarms of availability', () => {
  it('check one hour and five minutes, and six hours and half an hour', () => {
    expect(alarms.periodsOf('availability-fast')).toEqual([3_600, 300]);
    expect(alarms.periodsOf('availability-slow')).toEqual([21_600, 1_800]);
  });

  it('stay silent without data, without calls and with successful calls', () => {
    expect(both([])).toEqual({ fast: false, slow: false });
    expect(both(steady(7 * HOURS, {}))).toEqual({ fast: false, slow: false });
    expect(both(steady(7 * HOURS, HEALTHY))).toEqual({ fast: false, slow: false });
  });

  it('stay silent at half of the allowed failures', () => {
    expect(both(steady(7 * HOURS, failing(0.05)))).toEqual({ fast: false, slow: false });
  });

  it('page when two calls in a hundred have failed for an hour', () => {
    const before = steady(6 * HOURS, HEALTHY);
    expect(both([...before, ...steady(30, failing(2))]).fast).toBe(false);
    expect(both([...before, ...steady(HOURS, failing(2))]).fast).toBe(true);
  });

  it('page within minutes when every call fails, though none is settled any more', () => {
    const before = steady(6 * HOURS, HEALTHY);
    expect(both([...before, ...steady(1, { failed: 1_000 })]).fast).toBe(true);
    expect(both(steady(2, { failed: 1_000 })).fast).toBe(true);
  });

  it('warn without a page if one call in a hundred fails for six hours', () => {
    expect(both(steady(6 * HOURS, failing(1)))).toEqual({ fast: false, slow: true });
  });

  it('end minutes after the failures do', () => {
    const outage = [...steady(5 * HOURS, HEALTHY), ...steady(HOURS, failing(20))];
    expect(both(outage)).toEqual({ fast: true, slow: true });
    expect(both([...outage, ...steady(5, HEALTHY)])).toEqual({ fast: false, slow: true });
    expect(both([...outage, ...steady(30, HEALTHY)])).toEqual({ fast: false, slow: false });
  });

  it('stay silent at night if one call of three fails, and go off if five fail', () => {
    const night = steady(5 * HOURS, {});
    expect(both([...night, { failed: 1, settled: 2 }])).toEqual({ fast: false, slow: false });
    expect(both([...night, { failed: 4 }])).toEqual({ fast: false, slow: false });
    expect(both([...night, { failed: 5 }])).toEqual({ fast: true, slow: true });
  });

  it('measure by the objective of the settings', () => {
    const lenient = new Alarms(new SynthesizedApp('every-setting'));
    // 99.5 %: five times as many failures are allowed.
    expect(lenient.isPaged('availability-fast', steady(HOURS, failing(7.1)))).toBe(false);
    expect(lenient.isPaged('availability-fast', steady(HOURS, failing(7.2)))).toBe(true);
  });
});

describe('the alarm of the platform API', () => {
  const isRaised = (app: SynthesizedApp, failed: number, requests: number): boolean => {
    const alarm = app.alarm('platform-availability/platform') as unknown as MathAlarm;
    expect(alarm).toMatchObject({ EvaluationPeriods: 1, TreatMissingData: 'notBreaching' });
    const stats = alarm.Metrics.flatMap(({ Id, MetricStat: stat }) =>
      stat === undefined ? [] : [[Id, stat]],
    );
    expect(Object.fromEntries(stats)).toMatchObject({
      failed: { Period: 3_600, Stat: 'Sum', Metric: { Namespace: 'AWS/ApiGateway', MetricName: '5XXError' } },
      requests: { Period: 3_600, Stat: 'Sum', Metric: { Namespace: 'AWS/ApiGateway', MetricName: 'Count' } },
    });
    const [{ Expression: expression = '' } = {}] = alarm.Metrics.filter(({ Expression }) => Expression);
    return evaluate(expression, { failed, requests }) >= alarm.Threshold;
  };
  const app = new SynthesizedApp();

  it('pages at the rate of the paid calls: two requests in a hundred within an hour', () => {
    expect([isRaised(app, 5, 5), isRaised(app, 20, 1_000), isRaised(app, 14, 1_000)]).toEqual([
      true,
      true,
      false,
    ]);
    expect(Object(app.alarm('platform-availability/platform')).AlarmDescription).toMatch(/^critical: /);
  });

  it('stays silent if four requests fail, or as many as the objective of the settings allows', () => {
    expect(isRaised(app, 4, 4)).toBe(false);
    expect(isRaised(new SynthesizedApp('every-setting'), 71, 1_000)).toBe(false);
    expect(isRaised(new SynthesizedApp('every-setting'), 72, 1_000)).toBe(true);
  });
});

describe('a window of the availability', () => {
  it('sends no notification itself', () => {
    const windows = new SynthesizedApp()
      .properties('operations', 'AWS::CloudWatch::Alarm')
      .filter(({ AlarmName: name }) => /\/availability-\w+\/(long|short)$/.test(String(name)));
    expect(windows).toHaveLength(4);
    for (const window of windows) {
      expect(window).not.toHaveProperty('AlarmActions');
      expect(window).not.toHaveProperty('OKActions');
    }
  });
});
