import { describe, expect, it } from '@jest/globals';
import { ROUTES } from '../../lambdas/app/routes.ts';
import { SERVICE_STACKS, SynthesizedApp } from '../../test/template/synthesized-app.ts';
import { readersAtOnce, reservedOf, streamsPerSecond } from './concurrency.ts';

const of = (lambdaConcurrency?: number, requestsPerSecond = 1_000) => ({
  requestsPerSecond,
  ...(lambdaConcurrency === undefined ? {} : { lambdaConcurrency }),
});
const reserved = (concurrency?: number) => Object.fromEntries(reservedOf(of(concurrency)));

describe('the parts of the functions that move money', () => {
  it.each([
    [1_000, { 'sweep-holds': 2, 'receive-payment-event': 10, 'create-session': 20 }],
    [10_000, { 'sweep-holds': 2, 'receive-payment-event': 100, 'create-session': 200 }],
    [150, { 'sweep-holds': 2, 'receive-payment-event': 2, 'create-session': 3 }],
    // 2 + 2 + 3 of 106 would leave 99, and Lambda refuses to leave fewer than 100.
    [107, { 'sweep-holds': 2, 'receive-payment-event': 2, 'create-session': 3 }],
    [106, {}],
    [10, {}],
  ])('total shares of %i if the account can spare them: %j', (concurrency, parts) => {
    expect(reserved(concurrency)).toEqual(parts);
  });

  it('remain unset if the quota is unknown, so that every account accepts the deployment', () => {
    expect(reserved()).toEqual({});
    for (const stack of SERVICE_STACKS)
      expect(JSON.stringify(new SynthesizedApp().templates[stack])).not.toContain('ReservedConcurrent');
  });

  it('leave Lambda its least, whatever the quota', () => {
    for (let concurrency = 10; concurrency < 3_000; concurrency += 7) {
      const parts = Object.values(reserved(concurrency)).reduce((sum, part) => sum + part, 0);
      expect(parts === 0 || concurrency - parts >= 100).toBe(true);
    }
  });
});

describe('the throttle of streams', () => {
  it.each([
    // (1,000 - 32) * 0.8 / 10 s.
    [1_000, 1_000, 77],
    [10_000, 1_000, 775],
    [10, 1_000, 1],
    [10_000, 50, 50],
    [undefined, 1_000, 1_000],
  ])(
    'allows, for %p executions and %i requests per second, %i calls per second',
    (concurrency, requests, rate) => {
      expect(streamsPerSecond(of(concurrency, requests))).toBe(rate);
    },
  );

  it('leaves a fifth of what is not reserved to all other functions, when calls take 10 s', () => {
    for (let concurrency = 200; concurrency < 9_000; concurrency += 131) {
      const parts = Object.values(reserved(concurrency)).reduce((sum, part) => sum + part, 0);
      expect(streamsPerSecond(of(concurrency)) * 10).toBeLessThanOrEqual((concurrency - parts) * 0.8);
    }
  });
});

describe('a deployment with a known quota', () => {
  const app = new SynthesizedApp('concurrency');

  it('sets these shares in its templates, and on no other function', () => {
    const parts = SERVICE_STACKS.flatMap((stack) =>
      app
        .resources(stack, 'AWS::Lambda::Function')
        .filter(([, { Properties }]) => Properties.ReservedConcurrentExecutions !== undefined)
        .map(([id, { Properties }]) => [
          app.functionName(stack, id),
          Properties.ReservedConcurrentExecutions,
        ]),
    );
    expect(Object.fromEntries(parts)).toEqual(reserved(1_000));
  });

  it('throttles each paid route by it, and everything else as before', () => {
    const [settings, platform] = SERVICE_STACKS.map(
      (stack) =>
        app.only(stack, 'AWS::ApiGateway::Stage').Properties.MethodSettings as readonly {
          readonly HttpMethod: string;
          readonly ResourcePath: string;
          readonly ThrottlingRateLimit: number;
          readonly ThrottlingBurstLimit: number;
          readonly MetricsEnabled: boolean;
          readonly DataTraceEnabled: boolean;
        }[],
    );
    expect(platform).toHaveLength(1);
    const paid = ROUTES.filter((route) => 'paid' in route);
    const throttled = (settings ?? []).filter(({ ThrottlingRateLimit: rate }) => rate === 77);
    expect(
      throttled
        .map(({ HttpMethod: method, ResourcePath: path }) => `${method} ${path.replaceAll('~1', '/')}`)
        .sort(),
    ).toEqual(paid.map(({ method, path }) => `${method} /${path}`).sort());
    for (const setting of throttled)
      expect(setting).toMatchObject({
        ThrottlingBurstLimit: 77,
        MetricsEnabled: false,
        DataTraceEnabled: false,
      });
    expect((settings ?? []).filter((setting) => !throttled.includes(setting))).toMatchObject([
      { HttpMethod: '*', ResourcePath: '/*', ThrottlingRateLimit: 1000 },
    ]);
  });
});

describe('the readers of the queues', () => {
  const readers = (concurrency?: number) => [50, 200, 50].map((most) => readersAtOnce(most, of(concurrency)));

  it.each([
    [undefined, [50, 200, 50]],
    [10_000, [50, 200, 50]],
    [1_000, [50, 200, 50]],
    [100, [5, 20, 5]],
    // Lambda takes no less than two.
    [10, [2, 2, 2]],
  ])('take at most three tenths of %j executions: %j', (concurrency, expected) => {
    expect(readers(concurrency)).toEqual(expected);
  });

  it('limit the mappings of the templates', () => {
    const mapped = new SynthesizedApp('builds')
      .properties('platform', 'AWS::Lambda::EventSourceMapping')
      .flatMap(({ ScalingConfig: scaling }) => Object(scaling).MaximumConcurrency ?? []);
    expect(mapped.toSorted((a: number, b: number) => a - b)).toEqual([25, 25, 100]);
  });
});
