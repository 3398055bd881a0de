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
import { organizationCostsQuery, organizationUsageQuery } from './core/usage/organization-query.ts';
import {
  organizationCostsSchema,
  organizationUsageSchema,
  USAGE_NAMES,
} from './core/usage/organization-usage.ts';
import { accountUsageQuery, usageQuery } from './core/usage/queries.ts';
import { receiptSchema, usageRecordSchema } from './core/usage/receipt.ts';
import { usageRollupsQuery, usageRollupsSchema } from './core/usage/rollups-response.ts';
import { statementQuery } from './core/usage/statement.ts';

/** The fields of a call that a key sees if it reads the usage of its account. */
const ofReader = {
  object: accountUsageSchema.shape.object.optional(),
  api_key: accountUsageSchema.shape.api_key
    .optional()
    .describe('For a key that reads the usage of its account.'),
};

const IGNORED = {
  'x-ignored-fields':
    'Parameters of the query that the list does not know: percent-encoded, separated by commas, at most 20 names and 1 KB, then `...`.',
};

const BY_EITHER_ID =
  '`request_id` is that of `x-request-id`; for a conversation, the `id` of its response is taken, too.';

const FEWER = `At most ${MAX_RECORDS} records are read for a page, so that with a filter it may have fewer entries, even none, and a \`next_cursor\` all the same.`;

export const LEDGER_COMPONENTS = {
  CreditBalance: creditBalanceSchema,
  AccountBalance: accountBalanceSchema,
  Alerts: alertsSchema,
  UsageReceipt: receiptSchema.extend(ofReader),
  UsageRecordPage: pageSchema(usageRecordSchema.extend(ofReader)),
  AccountUsageReceipt: accountReceiptSchema,
  UsageRollups: usageRollupsSchema,
  OrganizationUsagePage: organizationUsageSchema,
  OrganizationCostsPage: organizationCostsSchema,
  AccountUsagePage: pageSchema(accountUsageSchema),
};

export const LEDGER_OPERATIONS = tagged('Usage', {
  'list-usage': {
    description: `A key whose policy has \`reads\` lists the calls of its account, as \`GET /api/v1/usage\` does. ${FEWER}`,
    query: usageQuery,
    responses: ok('A page of calls.', LEDGER_COMPONENTS.UsageRecordPage, IGNORED),
  },
  'get-usage': {
    description: `${BY_EITHER_ID} A key whose policy has \`reads\` reads any call of its account.`,
    responses: ok('The call, with the lines of its bill.', LEDGER_COMPONENTS.UsageReceipt),
  },
  'list-organization-usage': {
    description: `\`kind\` is one of ${USAGE_NAMES.join(', ')}. A key reads its own usage, or that of its account if its policy has \`reads\`; a session reads that of its account. Buckets are whole: \`start_time\` is rounded down and \`end_time\` up. A call counts when it was settled. While calls of the span are not summed up, the response is 503, and a retry goes on. OpenAI’s other parameters, such as \`user_ids\` and the width \`1m\`, are 400.`,
    query: organizationUsageQuery,
    responses: ok('A page of buckets.', LEDGER_COMPONENTS.OrganizationUsagePage),
  },
  'list-organization-costs': {
    description:
      'As the usage by kind. A line item is a model. The sums are those of the usage records, to the nano-dollar.',
    query: organizationCostsQuery,
    responses: ok('A page of buckets.', LEDGER_COMPONENTS.OrganizationCostsPage),
  },
  'get-credits': {
    description:
      'Of the calling key, as `me`, by its id or by its text; an owner’s session may name any key of the account.',
    responses: ok('The balance.', creditBalanceSchema),
  },
  'get-balance': {
    description:
      '`held` is credit that is reserved for calls: their holds, and on a shared host what its processes take in advance. It is no part of `balance`. With `start`, `statement` has what changed the credit since: `opening` and all lines add up to `closing`.',
    query: statementQuery,
    responses: {
      200: {
        description: 'The balance.',
        schema: accountBalanceSchema,
        otherForms: { 'text/csv': 'The lines and charges of the statement, with the column names of FOCUS.' },
      },
    },
  },
  'get-alerts': { responses: ok('The thresholds.', alertsSchema) },
  'update-alerts': {
    description:
      'Webhooks that name `balance.low` receive it once a crossing. Holds of open calls count as remaining credit. `credit.exhausted` needs no threshold. 409 while the operator has not finished the upgrade to this version.',
    body: alertsRequest,
    example: { balance_low_usd: 20, balance_low_days: 3 },
    responses: ok('The thresholds after the change.', alertsSchema),
    errors: [409],
  },
  'list-account-usage': {
    description: `Revoked keys count too: at most ${MAX_KEYS} keys are read, the live ones and the newest others. ${FEWER}`,
    query: accountUsageQuery,
    responses: {
      200: {
        description: 'A page of calls.',
        schema: LEDGER_COMPONENTS.AccountUsagePage,
        headers: IGNORED,
        otherForms: { 'text/csv': 'All calls that match, with the column names of FOCUS.' },
      },
    },
  },
  'list-usage-rollups': {
    description:
      'Intervals that have calls, oldest first, whole ones: `start` is rounded down and `end` up. A call counts when it was settled. Rollups that are `complete` are those of the records, to the nano-dollar.',
    query: usageRollupsQuery,
    responses: ok('The usage rollups.', usageRollupsSchema),
  },
  'get-account-usage': {
    description: `${BY_EITHER_ID} A call of any of the account’s keys, as far as \`GET /api/v1/usage\` asks them.`,
    responses: ok('The call, with the lines of its bill.', accountReceiptSchema),
  },
});
