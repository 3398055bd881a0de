/** Compares the orders with the payment provider now, and applies what no event has brought. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { reconcilePayments } from '../../lambdas/payments/core/reconciliation.ts';
import { createOrderStore } from '../../lambdas/payments/store/create-orders.ts';
import { StripeLists } from '../../lambdas/payments/store/stripe-lists.ts';
import type { DynamoClients } from '../../lambdas/platform/aws/clients.ts';
import { createSecretReader } from '../../lambdas/platform/aws/secrets.ts';
import type { Log } from '../../lambdas/platform/core/ports.ts';
import { systemClock } from '../../lambdas/platform/system/system.ts';

interface PaymentTarget {
  readonly clients: DynamoClients;
  readonly secrets: SecretsManagerClient;
  readonly environment: Readonly<Record<string, string>>;
  readonly log: Log;
}

export const createReconciliation =
  ({ clients, secrets, environment, log }: PaymentTarget) =>
  (days: number) => {
    const readSecret = createSecretReader({ client: secrets, environment, clock: systemClock, log });
    return reconcilePayments(
      {
        lists: new StripeLists({ environment, readSecret, clock: systemClock, log }),
        store: createOrderStore({ clients, environment }),
        onApplied: () => {},
        wait: sleep,
        clock: systemClock,
        log,
      },
      days,
    );
  };
