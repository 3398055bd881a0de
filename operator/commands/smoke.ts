/**
 * `smoke`: calls a running service like its callers, on an account that is created for it and emptied after it, and
 * reports the results. Exits with 1 if a check fails.
 */

import { parseCatalog } from '../../lambdas/inference/core/catalog/catalog-document.ts';
import { checksOf, healthCheck, modelsCheck } from '../../lambdas/operations/core/smoke-test/calls.ts';
import {
  type Check,
  type CheckResult,
  namesOf,
  runChecks,
} from '../../lambdas/operations/core/smoke-test/check.ts';
import { type Plan, planOf } from '../../lambdas/operations/core/smoke-test/plan.ts';
import { HttpClient } from '../../lambdas/operations/store/smoke-test/client.ts';
import { formatUsd, usdJson } from '../../lambdas/platform/core/money.ts';
import { systemClock } from '../../lambdas/platform/system/system.ts';
import { type Addresses, resolveAddresses } from '../addresses.ts';
import type { Operator } from '../operator.ts';
import { holdsCheck, ledgerCheck, type SmokeAccount, takeRest, usageCheck } from '../smoke/ledger.ts';
import { tablesCheck } from '../smoke/tables.ts';
import { webhookCheck } from '../smoke/webhook.ts';
import { type Command, type CommandOutput, options } from './arguments.ts';

interface SmokeTestOptions {
  readonly addresses: Addresses;
  /** The URL to which the test event is sent. */
  readonly receiver: string;
  readonly plan: Plan;
}

async function readOptions(operator: Operator, args: readonly string[]): Promise<SmokeTestOptions> {
  const { url, platform, receiver, models } = options(args, [], ['url', 'platform', 'receiver', 'models']);
  const addresses = await resolveAddresses(operator, url, platform);
  const stored = await operator.catalog();
  if (stored === undefined) throw new Error('no catalog has been applied');
  const names = models?.split(',').filter((name) => name !== '');
  return {
    addresses,
    // Every deployment has this address, and any response shows that the delivery arrived.
    receiver: receiver ?? `${addresses.platform}/health`,
    plan: planOf(parseCatalog(JSON.parse(stored.json)), names),
  };
}

interface OpenedAccount extends SmokeAccount {
  readonly keyId: string;
  readonly key: string;
}

const calledIn = ({ choices }: Plan): string[] =>
  choices.flatMap(({ model }) => (model === undefined ? [] : [model.id]));

/** A key that can spend what the account is given, on the chosen models, and nothing else. Lists of accounts show whose it is. */
async function open(operator: Operator, plan: Plan): Promise<OpenedAccount> {
  const { grant } = plan;
  const models = calledIn(plan);
  const accountId = await operator.openAccount('smoke-test');
  await operator.grant(accountId, grant);
  const { keyId, key } = await operator.createKey(accountId, 'smoke', {
    daily_usd: grant,
    monthly_usd: grant,
    ...(models.length === 0 ? {} : { allowed_models: models }),
  });
  return { accountId, grant, keyId, key };
}

function checksFor(
  operator: Operator,
  testOptions: SmokeTestOptions,
  account: OpenedAccount,
): readonly Check[] {
  const { addresses, plan, receiver } = testOptions;
  const client = new HttpClient(addresses, account.key);
  return [
    healthCheck(client),
    ...(operator.isDeployed ? [tablesCheck(operator)] : []),
    modelsCheck(client, calledIn(plan)),
    ...plan.choices.flatMap((choice) => checksOf(client, choice)),
    webhookCheck(client, receiver),
    holdsCheck(operator, account),
    usageCheck(operator, client, account),
    ledgerCheck(operator, account),
  ];
}

/** A line for a person: `failed   images      412 ms  sim/image  all_routes_failed: ...`. */
function lineOf({ check, result, ms, model, route, code, note }: CheckResult): string {
  const target = route === undefined ? model : `${model} by ${route}`;
  const details = code === undefined ? note : `${code}: ${note}`;
  const head = `${result.padEnd(8)} ${check.padEnd(16)} ${String(ms).padStart(6)} ms`;
  return [head, target, details].filter((part) => part !== undefined).join('  ');
}

async function smoke(operator: Operator, args: readonly string[]): Promise<CommandOutput> {
  const testOptions = await readOptions(operator, args);
  const account = await open(operator, testOptions.plan);
  const { accountId, keyId, grant } = account;
  const { highestCost } = testOptions.plan;
  console.error(`${accountId} is given ${formatUsd(grant)} USD${highestCostText(highestCost)}`);
  let results: readonly CheckResult[];
  try {
    const checks = checksFor(operator, testOptions, account);
    results = await runChecks(checks, systemClock, (result) => console.error(lineOf(result)));
  } finally {
    await operator.revoke(keyId);
  }
  const rest = await takeRest(operator, accountId);
  const failed = namesOf(results, 'failed');
  return {
    output: {
      passed: failed.length === 0,
      failed,
      account_id: accountId,
      key_id: keyId,
      grant: usdJson(grant),
      dearest:
        highestCost === undefined
          ? null
          : { model: highestCost.model, at_most: usdJson(highestCost.maxCost) },
      taken_back: usdJson(rest),
      checks: results,
    },
    text: [
      `${formatUsd(rest)} USD taken back, the key is revoked`,
      verdictOf(failed, namesOf(results, 'skipped')),
    ].join('\n'),
    exitCode: failed.length === 0 ? 0 : 1,
  };
}

/** Returns the last line of the smoke test. */
export function verdictOf(failed: readonly string[], skipped: readonly string[]): string {
  if (failed.length > 0) return `failed: ${failed.join(', ')}`;
  return skipped.length === 0
    ? 'everything works'
    : `works, ${skipped.length} skipped: ${skipped.join(', ')}`;
}

const highestCostText = (highestCost: Plan['highestCost']): string =>
  highestCost === undefined
    ? ''
    : `; the most expensive call is of ${highestCost.model}, at most ${formatUsd(highestCost.maxCost)}`;

export const SMOKE_COMMAND: Command = {
  usage: '[--models M,M] [--url URL [--platform URL]] [--receiver URL]',
  run: smoke,
};
