import { describe, expect, it } from '@jest/globals';
import { modelsOf } from '../../../testing/catalog/models.ts';
import { withRoutesFor } from './route-limit.ts';

const route = (id: string, max_seconds: number | undefined, timeout_ms = 900_000) =>
  max_seconds === undefined
    ? { id, protocol: 'openai', base_url: 'https://ears.example.com/v1', upstream_model: 'ears', timeout_ms }
    : {
        id,
        protocol: 'transcribe',
        base_url: undefined,
        upstream_model: 'standard',
        max_seconds,
        timeout_ms,
      };
const modelWith = (...routes: readonly object[]) => {
  const [model] = modelsOf({ type: 'audio', price: { unit: 'per_minute', minute: '0.006' }, routes });
  if (model === undefined) throw new Error('there is no model');
  return model;
};
const lasting = (seconds: number) => ({ bytes: 25_000_000, length: { seconds, exact: false } });

/** Seconds without a byte after which API Gateway and CloudFront end a call, less those that are reserved for settlement. */
const [API_GATEWAY, CLOUDFRONT] = [285, 105];
const timeOf = (silentSeconds: number) => ({ remainingTimeMs: 885_000, silentTimeMs: silentSeconds * 1000 });

describe('the longest recording of a route', () => {
  it.each([
    ['its own limit, behind API Gateway', 600, 900_000, API_GATEWAY, 600],
    ['4.5 minutes behind CloudFront', 600, 900_000, CLOUDFRONT, 270],
    ['what its own time allows', 600, 60_000, API_GATEWAY, 135],
    ['nothing without the time of a job', 600, 10_000, API_GATEWAY, 0],
  ])('lasts %s', (_, maxSeconds, timeoutMs, silentSeconds, limit) => {
    const model = modelWith(route('a', maxSeconds, timeoutMs));
    const time = timeOf(silentSeconds);
    if (limit > 0) expect(withRoutesFor(model, lasting(limit), time).routes).toHaveLength(1);
    expect(() => withRoutesFor(model, lasting(limit + 1), time)).toThrow(
      expect.objectContaining({
        code: 'invalid_value',
        message: expect.stringContaining(`up to ${limit} seconds`),
      }),
    );
  });

  it('leaves a longer one to the other routes of the model', () => {
    const model = modelWith(route('a', 60), route('b', 300), route('c', undefined));
    const ids = (seconds: number) =>
      withRoutesFor(model, lasting(seconds), timeOf(API_GATEWAY)).routes.map(({ id }) => id);
    expect([ids(60), ids(61), ids(301)]).toEqual([['a', 'b', 'c'], ['b', 'c'], ['c']]);
  });

  it('applies to no recording that states no length', () => {
    const model = modelWith(route('a', 1));
    expect(withRoutesFor(model, { bytes: 25_000_000, length: undefined }, timeOf(API_GATEWAY))).toBe(model);
  });
});
