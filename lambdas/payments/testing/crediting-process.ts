/** A process of its own that learns of one payment when its parent says so: by its event, or by a reconciliation. */
import { flushCompileCache } from 'node:module';
import { TABLE_VARIABLES } from '../../../tools/bench/harness/service/database.ts';
import { engineClients } from '../../../tools/test-kit/engine.ts';
import { SILENT } from '../../ledger/testing/running-ledger.ts';
import { applyEvent } from '../core/orders.ts';
import type { OrderReference } from '../core/ports.ts';
import { reconcilePayments } from '../core/reconciliation.ts';
import { createOrderStore } from '../store/create-orders.ts';

export interface KnownPayment {
  readonly endpoint: string;
  readonly by: 'event' | 'reconciliation';
  readonly orders: readonly OrderReference[];
  /** Nano-USD of each. */
  readonly amount: number;
}

async function learn({ endpoint, by, orders, amount: nanoUsd }: KnownPayment): Promise<number> {
  const clients = engineClients(endpoint);
  const store = createOrderStore({ clients, environment: TABLE_VARIABLES });
  const created = Math.floor(Date.now() / 1000);
  const fact = { kind: 'paid' as const, amount: BigInt(nanoUsd) };
  let credited = 0;
  const count = (result: string) => {
    if (result === 'credited') credited += 1;
  };
  if (by === 'event')
    await Promise.all(
      orders.map(async (order) => count(await applyEvent({ store, log: SILENT }, { order, fact, created }))),
    );
  else
    await reconcilePayments({
      lists: {
        isConfigured: async () => true,
        async *list(name) {
          if (name === 'payments')
            yield orders.map((order) => ({ id: `cs_${order.orderId}`, order, fact, created }));
        },
      },
      store,
      onApplied: count,
      wait: async () => {},
      clock: Date.now,
      log: SILENT,
    });
  clients.client.destroy();
  clients.onceClient.destroy();
  return credited;
}

process.on('message', async (payment: KnownPayment) => {
  process.send?.(await learn(payment));
});
process.send?.('ready');
// A killed process keeps nothing by itself of what it has compiled (NODE_COMPILE_CACHE).
flushCompileCache();
