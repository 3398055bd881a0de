/** On a schedule: recovers what crashed calls have left. */
import type { Recovery, RecoveryCount } from '../../core/ledger/recovery.ts';
import { type KeyPages, sweep, type WalletPages } from '../../core/ledger/upkeep.ts';
import type { Log } from '../../core/ports.ts';

export interface SweepDependencies {
  readonly pages: { readonly wallets: WalletPages; readonly keys: KeyPages };
  readonly recovery: Recovery;
  /** Told what each run has recovered. */
  readonly onRecovered: (count: RecoveryCount) => void;
  readonly log: Log;
}

export function sweepHolds({ pages, recovery, onRecovered, log }: SweepDependencies) {
  return async (): Promise<RecoveryCount> => {
    const { settled, released } = await sweep(pages, recovery);
    onRecovered({ settled, released });
    if (settled + released > 0) log.warn('holds recovered', { settled, released });
    return { settled, released };
  };
}
