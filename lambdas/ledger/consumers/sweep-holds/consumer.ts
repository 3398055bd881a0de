/** On a schedule: recovers the holds that crashed calls have left, and checks alerts. */

import type { Clock, Log } from '../../../platform/core/ports.ts';
import type { Recovery, RecoveryCount } from '../../core/recovery.ts';
import { SweepError, sweep, type Tidy, type WalletPages } from '../../core/sweep.ts';

/** The holds of every wallet as the sweep reads them, those of running calls among them. */
interface OpenHolds {
  readonly open: number;
  /** The longest that one is past its expiry, seconds; 0 when none is. */
  readonly overdueSeconds: number;
}

export interface SweepDependencies {
  readonly pages: WalletPages;
  readonly tidy: Tidy;
  readonly recovery: Recovery;
  readonly sweepAlerts: () => Promise<void>;
  /** Receives what each run has recovered, and the open holds that it observed. */
  readonly onSwept: (count: RecoveryCount, openHolds: OpenHolds) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** The maximum time for tidying in a run of at most 4 minutes. The next run tidies the remainder. */
const MAX_TIDY_MS = 120_000;

export function sweepHolds(dependencies: SweepDependencies) {
  const { pages, tidy, recovery, sweepAlerts, onSwept, clock, log } = dependencies;
  const recover = async (): Promise<RecoveryCount> => {
    const nowSeconds = Math.floor(clock() / 1000);
    const tidyUntilMs = clock() + MAX_TIDY_MS;
    let [open, overdueSeconds] = [0, 0];
    const wallets: WalletPages = async (after) => {
      const page = await pages(after);
      for (const { expires } of page.wallets.flatMap(({ holds }) => holds)) {
        open += 1;
        overdueSeconds = Math.max(overdueSeconds, nowSeconds - expires);
      }
      return page;
    };
    const swept = await sweep(wallets, recovery, async (accountId) => {
      if (clock() < tidyUntilMs) await tidy(accountId);
    }).catch((failure: unknown) => {
      if (failure instanceof SweepError) return failure;
      throw failure;
    });
    const { settled, released } = swept instanceof SweepError ? swept.count : swept;
    onSwept({ settled, released }, { open, overdueSeconds });
    if (settled + released > 0) log.warn('holds recovered', { settled, released });
    if (!(swept instanceof SweepError)) return swept;
    log.error('holds not recovered', { failed: swept.failed, name: (swept.cause as Error).name });
    // Fails the function, so that its alarm fires.
    throw swept;
  };
  return async (): Promise<RecoveryCount> => {
    // Neither waits for the other, nor fails with it.
    const [recovered, alerted] = await Promise.allSettled([recover(), sweepAlerts()]);
    if (recovered.status === 'rejected') throw recovered.reason;
    if (alerted.status === 'rejected') throw alerted.reason;
    return recovered.value;
  };
}
