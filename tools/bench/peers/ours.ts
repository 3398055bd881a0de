/** Our own functions, as they deploy, in one process behind HTTP; with the ledger, and without it to price the money. */
import { upstreamModel } from '../harness/load/cases.ts';
import type { BenchAccount } from '../harness/service/account.ts';
import { hostRequest, type Stage } from '../host/stage.ts';
import type { Contestant } from './contestant.ts';

export const OURS = 'ours';
export const OURS_WITHOUT_MONEY = 'ours, ledger off';

/** Calls take the accounts in turn. */
export function ourContestant({ accounts, start }: Stage, money: boolean): Contestant {
  let calls = 0;
  return {
    name: money ? OURS : OURS_WITHOUT_MONEY,
    serves: () => true,
    request: (testCase, pauseMs) =>
      hostRequest(
        testCase,
        upstreamModel(testCase, pauseMs),
        accounts[calls++ % accounts.length] as BenchAccount,
      ),
    start: () => start({ money }),
  };
}
