/** The operator's commands: arguments in, one JSON object out. */
import { ulid } from 'ulid';
import * as z from 'zod';
import {
  type Policy,
  policyEntry,
  policySchema,
  requireStorable,
} from '../../lambdas/access/core/keys/policy.ts';
import { creditOf } from '../../lambdas/ledger/core/usage/credit-balance.ts';
import { writtenLayout } from '../../lambdas/platform/contract/layouts.ts';
import { usdJson } from '../../lambdas/platform/core/money.ts';
import { EVENT_ID, MAX_DATA_BYTES, SUBSCRIBABLE_TYPES } from '../../lambdas/webhooks/core/event.ts';
import type { Operator } from '../operator.ts';
import type { RedriveResult } from '../redrive.ts';
import { type Command, ok, options } from './arguments.ts';
import { CALL_COMMAND } from './call.ts';
import { CATALOG_COMMANDS } from './catalog.ts';
import { CREDIT_COMMANDS } from './credit.ts';
import { CUSTOMER_COMMANDS } from './customers.ts';
import { LAYOUT_COMMANDS } from './layouts.ts';
import { MARKET_COMMANDS } from './market.ts';
import { OPERATORS_COMMANDS } from './operators.ts';
import { RECONCILE_COMMAND } from './payments.ts';
import { POLICY_COMMAND } from './policies.ts';
import { QUOTAS_COMMAND } from './quotas.ts';
import { SMOKE_COMMAND } from './smoke.ts';
import { SMOKE_KEY_COMMAND } from './smoke-key.ts';
import { TELEMETRY_COMMANDS } from './telemetry.ts';

function timeOf(value: string): Date {
  const time = z.iso.datetime({ offset: true }).safeParse(value);
  if (!time.success) throw new Error('--at must be a time such as 2026-11-21T09:30:00Z');
  return new Date(value);
}

function typeOf(value: string): string {
  if (SUBSCRIBABLE_TYPES.some((type) => type === value)) return value;
  throw new Error(`--type must be one of ${SUBSCRIBABLE_TYPES.join(', ')}`);
}

function dataOf(value: string): Record<string, unknown> {
  let data: unknown;
  try {
    data = JSON.parse(value);
  } catch {
    // Handled below, with everything else that is not an object.
  }
  if (typeof data !== 'object' || data === null || Array.isArray(data))
    throw new Error('--data must be a JSON object');
  if (Buffer.byteLength(value) > MAX_DATA_BYTES)
    throw new Error(`--data must be at most ${MAX_DATA_BYTES} bytes`);
  return { ...data };
}

async function policyOf({ layouts }: Operator, value: string | undefined): Promise<Policy> {
  let input: unknown;
  try {
    input = JSON.parse(value ?? '{}');
  } catch (cause) {
    throw new Error('--policy must be a JSON object', { cause });
  }
  const result = policySchema.safeParse(input);
  if (!result.success) throw new Error(`--policy is not valid:\n${z.prettifyError(result.error)}`);
  requireStorable(result.data, writtenLayout('keys', await layouts.read()));
  return result.data;
}

const redriveOf = (what: RedriveResult): Command => ({
  usage: '',
  async run(operator, args) {
    options(args, []);
    return ok({ redriven: await operator.redrive(what) });
  },
});

