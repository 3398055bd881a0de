/** The sweep: recovery of expired holds over every wallet, a page at a time. */
import type { KeyState } from '../access/key-state.ts';
import type { Wallet } from './ports.ts';
import type { Recovery, RecoveryCount } from './recovery.ts';

/** Reads a page of wallets, after the one that the page before ended with. */
export type WalletPages = (after?: string) => Promise<{
  readonly wallets: readonly Wallet[];
  readonly accounts: readonly string[];
  readonly next: string | undefined;
}>;

/** Reads a page of keys with open charges, after the one that the page before ended with. */
export type KeyPages = (after?: string) => Promise<{
  readonly keys: readonly KeyState[];
  readonly next: string | undefined;
}>;

/** Some wallets or keys could not be recovered; all others were. */
export class SweepFailed extends Error {
  override readonly name = 'SweepFailed';
  /** What was recovered all the same. */
  readonly count: RecoveryCount;
  readonly failed: number;

  constructor(count: RecoveryCount, failed: number, cause: unknown) {
    super(`${failed} wallets or keys could not be recovered`, { cause });
    this.count = count;
    this.failed = failed;
  }
}

/**
 * Settles or releases every expired hold of every wallet, then the charges of keys that a crash left without their
 * hold; safe to repeat, to race and to interrupt. One that cannot be recovered does not keep the others from it: it is
 * passed over, and when all are done `SweepFailed` is thrown.
 */
export async function sweep(
  pages: { readonly wallets: WalletPages; readonly keys: KeyPages },
  recovery: Recovery,
): Promise<RecoveryCount> {
  let [settled, released, failed] = [0, 0, 0];
  let cause: unknown;
  const attempt = async (recover: () => Promise<RecoveryCount | undefined>): Promise<void> => {
    try {
      const count = await recover();
      settled += count?.settled ?? 0;
      released += count?.released ?? 0;
    } catch (failure) {
      failed += 1;
      cause ??= failure;
    }
  };
  let after: string | undefined;
  do {
    const { wallets, next } = await pages.wallets(after);
    for (const wallet of wallets) await attempt(() => recovery.recoverWallet(wallet));
    after = next;
  } while (after !== undefined);
  do {
    const { keys, next } = await pages.keys(after);
    for (const key of keys) {
      await attempt(async () => {
        await recovery.recoverKey(key);
        return undefined;
      });
    }
    after = next;
  } while (after !== undefined);
  if (failed > 0) throw new SweepFailed({ settled, released }, failed, cause);
  return { settled, released };
}
