import { type DynamoDBClient, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import fc from 'fast-check';
import type { DynamoClients } from '../../../lambdas/adapters/aws/clients.ts';
import { encodeNewKey } from '../../../lambdas/adapters/ledger/key-item.ts';
import { createKeyStore } from '../../../lambdas/adapters/ledger/key-store.ts';
import { type KeyCharge, type KeyState, rollWindows } from '../../../lambdas/core/access/key-state.ts';
import { windowsAt } from '../../../lambdas/core/access/windows.ts';
import { KeyGate } from '../../../lambdas/core/ledger/key-gate.ts';
import { aroundSend } from '../../core/ledger/failing-process.ts';
import { it } from '../../search.ts';
import { rounds } from '../../thorough.ts';
import { startDatabase, type TestDatabase } from '../engine.ts';
import { type TroublePlan, troubledClients, troubles } from './troubled-writes.ts';

const NOW_MS = Date.UTC(2026, 6, 15, 12);
const NOW = windowsAt(NOW_MS);
const AMPLE = { daily_usd: 1_000_000n, monthly_usd: 2_000_000n, tpm: 1_000_000, rpm: 1_000 };
const SCARCE = { daily_usd: 1_500n, monthly_usd: 2_500n, tpm: 200, rpm: 12 };

/** One call: what it takes and what it comes to. Waves run one after the other, their calls at once. */
interface CallPlan {
  readonly amount: bigint;
  readonly tokens: number;
  /** In percent of what was taken; more than 100 overruns. */
  readonly used: number;
  readonly kind: 'chat' | 'tts';
  readonly model: 'a' | 'b' | 'c';
  readonly secret: 'right' | 'wrong';
  /** In which wave it settles, counted from its own; in the same it does so at once. */
  readonly settlesAfter: number;
}

const call: fc.Arbitrary<CallPlan> = fc.record({
  amount: fc.integer({ min: 0, max: 400 }).map(BigInt),
  tokens: fc.integer({ min: 0, max: 60 }),
  used: fc.constantFrom(0, 50, 50, 100, 150),
  kind: fc.constantFrom('chat', 'chat', 'tts'),
  model: fc.constantFrom('a', 'a', 'a', 'b', 'c'),
  secret: fc.constantFrom('right', 'right', 'right', 'right', 'wrong'),
  settlesAfter: fc.constantFrom(0, 1, 2),
});
const waves = fc.array(fc.array(call, { minLength: 1, maxLength: 16 }), { minLength: 1, maxLength: 4 });

interface Made {
  readonly plan: CallPlan;
  readonly charge: KeyCharge;
  granted: boolean;
  failed: boolean;
  /** Its settlement failed: what it overran may be missing. */
  unsettled: boolean;
}

let database: TestDatabase;
let keyCount = 0;
let callCount = 0;

beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.stop());

const storeOf = (clients: DynamoClients, clock = () => NOW_MS) =>
  createKeyStore({ clients, table: database.tables.keys, clock });

/** A key whose windows have begun; it may run chats and speech of the models a and b. */
async function openKey(policy: typeof AMPLE): Promise<KeyState> {
  keyCount += 1;
  const key = { keyId: `key_${keyCount}`, accountId: 'acc_1', secretHash: 'right', name: 'test', created: 5 };
  const scoped = { ...policy, allowed_models: ['a', 'b'], allowed_kinds: ['chat' as const, 'tts' as const] };
  await database.client.send(
    new PutItemCommand({ TableName: database.tables.keys, Item: encodeNewKey({ ...key, policy: scoped }) }),
  );
  const keys = storeOf(database);
  const from = await keys.read(key.keyId);
  if (from === undefined) throw new Error('the key is gone');
  const touch = chargeOf(key.keyId, { amount: 0n, tokens: 0, secret: 'right' });
  await keys.charge(touch, { from, to: rollWindows(from, NOW) });
  return (await keys.read(key.keyId)) ?? from;
}

function chargeOf(
  keyId: string,
  { amount, tokens, kind, model, secret }: Partial<CallPlan> & Pick<CallPlan, 'amount' | 'tokens' | 'secret'>,
): KeyCharge {
  callCount += 1;
  return {
    key: { accountId: 'acc_1', keyId, secretHash: secret },
    windows: NOW,
    tokens,
    amount,
    call: `req_${callCount}`,
    ...(kind === undefined || model === undefined
      ? {}
      : { scope: { kind, models: [[model, `${model}-1`]] } }),
  };
}

const usedOf = ({ amount, tokens, used }: CallPlan) => ({
  amount: (amount * BigInt(used)) / 100n,
  tokens: Math.floor((tokens * used) / 100),
});

