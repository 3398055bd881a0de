import { randomBytes } from 'node:crypto';
import { GetItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { beforeAll, describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../tools/test-kit/search.ts';
import { type Seal, seal, unseal } from '../../platform/system/sealing.ts';
import { fileDatabase } from '../../platform/testing/file-database.ts';
import type { ReplayClaim } from '../core/idempotency/ports.ts';
import { DynamoReplayStore } from './replay-store.ts';

const NOW_MS = Date.UTC(2026, 6, 15, 12);
const DAY_SECONDS = 86_400;
const CREDENTIAL = 'uis_the-callers-own-key';
const under = (id: string): Seal => ({ secret: CREDENTIAL, purpose: 'uis-replay-1', id });

const database = fileDatabase();
let store: DynamoReplayStore;
let createdCount = 0;

beforeAll(async () => {
  store = new DynamoReplayStore(database.client, database.tables.replays);
});

function claimOf(changes: Partial<ReplayClaim> = {}): ReplayClaim {
  createdCount += 1;
  return {
    id: `id-${createdCount}`,
    requestHash: 'hash',
    requestId: `req_${createdCount}`,
    stream: false,
    leaseMs: NOW_MS + 60_000,
    expires: NOW_MS / 1000 + DAY_SECONDS,
    ...changes,
  };
}

describe('a claim', () => {
  it('belongs to exactly one of fifty concurrent calls', async () => {
    const id = 'raced';
    const claims = Array.from({ length: 50 }, () => claimOf({ id }));
    const results = await Promise.all(claims.map((claim) => store.claim(claim, NOW_MS)));
    expect(results.filter((result) => result === 'claimed')).toHaveLength(1);
  });

  it('belongs to its call if the SDK retries it after a lost response', async () => {
    const claim = claimOf();
    expect(await store.claim(claim, NOW_MS)).toBe('claimed');
    expect(await store.claim(claim, NOW_MS)).toBe('claimed');
  });

  it('passes from a dead call to another after its lease, but never from a streamed call', async () => {
    const dead = claimOf();
    const streamed = claimOf({ stream: true });
    await Promise.all([store.claim(dead, NOW_MS), store.claim(streamed, NOW_MS)]);
    const next = (claim: ReplayClaim, nowMs: number) =>
      store.claim(claimOf({ id: claim.id, stream: claim.stream }), nowMs);
    expect(await next(dead, NOW_MS + 59_000)).toMatchObject({ requestId: dead.requestId });
    expect(await next(streamed, NOW_MS + 61_000)).toMatchObject({
      requestId: streamed.requestId,
      stream: true,
    });
    expect(await next(dead, NOW_MS + 61_000)).toBe('claimed');
  });

  it('counts as absent from the second it expires, though DynamoDB deletes it later', async () => {
    const claim = claimOf();
    await store.claim(claim, NOW_MS);
    await store.storeResponse(claim, CREDENTIAL, { body: 'old', headers: {} });
    const late = NOW_MS + DAY_SECONDS * 1000;
    expect(await store.read(claim.id, late - 1)).toMatchObject({ isDone: true });
    expect(await store.read(claim.id, late)).toBeUndefined();
    expect(await store.claim(claimOf({ id: claim.id }), late)).toBe('claimed');
  });

  it('ends only if its own call frees it', async () => {
    const claim = claimOf();
    await store.claim(claim, NOW_MS);
    await store.free({ ...claim, requestId: 'req_other' });
    expect(await store.read(claim.id, NOW_MS)).toBeDefined();
    await store.free(claim);
    await store.free(claim);
    expect(await store.read(claim.id, NOW_MS)).toBeUndefined();
  });

  it('remains if its response is stored, because the call may have been billed', async () => {
    const claim = claimOf();
    await store.claim(claim, NOW_MS);
    await store.storeResponse(claim, CREDENTIAL, { body: 'paid', headers: {} });
    await store.free(claim);
    expect(await store.read(claim.id, NOW_MS)).toMatchObject({ isDone: true });
  });
});

describe('a stored response', () => {
  const storeResponse = async (body: string) => {
    const claim = claimOf();
    await store.claim(claim, NOW_MS);
    await store.storeResponse(claim, CREDENTIAL, { body, headers: { 'x-route': 'r' } });
    const replay = await store.read(claim.id, NOW_MS);
    if (replay === undefined) throw new Error('the claim is gone');
    return replay;
  };

  it('returns byte for byte as it was written, and uses further items if it is large', async () => {
    const large = randomBytes(900 * 1024).toString('base64');
    for (const body of ['', '{"a":"Grüße, 世界 🌍"}', large]) {
      const replay = await storeResponse(body);
      expect(await store.open(replay, CREDENTIAL)).toEqual({ body, headers: { 'x-route': 'r' } });
    }
    const { Items: items = [] } = await database.client.send(
      new ScanCommand({ TableName: database.tables.replays, ProjectionExpression: 'replay_id' }),
    );
    expect(items.filter((item) => item.replay_id?.S?.includes('#')).length).toBeGreaterThanOrEqual(2);
  });

  it('a call cannot store a response if another call has taken over its claim', async () => {
    const claim = claimOf();
    await store.claim(claim, NOW_MS);
    await store.claim(claimOf({ id: claim.id }), NOW_MS + 61_000);
    await expect(store.storeResponse(claim, CREDENTIAL, { body: 'late', headers: {} })).rejects.toThrow();
  });

  it('opens with its own key only, and is stored without readable text', async () => {
    const replay = await storeResponse('a secret answer, a secret answer, a secret answer');
    await expect(store.open(replay, 'uis_another-key')).rejects.toThrow();
    const { Item: item } = await database.client.send(
      new GetItemCommand({ TableName: database.tables.replays, Key: { replay_id: { S: replay.id } } }),
    );
    const stored = JSON.stringify(item) + Buffer.from(item?.answer?.B ?? []).toString('latin1');
    expect(stored).not.toContain('secret');
  });
});

describe('sealing', () => {
  it('unsealing with the same key and row restores any text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), fc.string({ minLength: 1 }), async (text, id) => {
        expect(await unseal(under(id), await seal(under(id), text))).toBe(text);
      }),
    );
  });

  it('notices a changed byte anywhere, another row and another key', async () => {
    const bytes = await seal(under('row'), 'text');
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      await expect(unseal(under('row'), changed)).rejects.toThrow();
    }
    await expect(unseal(under('other'), bytes)).rejects.toThrow();
    await expect(unseal({ ...under('row'), secret: 'uis_other' }, bytes)).rejects.toThrow();
    await expect(unseal({ ...under('row'), purpose: 'uis-event-1' }, bytes)).rejects.toThrow();
  });
});
