/**
 * Write units and requests of a call where one process has many open at once: each caller holds its call while a provider
 * takes its time, settles it, and makes the next one. Calls that arrive together share writes.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createLedger } from '../../lambdas/adapters/ledger/create-ledger.ts';
import type { Figure } from '../harness/report.ts';
import { auditOf, openAccount, SILENT, UNMEASURED } from '../harness/service/account.ts';
import type { Database } from '../harness/service/database.ts';
import { Traffic } from '../harness/service/traffic.ts';
import { COST, callOf, OUTCOME, waitForQuietMinute } from './call.ts';
import { WRITE_UNITS } from './call-cost.ts';

const OPEN = [1, 64, 256] as const;

/** From this many calls open at once on, a call costs at most those units. */
const MANY = 64;
const UNITS_OF_MANY = 3;

/** Of each caller; of the first, the process learns the wallet's parts. */
const WARM_UP_CALLS = 4;
const CALLS = 8;
const LEAST_CALLS = 100;

/** What a provider takes: as short as any does, so that the ledger's share is large. */
const PROVIDER_MS = 20;

/** The calls that are counted must not meet a minute that begins, whose first call writes more. */
const NEEDED_MS = 25_000;

export async function measureGroupCost(database: Database): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const open of OPEN) figures.push(...(await measureAt(open, database)));
  return figures;
}

async function measureAt(open: number, { connect, environment }: Database): Promise<readonly Figure[]> {
  const clients = connect();
  const traffic = new Traffic(clients);
  const account = await openAccount(clients, environment);
  const { ledger } = createLedger({ clients, environment, log: SILENT, measure: UNMEASURED });
  const call = async () => {
    const admission = await ledger.admit(callOf(account));
    await sleep(PROVIDER_MS);
    await admission.settle(OUTCOME);
  };
  const callers = (calls: number) =>
    Promise.all(
      Array.from({ length: open }, async () => {
        for (let made = 0; made < calls; made += 1) await call();
      }),
    );
  await waitForQuietMinute(NEEDED_MS);
  await callers(WARM_UP_CALLS);
  traffic.take();
  const each = Math.max(CALLS, Math.ceil(LEAST_CALLS / open));
  const startedMs = performance.now();
  const cpu = process.cpuUsage();
  await callers(each);
  const { user, system } = process.cpuUsage(cpu);
  const seconds = (performance.now() - startedMs) / 1000;
  const calls = open * each;
  const { writeUnits, writes, reads, refused } = traffic.take();
  const books = await auditOf(clients, environment, account.accountId);
  const spent = COST * BigInt(open * (WARM_UP_CALLS + each));
  const at = `${open} open in one process`;
  const most = open === 1 ? WRITE_UNITS : UNITS_OF_MANY;
  return [
    {
      name: `${at}: a call`,
      value: writeUnits / calls,
      unit: 'write units',
      ...(open === 1 || open >= MANY ? { most } : {}),
    },
    { name: `${at}: a call`, value: writes / calls, unit: 'writes' },
    { name: `${at}: a call`, value: reads / calls, unit: 'reads' },
    { name: `${at}: conditional failures`, value: refused / calls, unit: 'a call' },
    { name: `${at}: throughput`, value: calls / seconds, unit: 'calls/s' },
    {
      name: `${at}: CPU a call`,
      value: (user + system) / 1000 / calls,
      unit: 'ms CPU',
      note: 'the ledger and its requests, without an endpoint',
    },
    {
      name: `${at}: books not as settled`,
      value: Number(books.drift + books.held + books.usage - spent) + books.unproven,
      unit: 'nano-USD',
      most: 0,
    },
  ];
}
