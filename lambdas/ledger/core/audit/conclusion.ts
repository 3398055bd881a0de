/** The findings of the last audit of all accounts, stored for the operators of the service. */
import * as z from 'zod';
import { type Body, seconds, usd } from '../../../platform/core/api/response-schema.ts';
import { type NanoUsd, usdJson } from '../../../platform/core/money.ts';

export interface AuditConclusion {
  /** The time at which the audit ended, in seconds since the epoch. */
  readonly ended: number;
  readonly accounts: number;
  /** Accounts whose books it could not prove. */
  readonly unproven: number;
  readonly drift: NanoUsd;
  /** Every segment of the accounts came to its end. */
  readonly complete: boolean;
}

export const auditViewSchema = z.object({
  object: z.literal('audit'),
  last: z
    .object({
      ended: seconds,
      accounts: z.int(),
      unproven: z.int().describe('Accounts whose books could not be proven.'),
      drift: usd,
      complete: z.boolean().describe('False: some accounts were not reached.'),
      exact: z.boolean().describe('Every account was reached and proven, and none drifts.'),
    })
    .nullable()
    .describe('Null before the first audit.'),
});

/** The last audit as an operator sees it. */
export const auditView = (found: AuditConclusion | undefined): Body<typeof auditViewSchema> => ({
  object: 'audit',
  last:
    found === undefined
      ? null
      : {
          ended: found.ended,
          accounts: found.accounts,
          unproven: found.unproven,
          drift: usdJson(found.drift),
          complete: found.complete,
          exact: found.complete && found.unproven === 0 && found.drift === 0n,
        },
});
