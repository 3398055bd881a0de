/** Usage records of calls of every kind and end, for tests. */
import type { UsageRecord } from '../../ledger/core/usage-record.ts';

/** A streamed chat call, which its second route served. */
export const CALL: UsageRecord = {
  id: 'req_01KB7Z0000ABCDEFGHJKMNPQRS',
  keyId: 'key_01KB7Z0000ABCDEFGHJKMNPQRT',
  accountId: 'acc_01KB7Z0000ABCDEFGHJKMNPQRV',
  created: 1_764_417_605,
  model: 'anthropic/claude-sonnet-5.5',
  kind: 'chat',
  inputUnits: 1_000,
  cachedUnits: 100,
  outputUnits: 50,
  unit: 'token',
  cost: 1_234_567n,
  estimated: false,
  route: 'second',
  status: 'completed',
  attempts: 2,
  routeAttempts: [
    { route: 'first', startMs: 1, durationMs: 400, failure: '429' },
    { route: 'second', startMs: 402, durationMs: 2_098 },
  ],
  durationMs: 2_500,
  firstTokenMs: 900,
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
};

const { routeAttempts: _attempts, traceparent: _trace, durationMs: _duration, ...older } = CALL;

export const CALLS: readonly UsageRecord[] = [
  CALL,
  { ...older, id: 'req_01KB7Z0001ABCDEFGHJKMNPQRS' },
  { ...CALL, status: 'interrupted', traceparent: undefined },
  { ...CALL, status: 'failed', route: null, cost: 0n, inputUnits: 0, cachedUnits: 0, outputUnits: 0 },
  { ...older, status: 'expired', model: null, route: null, cost: 0n },
  { ...CALL, kind: 'embeddings', model: 'plain', outputUnits: 0 },
  { ...CALL, kind: 'image', unit: 'image', inputUnits: 0, outputUnits: 2 },
  { ...CALL, kind: 'tts', model: 'amazon/polly-neural' },
  { ...CALL, kind: 'audio', unit: 'second', inputUnits: 12.345, outputUnits: 0 },
];
