/**
 * Past calls of the demo account, so that the console has something to show: written through the ledger's own stores, each
 * held, recorded and settled at its time, after a grant that pays for all of them, so that the books balance on each of
 * these days and a start that is killed on the way harms nothing.
 */
import { ulid } from 'ulid';
import type { CreditStore } from '../../../lambdas/ledger/core/credits.ts';
import { isCallHold, type UsageStore, type WalletStore } from '../../../lambdas/ledger/core/ports.ts';
import type { BillLine, UsageRecord } from '../../../lambdas/ledger/core/usage-record.ts';
import { DEFAULT_HOLD_TTL_SECONDS } from '../../../lambdas/platform/contract/environment.ts';
import type { NanoUsd } from '../../../lambdas/platform/core/money.ts';

/** Prices of the default catalog, in nano-USD a million tokens. */
const MODELS = [
  { model: 'sim/chat', route: 'sim-chat', input: 150_000_000n, output: 600_000_000n, weight: 10 },
  {
    model: 'sim/chat-large',
    route: 'sim-chat-large',
    input: 3_000_000_000n,
    output: 15_000_000_000n,
    weight: 3,
  },
  {
    model: 'sim/chat-anthropic',
    route: 'sim-anthropic',
    input: 1_000_000_000n,
    output: 5_000_000_000n,
    weight: 5,
  },
] as const;

const MILLION = 1_000_000;
const DAY_MS = 86_400_000;

/** A past call, without whose it is. */
export type PastCall = Omit<UsageRecord, 'keyId' | 'accountId'>;

/** Numbers from 0 to 1 that are the same at each start (Park and Miller, 1988). */
function* chances(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (state * 16_807) % 2_147_483_647;
    yield state / 2_147_483_647;
  }
}

/** Calls of the days before `nowMs`, the oldest first: more by day than by night, fewer on Sundays. */
export function pastCalls(nowMs: number, days: number): readonly PastCall[] {
  const draw = chances(20_261_123);
  const chance = () => draw.next().value;
  const weights = MODELS.flatMap((model) => Array.from({ length: model.weight }, () => model));
  const calls = Array.from({ length: days }, (_, at) => {
    const dayMs = nowMs - (days - at) * DAY_MS;
    const quiet = new Date(dayMs).getUTCDay() === 0;
    const count = Math.round((quiet ? 2 : 6) + chance() * 6);
    return Array.from({ length: count }, () => {
      const model = weights[Math.floor(chance() * weights.length)] ?? MODELS[0];
      const input = 200 + Math.floor(chance() ** 3 * 24_000);
      const output = 20 + Math.floor(chance() ** 2 * 1_800);
      // The running hours are left to the calls that somebody makes.
      return pastCall(dayMs + Math.floor(chance() * DAY_MS * 0.8), model, {
        input,
        output,
        failed: chance() < 0.02,
      });
    });
  });
  return calls.flat().toSorted((a, b) => a.created - b.created);
}

function pastCall(
  atMs: number,
  { model, route, input: inputPrice, output: outputPrice }: (typeof MODELS)[number],
  { input, output, failed }: { readonly input: number; readonly output: number; readonly failed: boolean },
): PastCall {
  const lines: readonly BillLine[] = [
    { item: 'input', quantity: input, price: inputPrice, per: MILLION },
    { item: 'output', quantity: output, price: outputPrice, per: MILLION },
  ];
  const product = BigInt(input) * inputPrice + BigInt(output) * outputPrice;
  const cost = (product + BigInt(MILLION) - 1n) / BigInt(MILLION);
  return {
    id: `req_${ulid(atMs)}`,
    created: Math.floor(atMs / 1000),
    model,
    kind: 'chat',
    inputUnits: failed ? 0 : input,
    cachedUnits: 0,
    outputUnits: failed ? 0 : output,
    unit: 'token',
    cost: failed ? 0n : cost,
    estimated: false,
    route: failed ? null : route,
    status: failed ? 'failed' : 'completed',
    ...(failed ? {} : { lines }),
  };
}

export const costOfCalls = (calls: readonly PastCall[]): NanoUsd =>
  calls.reduce((sum, { cost }) => sum + cost, 0n);

/** The id of a key that is a day older than the first of the calls: no key has calls from before it was made. */
export const pastKeyId = (calls: readonly PastCall[]): string =>
  `key_${ulid((calls[0]?.created ?? 0) * 1000 - DAY_MS)}`;

/** Two days before the first call: a statement of the present month has the calls of up to 30 days, and no such grant. */
const grantedAt = (calls: readonly PastCall[]): number => (calls[0]?.created ?? 0) - (2 * DAY_MS) / 1000;

/** The stores that a settlement needs. */
export interface SettlementStores {
  readonly credits: Pick<CreditStore, 'topUp'>;
  readonly wallets: Pick<WalletStore, 'hold' | 'endHold'>;
  readonly usage: Pick<UsageStore, 'put'>;
}

/** Grants what the calls cost, and settles them, one after the other, with a key of the account. */
export async function settlePast(
  { credits, wallets, usage }: SettlementStores,
  { accountId, keyId }: Pick<UsageRecord, 'accountId' | 'keyId'>,
  calls: readonly PastCall[],
): Promise<void> {
  const created = grantedAt(calls);
  await credits.topUp({
    accountId,
    id: ulid(created * 1000),
    amount: costOfCalls(calls),
    created,
    source: 'grant',
  });
  for (const call of calls) {
    const { id, created, cost, kind } = call;
    const expires = created + DEFAULT_HOLD_TTL_SECONDS;
    const { granted, wallet } = await wallets.hold(accountId, { id, keyId, amount: cost, kind, expires });
    const hold = wallet?.holds.filter(isCallHold).find((each) => each.id === id);
    if (!granted || hold === undefined) throw new Error('the account cannot pay for its past calls');
    await usage.put({ ...call, accountId, keyId });
    await wallets.endHold(accountId, { ...hold, cost, recorded: created });
  }
}
