/**
 * Registrations of a context with functions of contexts that do not import it: the audit's check of earnings, and the
 * hint that the payment provider has news of a payout. A deployment without the table of the market has neither.
 */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { NO_EARNINGS } from '../../ledger/core/audit/no-earnings.ts';
import type { EarningsCheck } from '../../ledger/core/audit/ports.ts';
import { createEarningsCheck } from '../../marketplace/store/payouts/earnings-check.ts';
import { createPayoutHint } from '../../marketplace/store/payouts/payout-hint.ts';
import type { PayoutReference } from '../../payments/core/ports.ts';
import { TABLES } from '../../platform/contract/tables.ts';

interface Options {
  readonly client: DynamoDBClient;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

type HintPayout = (payout: PayoutReference) => Promise<boolean>;

const EARNINGS_CHECKS: readonly ((options: Options) => EarningsCheck)[] = [createEarningsCheck];

const PAYOUT_HINTS: readonly ((options: Options) => HintPayout)[] = [createPayoutHint];

/** Creates the one that is registered; returns undefined if there is none, or no market. */
const create = <T>([registered]: readonly ((options: Options) => T)[], options: Options): T | undefined =>
  options.environment[TABLES.market.variable] === undefined ? undefined : registered?.(options);

export const createEarnings = (options: Options): EarningsCheck =>
  create(EARNINGS_CHECKS, options) ?? NO_EARNINGS;

export const createHint = (options: Options): HintPayout =>
  create(PAYOUT_HINTS, options) ?? (async () => false);
