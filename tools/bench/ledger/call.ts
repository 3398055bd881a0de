/** One call on the ledger, without an endpoint around it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Call, NO_OUTPUT } from '../../../lambdas/ledger/core/call.ts';
import type { CallOutcome } from '../../../lambdas/ledger/core/usage-record.ts';
import type { NanoUsd } from '../../../lambdas/platform/core/money.ts';
import { systemUlid } from '../../../lambdas/platform/system/system.ts';
import type { BenchAccount } from '../harness/service/account.ts';
import { MODEL } from '../harness/service/chat.ts';

/** Nano-USD: what a call holds, and what it comes to. */
export const HELD_AMOUNT: NanoUsd = 10_000n;
const COST: NanoUsd = 4_000n;

export const callOf = ({ key }: BenchAccount): Call => ({
  requestId: `req_${systemUlid()}`,
  key,
  scope: { kind: 'chat', models: [[MODEL]] },
  output: NO_OUTPUT,
  tokens: () => 100,
  cost: () => HELD_AMOUNT,
});

export const OUTCOME: CallOutcome = {
  model: MODEL,
  inputUnits: 20,
  cachedUnits: 0,
  outputUnits: 20,
  unit: 'token',
  amount: COST,
  estimated: false,
  route: 'sim-chat',
  status: 'completed',
  tokens: 40,
  lines: [
    { item: 'cached_input', quantity: 12_000, price: 300_000_000n, per: 1_000_000 },
    { item: 'input', quantity: 20, price: 3_000_000_000n, per: 1_000_000 },
    { item: 'output', quantity: 20, price: 15_000_000_000n, per: 1_000_000 },
  ],
  catalog: '0123456789abcdef',
};

/** The design's budget of the rounds before the upstream. */
export const ROUNDS_BEFORE = 1;

/** The first call of a minute begins the key's windows anew, which costs a round more. */
const MINUTE_MS = 60_000;

/** Waits for the next minute when this one ends within `neededMs`. */
export async function waitForQuietMinute(neededMs: number): Promise<void> {
  const leftMs = MINUTE_MS - (Date.now() % MINUTE_MS);
  if (leftMs < neededMs) await sleep(leftMs);
}