export const COMMANDS: Readonly<Record<string, Command>> = {
  'account create': {
    usage: '[--email E]',
    async run(operator, args) {
      const { email } = options(args, [], ['email']);
      const accountId = await operator.openAccount(email);
      return ok({ account_id: accountId, session_token: await operator.issueSession(accountId) });
    },
  },
  'key create': {
    usage: '--account A [--name N] [--policy JSON]',
    async run(operator, args) {
      const { account, name = 'default', policy } = options(args, ['account'], ['name', 'policy']);
      const granted = await policyOf(operator, policy);
      const { keyId, key } = await operator.createKey(account, name, granted);
      return ok({ id: keyId, key, policy: policyEntry(granted) });
    },
  },
  'key policy': {
    usage: '--key K --policy JSON',
    async run(operator, args) {
      const { key, policy } = options(args, ['key', 'policy']);
      const granted = await policyOf(operator, policy);
      await operator.setPolicy(key, granted);
      return ok({ id: key, policy: policyEntry(granted) });
    },
  },
  'key revoke': {
    usage: '--key K',
    async run(operator, args) {
      const { key } = options(args, ['key']);
      await operator.revoke(key);
      return ok({ id: key, status: 'revoked' });
    },
  },
  'wallet show': {
    usage: '--account A',
    async run(operator, args) {
      const { account } = options(args, ['account']);
      const wallet = await operator.wallet(account);
      return ok({
        account_id: account,
        ...creditOf(wallet),
        holds: wallet.holds.map(({ id, kind, keyId, amount, expires }) => ({
          id,
          kind,
          key_id: keyId,
          amount: usdJson(amount),
          expires,
        })),
      });
    },
  },
  sweep: {
    usage: '',
    async run(operator, args) {
      options(args, []);
      return ok({ ...(await operator.sweep()) });
    },
  },
  audit: {
    usage: '[--whole]',
    async run(operator, args) {
      const whole = args.includes('--whole');
      options(
        args.filter((each) => each !== '--whole'),
        [],
      );
      const auditResult = await operator.audit(whole);
      const output = {
        exact: auditResult.exact,
        unproven: auditResult.unproven,
        top_ups: usdJson(auditResult.topUps),
        refunds: usdJson(auditResult.refunds),
        purchases: usdJson(auditResult.purchases),
        purchase_refunds: usdJson(auditResult.purchaseRefunds),
        earnings: {
          pending: usdJson(auditResult.pending),
          available: usdJson(auditResult.available),
          in_transit: usdJson(auditResult.inTransit),
          paid_out: usdJson(auditResult.paidOut),
          transferred: usdJson(auditResult.transfers),
          fees: usdJson(auditResult.fees),
        },
        owed: usdJson(auditResult.owed),
        balances: usdJson(auditResult.balances),
        held: usdJson(auditResult.held),
        usage: usdJson(auditResult.usage),
        drift: usdJson(auditResult.drift),
      };
      return { output, exitCode: auditResult.exact ? 0 : 1 };
    },
  },
  close: {
    usage: '[--reason TEXT]',
    async run(operator, args) {
      const { reason = '' } = options(args, [], ['reason']);
      return ok({ ...(await operator.maintenance.close(reason)) });
    },
  },
  open: {
    usage: '',
    async run(operator, args) {
      options(args, []);
      await operator.maintenance.open();
      return ok({ closed: false });
    },
  },
  'maintenance show': {
    usage: '',
    async run(operator, args) {
      options(args, []);
      return ok({ ...(await operator.maintenance.show()) });
    },
  },
  'tables check': {
    usage: '',
    async run(operator, args) {
      options(args, []);
      const different = await operator.checkTables();
      return { output: { different }, exitCode: different.length === 0 ? 0 : 1 };
    },
  },
  'tables return': {
    usage: '',
    async run(operator, args) {
      options(args, []);
      return ok({ ...(await operator.copyBack()) });
    },
  },
  restore: {
    usage: '--at TIME',
    async run(operator, args) {
      const at = timeOf(options(args, ['at']).at);
      return ok({ ...(await operator.restore(at)) });
    },
  },
  'event publish': {
    usage: '--type T --account A --data JSON [--id ID]',
    async run(operator, args) {
      const {
        type,
        account,
        data,
        id = `evt_${ulid()}`,
      } = options(args, ['type', 'account', 'data'], ['id']);
      if (!EVENT_ID.test(id)) throw new Error('--id must be 1 to 128 letters, digits and _ . : -');
      const event = { type: typeOf(type), accountId: account, data: dataOf(data), id };
      await operator.wallet(account);
      await operator.publish(event);
      return ok({ id });
    },
  },
  'webhooks seal': {
    usage: '',
    async run(operator, args) {
      options(args, []);
      const { sealed, failed } = await operator.sealWebhooks();
      return { output: { sealed, failed }, exitCode: failed.length === 0 ? 0 : 1 };
    },
  },
  'deliveries redrive': redriveOf('deliveries'),
  'event redrive': redriveOf('events'),
  'payments reconcile': RECONCILE_COMMAND,
  ...CUSTOMER_COMMANDS,
  ...CREDIT_COMMANDS,
  ...MARKET_COMMANDS,
  ...OPERATORS_COMMANDS,
  ...CATALOG_COMMANDS,
  ...LAYOUT_COMMANDS,
  ...TELEMETRY_COMMANDS,
  'call find': CALL_COMMAND,
  quotas: QUOTAS_COMMAND,
  policy: POLICY_COMMAND,
  smoke: SMOKE_COMMAND,
  'smoke key': SMOKE_KEY_COMMAND,
};
