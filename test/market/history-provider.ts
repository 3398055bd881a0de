/**
 * Stripe's own library at the payment simulator, as the worker of a history calls it: each call waits for its turn and may
 * fail, and a request that moves money is repeated once under its key, as by the library.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SILENT } from '../../lambdas/ledger/testing/running-ledger.ts';
import type { PayoutProvider } from '../../lambdas/marketplace/core/payouts/ports.ts';
import { StripePayouts } from '../../lambdas/marketplace/store/payouts/stripe-payouts.ts';
import { ServiceError } from '../../lambdas/platform/core/errors.ts';
import type { Clock } from '../../lambdas/platform/core/ports.ts';
import { type PaymentSandbox, startPaymentSandbox } from '../../tools/simulators/payments/sandbox.ts';
import type { HistoryWorker } from './interleaving.ts';

/** A plain balance, and one that covers every payout of a history. */
export const PLATFORM_CENTS = 1_000_000_000;

export interface HistoryProvider {
  readonly sandbox: PaymentSandbox;
  readonly payouts: StripePayouts;
  /** The provider as a worker calls it; `keyOf` changes the idempotency key of each request. */
  of(worker: HistoryWorker, keyOf?: (key: string) => string): PayoutProvider;
  stop(): Promise<void>;
}

/** Its clock is that of the history. Payouts arrive at the bank only when the history settles them. */
export async function startProvider(clock: Clock): Promise<HistoryProvider> {
  const folder = mkdtempSync(join(tmpdir(), 'market-payments-'));
  const sandbox = await startPaymentSandbox({
    preferredPort: 0,
    file: join(folder, 'books.json'),
    log: () => {},
    time: { clock, after: () => () => {} },
  });
  sandbox.accounts.platform.balance = PLATFORM_CENTS;
  const environment = { PAYMENT_SECRET: 'payments', PAYMENT_API_URL: sandbox.url };
  const readSecret = async () => 'sk_test_histories';
  const payouts = new StripePayouts({ environment, readSecret, clock, log: SILENT });
  return {
    sandbox,
    payouts,
    of: (worker, keyOf) => interleaved(payouts, worker, keyOf),
    async stop() {
      await sandbox.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Requests that move money; their last argument is the idempotency key. */
const MONEY = ['createTransfer', 'createPayout', 'reverse'];

const noResponse = () => new ServiceError('payment_provider_unavailable', 'no response');

type Request = (...args: readonly unknown[]) => Promise<unknown>;

const interleaved = (
  provider: StripePayouts,
  worker: HistoryWorker,
  keyOf = (key: string) => key,
): PayoutProvider =>
  new Proxy(provider, {
    get(target, name) {
      const request = (Reflect.get(target, name) as Request).bind(target);
      const send: Request = (...args) => worker.call(() => request(...args), noResponse);
      if (!MONEY.includes(String(name))) return send;
      return async (...args: readonly unknown[]) => {
        const withKey = () => send(...args.slice(0, -1), keyOf(String(args.at(-1))));
        try {
          return await withKey();
        } catch {
          return withKey();
        }
      };
    },
  });
