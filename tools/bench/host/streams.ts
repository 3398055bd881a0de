/** Callers of the shared host who each hold a stream open, and what each of them got. */
import { call, type LoadedCall } from '../harness/load/call.ts';
import { CHAT_STREAMED } from '../harness/load/cases.ts';
import { evenly, openLoop, overPool } from '../harness/load/loops.ts';
import type { BenchAccount } from '../harness/service/account.ts';
import { hostRequest, type Stage } from './stage.ts';

export interface StreamRun extends LoadedCall {
  readonly account: BenchAccount;
}

export interface StreamLoad {
  readonly url: string;
  /** The upstream's name of the answer. */
  readonly upstream: string;
  readonly count: number;
  /** Calls begin at this rate. */
  readonly perSecond: number;
}

/** Opens all streams, and resolves when each has ended or broken off. */
export async function streamAll(
  { accounts }: Stage,
  { url, upstream, count, perSecond }: StreamLoad,
): Promise<readonly StreamRun[]> {
  let at = 0;
  const { calls } = await overPool(url, count, (pool) =>
    openLoop(evenly(count, perSecond), async () => {
      const account = accounts[at++ % accounts.length] as BenchAccount;
      const request = hostRequest(CHAT_STREAMED, upstream, account);
      return { account, ...(await call(pool, request, performance.now())) };
    }),
  );
  return calls;
}
