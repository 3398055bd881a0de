import { expect, it } from '@jest/globals';
import { type FailureKind, UpstreamFailure } from '../upstream/provider.ts';
import { classifyFailure, type FailureClass } from './failure-class.ts';

const KINDS: Readonly<Record<Exclude<FailureKind, 'status'>, FailureClass>> = {
  secret: 'failing',
  connection: 'failing',
  protocol: 'failing',
  download: 'failing',
  interrupted: 'failing',
  timeout: 'slow',
  deadline: 'neutral',
};

const STATUSES: Readonly<Record<Exclude<FailureClass, 'slow'>, readonly number[]>> = {
  failing: [401, 402, 500, 502, 503, 529],
  // 400: the operator's account is exhausted, or the route does not have the model.
  doubtful: [302, 400, 403, 404, 405, 408, 410, 424],
  limited: [429],
  neutral: [409, 411, 413, 414, 415, 422, 431, 451],
  serving: [],
};

it.each(Object.entries(KINDS))('a failure of kind %s is %s', (kind, failureClass) => {
  expect(classifyFailure(new UpstreamFailure(kind as FailureKind))).toBe(failureClass);
});

it.each(
  Object.entries(STATUSES).flatMap(([failureClass, statuses]) =>
    statuses.map((status) => [status, failureClass]),
  ),
)('status %s is %s', (status, failureClass) => {
  expect(classifyFailure(new UpstreamFailure('status', { status: Number(status) }))).toBe(failureClass);
});

it('a request that the route understood and rejected counts as a success, whatever its status', () => {
  for (const status of [400, 403, 413, 422, 500]) {
    expect(classifyFailure(new UpstreamFailure('status', { status, retryable: false }))).toBe('serving');
  }
});

it('a 429 is a limit, unless the operator’s account is exhausted', () => {
  expect(classifyFailure(new UpstreamFailure('status', { status: 429, isExhausted: true }))).toBe('failing');
});
