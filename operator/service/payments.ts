/** The payment provider for the operator: whether it is configured, and the comparison of its lists with the orders. */
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

export function createPayments({ clients, secrets, environment, log }: PaymentTarget) {
  const readSecret = createSecretReader({ client: secrets, environment, clock: systemClock, log });
  const lists = () => new StripeLists({ environment, readSecret, clock: systemClock, log });
  return {
    /** Returns whether a key of the payment provider is stored. */
    isConfigured: () => lists().isConfigured(),
    /** Compares the orders with the provider now, and applies what no event has brought; undefined without a key. */
    reconcile: (days: number) =>
      reconcilePayments(
        {
          lists: lists(),
          store: createOrderStore({ clients, environment }),
          onApplied: () => {},
          wait: sleep,
          clock: systemClock,
          log,
        },
        days,
      ),
  };
}
