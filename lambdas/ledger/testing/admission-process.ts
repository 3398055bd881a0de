/** A process of its own that makes calls when its parent says so: the ledger raced as functions and hosts race it. */
import { flushCompileCache } from 'node:module';
import { engineClients } from '../../../tools/test-kit/engine.ts';
import type { VerifiedKey } from '../../access/core/keys/api-key.ts';
import { ServiceError } from '../../platform/core/errors.ts';
import { newCall, openHost } from './leases/running-host.ts';
import { callOf, openLedger, outcomeOf } from './running-ledger.ts';

export interface Race {
  readonly endpoint: string;
  readonly key: VerifiedKey;
  /** The time of a function; absent for a shared host, which has leases and the time of day. */
  readonly nowMs?: number;
  readonly calls: number;
  /** Nano-USD that each call holds. */
  readonly amount: number;
  /** Nano-USD that each call costs; absent to leave the holds open. */
  readonly cost?: number;
}

export interface RaceResult {
  readonly granted: number;
  /** Refusals by code; a failure that is no refusal counts under its name. */
  readonly rejections: Readonly<Record<string, number>>;
}

async function run({ endpoint, key, nowMs, calls, amount, cost }: Race): Promise<RaceResult> {
  const clients = engineClients(endpoint);
  const host = nowMs === undefined ? openHost(clients) : undefined;
  const { ledger } = host ?? openLedger({ clients, clock: () => nowMs ?? 0 });
  const rejections: Record<string, number> = {};
  let granted = 0;
  const call = async () => {
    try {
      const admission = await ledger.admit((host ? newCall : callOf)(key, BigInt(amount)));
      granted += 1;
      if (cost !== undefined) await admission.settle(outcomeOf(BigInt(cost)));
    } catch (failure) {
      const code = failure instanceof ServiceError ? failure.code : String(failure);
      rejections[code] = (rejections[code] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: calls }, call));
  await host?.close();
  clients.client.destroy();
  clients.onceClient.destroy();
  return { granted, rejections };
}

process.on('message', async (race: Race) => {
  process.send?.(await run(race));
});
process.send?.('ready');
// A killed process keeps nothing by itself of what it has compiled (NODE_COMPILE_CACHE).
flushCompileCache();
