/** The findings of the last audit of all accounts, stored for the operators of the service. */
import * as z from 'zod';
import { type Body, seconds, usd } from '../../../platform/core/api/response-schema.ts';
import { type NanoUsd, usdJson } from '../../../platform/core/money.ts';

export interface AuditConclusion {
  /** The time at which the audit ended, in seconds since the epoch. */
  readonly endedAt: number;
  readonly accounts: number;
  /** Accounts whose ledger could not be verified. */
  readonly unproven: number;
  readonly drift: NanoUsd;
  /** Every segment of the accounts is complete. */
  readonly complete: boolean;
}

export const auditViewSchema = z.object({
  object: z.literal('audit'),
  last: z
    .object({
      ended: seconds,
      accounts: z.int(),
      unproven: z.int().describe('Accounts whose ledger could not be proven.'),
      drift: usd,
      complete: z.boolean().describe('False: some accounts were not reached.'),
      exact: z.boolean().describe('Every account was reached and proven, and none drifts.'),
    })
    .nullable()
    .describe('Null before the first audit.'),
});

/** Returns the last audit for the operator's view. */
export const auditView = (conclusion: AuditConclusion | undefined): Body<typeof auditViewSchema> => ({
  object: 'audit',
  last:
    conclusion === undefined
      ? null
      : {
          ended: conclusion.endedAt,
          accounts: conclusion.accounts,
          unproven: conclusion.unproven,
          drift: usdJson(conclusion.drift),
          complete: conclusion.complete,
          exact: conclusion.complete && conclusion.unproven === 0 && conclusion.drift === 0n,
        },
});
