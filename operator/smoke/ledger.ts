/** The money of a smoke test: what is left and what was used is what was given, to the nano-dollar, and nothing stays held. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ulid } from 'ulid';
import * as z from 'zod';
import type { UsageRecord } from '../../lambdas/ledger/core/usage-record.ts';
import { type Check, expectThat } from '../../lambdas/operations/core/smoke-test/check.ts';
import type { SmokeClient } from '../../lambdas/operations/core/smoke-test/client.ts';
import { formatUsd, type NanoUsd, parseUsd } from '../../lambdas/platform/core/money.ts';
import type { Operator } from '../operator.ts';

/** A workflow settles transcriptions; a call that a process settles after its response takes less. */
const SETTLED_WITHIN_MS = 30_000;
const POLL_MS = 250;

type LedgerReader = Pick<Operator, 'wallet' | 'usageOf'>;

export interface SmokeAccount {
  readonly accountId: string;
  readonly grant: NanoUsd;
}

const holdsOf = async (operator: LedgerReader, accountId: string) => (await operator.wallet(accountId)).holds;

/** Reads the records of the account's usage, which state the amounts that calls took from it. */
async function recordsOf(operator: LedgerReader, accountId: string): Promise<readonly UsageRecord[]> {
  const records: UsageRecord[] = [];
  const span = { fromMs: 0, toMs: Date.now() + 86_400_000 };
  for await (const record of operator.usageOf(accountId, span)) records.push(record);
  return records;
}

const paidIn = (records: readonly Pick<UsageRecord, 'cost'>[]): NanoUsd =>
  records.reduce((sum, { cost }) => sum + cost, 0n);

export const holdsCheck = (operator: LedgerReader, { accountId }: SmokeAccount): Check => ({
  name: 'holds',
  async run() {
    const deadlineMs = Date.now() + SETTLED_WITHIN_MS;
    let open = await holdsOf(operator, accountId);
    while (open.length > 0 && Date.now() < deadlineMs) {
      await sleep(POLL_MS);
      open = await holdsOf(operator, accountId);
    }
    const ids = open.map(({ id, kind }) => `${id} (${kind})`).join(', ');
    expectThat(open.length === 0, `still held for ${ids}`);
    return { note: 'nothing is held' };
  },
});

export const ledgerCheck = (operator: LedgerReader, { accountId, grant }: SmokeAccount): Check => ({
  name: 'books',
  async run() {
    const records = await recordsOf(operator, accountId);
    const { balance, debt } = await operator.wallet(accountId);
    const used = paidIn(records);
    const sum = `balance ${formatUsd(balance)} + usage ${formatUsd(used)}`;
    expectThat(balance - debt + used === grant, `${sum} is not the grant of ${formatUsd(grant)}`);
    return { note: `${sum} = ${formatUsd(grant)}` };
  },
});

const usagePage = z.object({ data: z.array(z.object({ id: z.string(), cost: z.number() })) });

/** The most that a page has; a smoke test makes fewer calls. */
const PAGE = 100;

/** Returns a check that the API shows the caller the same calls as the ledger. */
export const usageCheck = (
  operator: LedgerReader,
  client: SmokeClient,
  { accountId }: SmokeAccount,
): Check => ({
  name: 'usage',
  async run() {
    const { json } = await client.inference(`/v1/usage?limit=${PAGE}`);
    const shown = usagePage.parse(json).data;
    const records = await recordsOf(operator, accountId);
    const sum = shown.reduce((total, { cost }) => total + (parseUsd(cost) ?? 0n), 0n);
    expectThat(
      shown.length === records.length && sum === paidIn(records),
      `the API shows ${shown.length} calls for ${formatUsd(sum)}, the books have ${records.length} for ${formatUsd(paidIn(records))}`,
    );
    return { note: `${shown.length} calls` };
  },
});

/** Takes what is left back as a refund; returns how much. What is still held returns later, and stays in the account. */
export async function takeRest(
  operator: Pick<Operator, 'wallet' | 'takeFree'>,
  accountId: string,
): Promise<NanoUsd> {
  const { balance } = await operator.wallet(accountId);
  if (balance === 0n) return 0n;
  const { result } = await operator.takeFree(accountId, balance, smokeNote());
  return result === 'taken' ? balance : 0n;
}

/** Returns the id and the reason of a removal of credit by the smoke test. */
export const smokeNote = () => ({ id: ulid(), reason: 'smoke test' });