/** Plays the waves on a store; what fails is given back as admission gives it back. */
async function play(
  clients: DynamoClients,
  keyId: string,
  plan: readonly (readonly CallPlan[])[],
  oneByOne = false,
) {
  const keys = storeOf(clients);
  const made: Made[] = [];
  const settle = async (entry: Made) => {
    const { plan: each, charge, granted, failed } = entry;
    const end = { windows: NOW, taken: charge, used: usedOf(each) };
    if (granted) await keys.settle(keyId, end).catch(() => Object.assign(entry, { unsettled: true }));
    if (failed)
      await keys
        .settle(keyId, { ...end, used: { tokens: 0, amount: 0n }, unsure: { newest: charge.call ?? '' } })
        .catch(() => {});
  };
  const make = async (each: CallPlan) => {
    const entry: Made = {
      plan: each,
      charge: chargeOf(keyId, each),
      granted: false,
      failed: false,
      unsettled: false,
    };
    made.push(entry);
    await keys.charge(entry.charge).then(
      ({ granted }) => Object.assign(entry, { granted }),
      () => Object.assign(entry, { failed: true }),
    );
    if (each.settlesAfter === 0) await settle(entry);
  };
  const due: (readonly Made[])[] = [];
  for (const [at, wave] of plan.entries()) {
    const before = made.length;
    const work = [
      ...(due[at] ?? []).map((entry) => () => settle(entry)),
      ...wave.map((each) => () => make(each)),
    ];
    if (oneByOne) for (const each of work) await each();
    else await Promise.all(work.map((each) => each()));
    for (const entry of made.slice(before).filter(({ plan: { settlesAfter } }) => settlesAfter > 0))
      due[at + entry.plan.settlesAfter] = [...(due[at + entry.plan.settlesAfter] ?? []), entry];
  }
  for (const late of due.slice(plan.length).flat()) await settle(late);
  const state = await storeOf(database).read(keyId);
  if (state === undefined) throw new Error('the key is gone');
  return { made, state };
}

const countersOf = ({ requestsLeft, tokensLeft, dayLeft, monthLeft }: KeyState) => ({
  requestsLeft: BigInt(requestsLeft),
  tokensLeft,
  dayLeft,
  monthLeft,
});

/** What a granted call is charged with at least: what it used, and no overrun whose charge has failed. */
function chargedAtLeast({ plan, unsettled }: Made) {
  const used = usedOf(plan);
  if (!unsettled) return used;
  const { amount, tokens } = plan;
  return { amount: used.amount < amount ? used.amount : amount, tokens: Math.min(used.tokens, tokens) };
}

/** What is left of a key by the calls that it granted. */
function expectedOf(before: KeyState, made: readonly Made[]) {
  const granted = made.filter((entry) => entry.granted).map(chargedAtLeast);
  const amount = granted.reduce((sum, used) => sum + used.amount, 0n);
  const counters = countersOf(before);
  return {
    requestsLeft: counters.requestsLeft - BigInt(granted.length),
    tokensLeft: counters.tokensLeft - granted.reduce((sum, { tokens }) => sum + BigInt(tokens), 0n),
    dayLeft: counters.dayLeft - amount,
    monthLeft: counters.monthLeft - amount,
  };
}

/** Where a key has more left than its granted calls leave. */
function excessOf(before: KeyState, state: KeyState, made: readonly Made[]): string[] {
  const expected = expectedOf(before, made);
  return Object.entries(countersOf(state)).flatMap(([name, left]) =>
    left > expected[name as keyof typeof expected] ? [`${name}: ${left}`] : [],
  );
}

const numRuns = rounds(12);

