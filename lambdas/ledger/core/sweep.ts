/** The sweep: recovery of expired holds over every wallet, a page at a time. */
import type { Wallet } from './ports.ts';
import type { Recovery, RecoveryCount } from './recovery.ts';

/** Reads a page of wallets, after the one that the page before ended with. */
export type WalletPages = (after?: string) => Promise<{
  readonly wallets: readonly Pick<Wallet, 'accountId' | 'holds'>[];
  /** Accounts whose wallet is stored in several shards. */
  readonly untidy: readonly string[];
  readonly next: string | undefined;
}>;

/** Merges those shards of an account's wallet that are not needed. */
export type Tidy = (accountId: string) => Promise<void>;

/** Wallets that one sweep tidies; the others are left to the next one. */
const MAX_TIDIED = 10_000;

/** Some wallets could not be recovered; all others were. */
export class SweepError extends Error {
  override readonly name = 'SweepFailed';
  /** The successful recoveries of the failed sweep. */
  readonly count: RecoveryCount;
  readonly failed: number;

  constructor(
    count: RecoveryCount,
    failed: number,
    first: { readonly accountId: string; readonly cause: unknown },
  ) {
    const { accountId, cause } = first;
    super(
      `${failed} wallets could not be recovered, first that of ${accountId}: ${(cause as Error).message}`,
      { cause },
    );
    this.count = count;
    this.failed = failed;
  }
}

/**
 * Settles or releases every expired hold of every wallet, then tidies wallets. Safe to repeat, to race and to
 * interrupt. A hold that cannot be recovered does not stop the others: it is skipped, and after all others `SweepError`
 * is thrown.
 */
export async function sweep(pages: WalletPages, recovery: Recovery, tidy: Tidy): Promise<RecoveryCount> {
  let [settled, released, failed] = [0, 0, 0];
  let first: { readonly accountId: string; readonly cause: unknown } | undefined;
  const attempt = async (
    accountId: string,
    work: () => Promise<RecoveryCount | undefined>,
  ): Promise<void> => {
    try {
      const count = await work();
      settled += count?.settled ?? 0;
      released += count?.released ?? 0;
    } catch (cause) {
      failed += 1;
      first ??= { accountId, cause };
    }
  };
  const untidy: string[] = [];
  let after: string | undefined;
  do {
    const page = await pages(after);
    for (const wallet of page.wallets) await attempt(wallet.accountId, () => recovery.recoverWallet(wallet));
    untidy.push(...page.untidy.slice(0, MAX_TIDIED - untidy.length));
    after = page.next;
  } while (after !== undefined);
  for (const accountId of untidy) await attempt(accountId, () => tidy(accountId).then(() => undefined));
  if (first !== undefined) throw new SweepError({ settled, released }, failed, first);
  return { settled, released };
}
