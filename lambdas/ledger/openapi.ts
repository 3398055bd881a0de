/** The descriptions of credit and of usage records. */
import { ok, tagged } from '../platform/contract/operation.ts';
import { pageSchema } from '../platform/core/api/paging.ts';
import { alertsRequest, alertsSchema } from './core/alerts/thresholds.ts';
import {
  accountReceiptSchema,
  accountUsageSchema,
  MAX_KEYS,
  MAX_RECORDS,
} from './core/usage/account-calls.ts';
import { accountBalanceSchema, creditBalanceSchema } from './core/usage/credit-balance.ts';
import { accountUsageQuery, usageQuery } from './core/usage/queries.ts';
import { receiptSchema, usageRecordSchema } from './core/usage/receipt.ts';
import { usageRollupsQuery, usageRollupsSchema } from './core/usage/rollups-response.ts';
import { statementQuery } from './core/usage/statement.ts';

export const LEDGER_COMPONENTS = {
  CreditBalance: creditBalanceSchema,
  AccountBalance: accountBalanceSchema,
  Alerts: alertsSchema,
  UsageReceipt: receiptSchema,
  UsageRecordPage: pageSchema(usageRecordSchema),
  AccountUsageReceipt: accountReceiptSchema,
  UsageRollups: usageRollupsSchema,
  AccountUsagePage: pageSchema(accountUsageSchema),
};

export const LEDGER_OPERATIONS = tagged('Usage', {
  'list-usage': {
    query: usageQuery,
    responses: ok('A page of calls.', LEDGER_COMPONENTS.UsageRecordPage),
  },
  'get-usage': {
    responses: ok('The call, with the lines of its bill.', receiptSchema),
  },
  'get-credits': {
    description:
      'Of the calling key, by its id or its text; an owner’s session may name any key of the account.',
    responses: ok('The balance.', creditBalanceSchema),
  },
  'get-balance': {
    description:
      '`held` is credit that is reserved for calls: their holds, and on a shared host what its processes take in advance. It is no part of `balance`. With `start`, `statement` has what changed the credit since: `opening` and all lines add up to `closing`.',
    query: statementQuery,
    responses: ok('The balance.', accountBalanceSchema),
  },
  'get-alerts': { responses: ok('The thresholds.', alertsSchema) },
  'update-alerts': {
    description:
      'Webhooks that name `balance.low` receive it once a crossing. Holds of open calls count as remaining credit. `credit.exhausted` needs no threshold. 409 while the operator has not finished the upgrade to this version.',
    body: alertsRequest,
    responses: ok('The thresholds after the change.', alertsSchema),
    errors: [409],
  },
  'list-account-usage': {
    description: `Revoked keys count too: at most ${MAX_KEYS} keys are read, the live ones and the newest others. At most ${MAX_RECORDS} records are read for a page, so that with a filter it may have fewer entries, even none, and a \`next_cursor\` all the same.`,
    query: accountUsageQuery,
    responses: ok('A page of calls.', LEDGER_COMPONENTS.AccountUsagePage),
  },
  'list-usage-rollups': {
    description:
      'Intervals that have calls, oldest first, whole ones: `start` is rounded down and `end` up. A call counts when it was settled. Rollups that are `complete` are those of the records, to the nano-dollar.',
    query: usageRollupsQuery,
    responses: ok('The usage rollups.', usageRollupsSchema),
  },
  'get-account-usage': {
    description: `A call of any of the account’s keys, as far as \`GET /api/v1/usage\` asks them.`,
    responses: ok('The call, with the lines of its bill.', accountReceiptSchema),
  },
});