describe('charges and settlements that arrive together', () => {
  it('grant and leave what they do one by one', async () => {
    await fc.assert(
      fc.asyncProperty(waves, async (plan) => {
        const [together, oneByOne] = [await openKey(AMPLE), await openKey(AMPLE)];
        const grouped = await play(database, together.keyId, plan);
        const single = await play(database, oneByOne.keyId, plan, true);
        const grantsOf = (made: readonly Made[], wave: readonly CallPlan[]) =>
          wave.map((each) => made.find((entry) => entry.plan === each)?.granted);
        for (const wave of plan) expect(grantsOf(grouped.made, wave)).toEqual(grantsOf(single.made, wave));
        expect(countersOf(grouped.state)).toEqual(countersOf(single.state));
        expect(countersOf(grouped.state)).toEqual(expectedOf(together, grouped.made));
      }),
      { numRuns },
    );
  });

  it('take from no window more than there is, and refuse what it does not have alone', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 8, maxLength: 30 }), async (plan) => {
        const before = await openKey(SCARCE);
        // Nothing is given back: what was refused is refused by what is left in the end.
        const { made, state } = await play(database, before.keyId, [
          plan.map((each) => ({ ...each, used: 100, settlesAfter: 0 })),
        ]);
        expect(countersOf(state)).toEqual(expectedOf(before, made));
        const left = countersOf(state);
        for (const value of Object.values(left)) expect(value).toBeGreaterThanOrEqual(0n);
        for (const { plan: each, granted } of made) {
          const allowed = each.secret === 'right' && each.model !== 'c';
          const fits =
            left.requestsLeft >= 1n &&
            left.tokensLeft >= BigInt(each.tokens) &&
            left.dayLeft >= each.amount &&
            left.monthLeft >= each.amount;
          if (!granted && allowed) expect(fits).toBe(false);
          if (granted) expect(allowed).toBe(true);
        }
      }),
      { numRuns },
    );
  });

  it('leave no more than they would without trouble, whichever requests fail', async () => {
    await fc.assert(
      fc.asyncProperty(
        waves,
        troubles,
        async (plan: readonly (readonly CallPlan[])[], faults: TroublePlan) => {
          const before = await openKey(AMPLE);
          const { made, state } = await play(troubledClients(database, faults), before.keyId, plan);
          expect(excessOf(before, state, made)).toEqual([]);
        },
      ),
      { numRuns },
    );
  });

  it('would leave more if what is given back were sent twice', async () => {
    const before = await openKey(AMPLE);
    const twice = (real: DynamoDBClient) =>
      aroundSend(real, async (command, send) => {
        const update = command instanceof UpdateItemCommand ? (command.input.UpdateExpression ?? '') : '';
        const isGiving = update.includes('day_left + ') && !update.includes('last_charge');
        if (isGiving) await send(command).catch(() => {});
        return send(command);
      });
    const clients = { client: twice(database.client), onceClient: twice(database.onceClient) };
    const plan: CallPlan = {
      amount: 100n,
      tokens: 10,
      used: 50,
      kind: 'chat',
      model: 'a',
      secret: 'right',
      settlesAfter: 1,
    };
    const { made, state } = await play(clients, before.keyId, [
      Array.from({ length: 8 }, () => ({ ...plan })),
    ]);
    expect(excessOf(before, state, made)).not.toEqual([]);
  });

  it('go in a few requests, and one of them in that of its own', async () => {
    const { keyId } = await openKey(AMPLE);
    const clients = troubledClients(database, new Map());
    const keys = storeOf(clients);
    const charges = (count: number) =>
      Promise.all(
        Array.from({ length: count }, () =>
          keys.charge(chargeOf(keyId, { amount: 1n, tokens: 1, secret: 'right' })),
        ),
      );
    await charges(1);
    expect(clients.sent()).toBe(1);
    expect((await charges(64)).every(({ granted }) => granted)).toBe(true);
    expect(clients.sent()).toBe(2);
  });

  it('are granted and taken once when the answer of their request is lost', async () => {
    const before = await openKey(AMPLE);
    const keys = storeOf(troubledClients(database, new Map([[1, 'answer-lost']])));
    const results = await Promise.all(
      Array.from({ length: 9 }, () =>
        keys.charge(chargeOf(before.keyId, { amount: 100n, tokens: 10, secret: 'right' })),
      ),
    );
    expect(results.map(({ granted }) => granted)).toEqual(Array.from({ length: 9 }, () => true));
    const state = await storeOf(database).read(before.keyId);
    expect(state?.requestsLeft).toBe(before.requestsLeft - 9);
    expect(state?.tokensLeft).toBe(before.tokensLeft - 90n);
    expect(state?.dayLeft).toBe(before.dayLeft - 900n);
  });

  it('begin a minute in a few requests, and all of them are granted', async () => {
    const { keyId } = await openKey(AMPLE);
    const laterMs = NOW_MS + 60_000;
    const clients = troubledClients(database, new Map());
    const gate = new KeyGate(
      storeOf(clients, () => laterMs),
      () => laterMs,
    );
    const windows = windowsAt(laterMs);
    const results = await Promise.all(
      Array.from({ length: 64 }, () =>
        gate.charge({ ...chargeOf(keyId, { amount: 1n, tokens: 1, secret: 'right' }), windows }),
      ),
    );
    expect(results.filter(({ granted }) => granted)).toHaveLength(64);
    expect((await storeOf(database).read(keyId))?.requestsLeft).toBe(AMPLE.rpm - 64);
    expect(clients.sent()).toBeLessThanOrEqual(5);
  });
});
