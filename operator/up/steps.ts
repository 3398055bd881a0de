/** The steps of `up` after the deployment: catalog, first account, smoke test, audit. Each continues where an earlier run ended. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  CreateSecretCommand,
  PutSecretValueCommand,
  ResourceExistsException,
} from '@aws-sdk/client-secrets-manager';
import { SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { type CatalogDocument, parseCatalog } from '../../lambdas/inference/core/catalog/catalog-document.ts';
import { planOf } from '../../lambdas/operations/core/smoke-test/plan.ts';
import { createSecretsClient } from '../../lambdas/platform/aws/clients.ts';
import type { Config } from '../../lib/config/config.ts';
import type { Addresses } from '../addresses.ts';
import type { AwsCaller } from '../aws-account.ts';
import type { RouteAccess } from '../calls/route-access.ts';
import { requireTranscribe } from '../catalog/bedrock/audio-models.ts';
import { catalogWithout, type DeniedModel, lineOf, readModelAccess } from '../catalog/model-access.ts';
import { SMOKE_COMMAND } from '../commands/smoke.ts';
import { SMOKE_KEY_COMMAND } from '../commands/smoke-key.ts';
import type { UpOptions } from '../deployment/settings.ts';
import type { Operator } from '../operator.ts';
import { Names } from '../policies/scope.ts';
import { readFirstCatalog } from './first-catalog.ts';

/** A function that found no catalog reads it again within seconds; a first one starts cold. */
const HEALTHY_WITHIN_MS = 120_000;
const POLL_MS = 1_000;

/** The secret with the first key, for a run that has no terminal to show it on. */
export const firstKeySecret = (stage: string): string => `${stage}/first-key`;

/**
 * Applies the models of the first catalog that the account may call. Models that are active stay, and so does a catalog
 * that has another model: it is the operator's own. Returns what it did, a line each.
 */
export async function applyFirstCatalog(
  operator: Pick<Operator, 'routes' | 'catalog' | 'applyCatalog'>,
  options: Pick<UpOptions, 'catalog' | 'config'>,
): Promise<readonly string[]> {
  const { json: shipped, origin, comparison, notes: leftOut } = await readFirstCatalog(operator, options);
  const current = await operator.catalog();
  const active = current === undefined ? [] : modelsIn(current.json);
  if (current !== undefined && !active.every((model) => modelsIn(shipped).includes(model)))
    return [
      `version ${current.version} is active and not of ${origin}: left as it is`,
      `${comparison} shows the difference`,
    ];
  const document = parseCatalog(JSON.parse(shipped));
  const access = await readModelAccess(document, operator.routes);
  const unserved = await unservedBy(document, operator.routes, options.config);
  const activeIds = new Set(active.map((model) => (JSON.parse(model) as { readonly id: string }).id));
  const denied = [...access.denied, ...unserved].filter(({ id }) => !activeIds.has(id));
  const json = catalogWithout(shipped, denied);
  const notes = [
    ...leftOut,
    ...denied.map((model) => `left out: ${lineOf(model)}`),
    ...access.unknown.map(({ id, reason }) => `not checked: ${id}: ${reason}`),
  ];
  const count = modelsIn(json).length;
  if (current !== undefined && JSON.stringify(JSON.parse(current.json)) === JSON.stringify(JSON.parse(json)))
    return [`version ${current.version} with ${count} models is active`, ...notes];
  return [`version ${await operator.applyCatalog(json)} with ${count} models applied`, ...notes];
}

/** Returns the models that only Amazon Transcribe serves if the stage or its region is without it. */
async function unservedBy(
  { models }: CatalogDocument,
  access: RouteAccess,
  { transcribe }: Config,
): Promise<readonly DeniedModel[]> {
  const own = models.filter(({ routes }) => routes.every(({ protocol }) => protocol === 'transcribe'));
  if (own.length === 0) return [];
  const remedy = transcribe
    ? await requireTranscribe(access).then(
        () => undefined,
        (failure: Error) => `${failure.message}; a region without it takes "up --without transcribe"`,
      )
    : 'this stage is without transcribe';
  return remedy === undefined ? [] : own.map(({ id }) => ({ id, remedy }));
}

/** Returns each model of a catalog as text. */
const modelsIn = (json: string): readonly string[] =>
  (JSON.parse(json) as { readonly models: readonly unknown[] }).models.map((model) => JSON.stringify(model));

/** Puts the key into the stage's secret; returns the name of the secret. */
export async function storeFirstKey(stage: string, key: string): Promise<string> {
  const client = createSecretsClient();
  const name = firstKeySecret(stage);
  try {
    await client.send(new CreateSecretCommand({ Name: name, SecretString: key })).catch((failure) => {
      if (!(failure instanceof ResourceExistsException)) throw failure;
      return client.send(new PutSecretValueCommand({ SecretId: name, SecretString: key }));
    });
    return name;
  } finally {
    client.destroy();
  }
}

/** Calls everything once. Throws the names of the checks that failed. */
export async function runSmokeTest(operator: Operator, { platform }: Addresses): Promise<string> {
  const deadlineMs = Date.now() + HEALTHY_WITHIN_MS;
  while (!(await isHealthy(platform)) && Date.now() < deadlineMs) await sleep(POLL_MS);
  const { exitCode, text = '' } = await SMOKE_COMMAND.run(operator, []);
  if (exitCode !== 0) throw new Error(text);
  return text.split('\n').join('; ');
}

const isHealthy = (platform: string): Promise<boolean> =>
  fetch(`${platform}/health`).then(
    ({ ok }) => ok,
    () => false,
  );

/** Gives the scheduled smoke test its key, unless it has one: without a key it calls nothing, and sees no failure. */
export async function storeSmokeKey(operator: Operator): Promise<string> {
  const { smokeAccess } = operator;
  if ((await smokeAccess.read()) !== undefined) return 'stored by an earlier run';
  await SMOKE_KEY_COMMAND.run(operator, []);
  return `in the secret ${smokeAccess.name()}`;
}

/** Returns what is left to do for the newest layouts, a line; nothing if the stage has them. */
export async function pendingLayouts({ layouts }: Pick<Operator, 'layouts'>): Promise<readonly string[]> {
  const pending = await layouts.pending();
  return pending.length === 0
    ? []
    : [`${pending.join(', ')}: run "admin layout finish" once no process of the version before is left`];
}

/** Starts the audit of every night now. Its result is on the dashboard, and ends the alarm of a missing audit. */
export async function startAudit(caller: AwsCaller, stage: string): Promise<string> {
  const client = new SFNClient({ region: caller.region });
  try {
    const { executionArn = '' } = await client.send(
      new StartExecutionCommand({
        stateMachineArn: new Names({ ...caller, stage }).arn('states', `stateMachine:${stage}-audit-books`),
        input: '{}',
      }),
    );
    return executionArn;
  } finally {
    client.destroy();
  }
}

/** Returns how to call the service: a command that works, the base URL of SDKs, and the console. */
export async function firstCall(
  operator: Operator,
  { inference, platform }: Addresses,
): Promise<readonly string[]> {
  const stored = await operator.catalog();
  if (stored === undefined) throw new Error('no catalog has been applied');
  const { choices } = planOf(parseCatalog(JSON.parse(stored.json)));
  const model = choices.find(({ kind }) => kind === 'chat')?.model?.id ?? '<a chat model of the catalog>';
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello!' }] });
  return [
    `curl ${inference}/v1/chat/completions -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d '${body}'`,
    `base URL of OpenAI's SDKs: ${inference}/v1`,
    `base URL of Anthropic's SDKs: ${inference}`,
    `console: ${platform}/console`,
  ];
}
