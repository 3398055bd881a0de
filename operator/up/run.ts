/**
 * `npm run up`: from credentials to a paid call, with one question. Every step first reads what exists, so that a
 * repetition after any failure continues where the last run ended.
 */
import { createInterface } from 'node:readline/promises';
import { formatUsd } from '../../lambdas/platform/core/money.ts';
import { stackNameOf } from '../../lib/config/stage-names.ts';
import { type AwsCaller, readCaller } from '../aws-account.ts';
import { checkLine, DEFAULT_LOAD, quotaLine } from '../commands/quotas.ts';
import { countAssembly, stacksOnTheWayBack, synthesize } from '../deployment/assembly.ts';
import { runCdk } from '../deployment/cdk.ts';
import { laterRelease } from '../deployment/readable-stage.ts';
import { readUpOptions, UP_HELP, type UpOptions, withRegion, withSettings } from '../deployment/settings.ts';
import { StageStacks } from '../deployment/stacks.ts';
import { createOperator, type Operator } from '../operator.ts';
import { readAccountState } from '../quotas/account.ts';
import { bootstrapRegions, checkAccount, hostZones } from '../quotas/checks.ts';
import { rowsOf } from '../quotas/needs.ts';
import { requireRestoredTables } from '../restore/table-checks.ts';
import { readAwsTarget } from '../target.ts';
import { missingRights, type RightsChange, writePolicies } from './bootstrap.ts';
import { deliverFirstKey, grantFirstCredit, openFirstAccount } from './first-account.ts';
import { removesMarket } from './market.ts';
import { peopleLines } from './people.ts';
import { NO_ALARM_EMAIL, readRecipients } from './recipients.ts';
import { RECORDINGS_NOTICE } from './recordings.ts';
import { rightsOf } from './rights.ts';
import {
  applyFirstCatalog,
  firstCall,
  firstKeySecret,
  pendingLayouts,
  runSmokeTest,
  startAudit,
  storeFirstKey,
  storeSmokeKey,
} from './steps.ts';

const say = (step: string, ...lines: readonly string[]): void => {
  for (const line of lines) console.log(`${step.padEnd(12)}${line}`);
};

/** The stacks that import from the data stack. */
const SERVICE = ['inference', 'platform', 'operations'] as const;

/** True once something in the account may have changed: only then is there anything to continue. */
let hasBegun = false;

const hasTerminal = (): boolean => process.stdin.isTTY === true && process.stdout.isTTY === true;

/** Names the step that failed. */
async function step<T>(name: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    throw new Error(`${name}: ${(cause as Error).message}`, { cause });
  }
}

/** Names the zones of hosts where the settings name none: the first two of CloudFormation may be ones without VPC origins. */
async function nameZones(options: UpOptions): Promise<UpOptions> {
  const zones = options.isSynthesized ? undefined : await hostZones(options.config);
  if (zones === undefined) return options;
  const setting = JSON.stringify({ availabilityZones: zones });
  say('zones', `${zones.join(', ')}; to keep them whatever the region adds, set ${setting}`);
  return withSettings(options, { availabilityZones: [...zones] });
}

/** Throws if something without which a deployment fails is missing; prints the rest of what is too little. */
async function checkNeeds({ config, catalog, assembly }: UpOptions, region: string): Promise<void> {
  await requireRestoredTables(config);
  const checks = await checkAccount(config, catalog);
  const state = await readAccountState(region, config.stage);
  const rows = rowsOf(state, DEFAULT_LOAD, config, countAssembly(assembly)).filter(
    ({ enough }) => enough !== true,
  );
  const missing = [
    ...checks.filter(({ state }) => state === 'missing').map(checkLine),
    ...rows.filter(({ enough, isRequired }) => enough === false && isRequired).map(quotaLine),
  ];
  if (missing.length > 0) throw new Error(`the deployment would fail:\n${missing.join('\n')}`);
  // Models are listed when the catalog is applied.
  const toShow = checks.filter(({ check }) => check !== 'Model access');
  say('account', ...toShow.map(checkLine), ...rows.map(quotaLine));
}

/** Asks the one question: may these rights be created. Throws unless the answer is yes. */
async function confirmRights(options: UpOptions, caller: AwsCaller, { lines }: RightsChange): Promise<void> {
  const { config, assembly, isConfirmed } = options;
  say(
    'rights',
    `stage ${config.stage} in account ${caller.accountId}, ${caller.region}:`,
    ...rightsOf(assembly),
  );
  if (config.alarmEmail === undefined) say('alarms', NO_ALARM_EMAIL);
  if (config.transcribe) say('recordings', ...RECORDINGS_NOTICE);
  say('rights', ...lines);
  if (isConfirmed) return;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question('Deploy with these rights? (yes/no) ');
  terminal.close();
  if (answer.trim().toLowerCase() !== 'yes') throw new Error('nothing was deployed');
}

/** Writes policies and bootstraps: a bootstrap names the policies that it gives to CloudFormation. */
async function bootstrap(
  { configFile, assembly }: UpOptions,
  { accountId }: AwsCaller,
  { policies, bootstraps }: RightsChange,
): Promise<void> {
  await writePolicies(policies);
  for (const { region, policies: given } of bootstraps) {
    const rights = given.length === 0 ? [] : ['--cloudformation-execution-policies', given.join(',')];
    const environment = `aws://${accountId}/${region}`;
    await runCdk(configFile, region, 'bootstrap', environment, '--app', assembly, ...rights);
  }
}

async function deploy(
  { config, configFile, assembly }: UpOptions,
  region: string,
  isGoingBack: boolean,
): Promise<void> {
  for (const name of bootstrapRegions(config, region)) {
    const stacks = new StageStacks(name, config.stage);
    try {
      const cleared = await stacks.clearFailedCreations();
      if (cleared.length > 0)
        say('deployment', `deleted what could not be created before: ${cleared.join(', ')}`);
    } finally {
      stacks.close();
    }
  }
  const unattended = ['--require-approval', 'never'];
  const run = (...stacks: readonly string[]) =>
    runCdk(configFile, region, 'deploy', ...stacks, '--app', assembly, ...unattended);
  if (await removesMarket(config, region)) {
    // The data stack cannot delete an export of a table that another stack still imports.
    await run(...SERVICE.map((part) => stackNameOf(config.stage, part)), '--exclusively');
    // Until then the paths of the market took purchases.
    await removesMarket(config, region);
    say('market', 'left out; its tables and its bucket stay in the account, without a stack');
  }
  if (!isGoingBack) return run('--all');
  await run(...stacksOnTheWayBack(assembly, config.stage), '--exclusively');
}

/** Opens the account, adds the credit and delivers the key: on a terminal, else in a secret. */
async function giveFirstKey(operator: Operator, { config, credit }: UpOptions): Promise<void> {
  const accountId = await step('account', () => openFirstAccount(operator));
  say('account', accountId);
  const result = await step('credit', () => grantFirstCredit(operator, accountId, credit));
  say('credit', result === 'credited' ? `${formatUsd(credit)} USD` : 'given by an earlier run');
  const deliver = async (key: string) => {
    if (hasTerminal()) say('key', `${key} (shown only now)`);
    else say('key', `in the secret ${await storeFirstKey(config.stage, key)}`);
  };
  if (await step('key', () => deliverFirstKey(operator, accountId, deliver))) return;
  say(
    'key',
    `delivered by an earlier run: on its terminal, or in the secret ${firstKeySecret(config.stage)}`,
  );
}

async function useDeployment(options: UpOptions, caller: AwsCaller): Promise<void> {
  const { stage } = options.config;
  const log = { info: () => {}, warn: () => {}, error: (message: string) => console.error(message) };
  const operator = createOperator(await readAwsTarget(stage), log);
  try {
    say('catalog', ...(await step('catalog', () => applyFirstCatalog(operator, options))));
    await giveFirstKey(operator, options);
    const addresses = await step('addresses', () => operator.addresses());
    say('smoke test', await step('smoke test', () => runSmokeTest(operator, addresses)));
    if (options.config.smoke !== undefined)
      say('smoke key', await step('smoke key', () => storeSmokeKey(operator)));
    say('audit', await step('audit', () => startAudit(caller, stage)));
    say('alarms', ...(await readRecipients(caller, stage)));
    say('layouts', ...(await step('layouts', () => pendingLayouts(operator))));
    say('ready', ...(await step('first call', () => firstCall(operator, addresses))));
    say('people', ...(await peopleLines(operator.payments, options.config)));
  } finally {
    operator.close();
  }
}

async function up(given: UpOptions): Promise<void> {
  const { config, isConfirmed } = given;
  if (!isConfirmed && !hasTerminal())
    throw new Error('there is no terminal to ask on: add --yes to accept the rights');
  const caller = await step('credentials', readCaller);
  const { region } = caller;
  const options = await step('zones', () => nameZones(withRegion(given, region)));
  await step('synthesis', () => synthesize(options, region));
  await step('market', () => removesMarket(config, region));
  await step('account', () => checkNeeds(options, region));
  const later = await step('layouts', () => laterRelease(config, region));
  if (later !== undefined) say('back', `version ${later} is deployed: its data stack stays as it is`);
  const regions = bootstrapRegions(options.config, region);
  const rights = await step('bootstrap', () => missingRights(options.config, caller, regions));
  await step('rights', () => confirmRights(options, caller, rights));
  hasBegun = true;
  await step('bootstrap', () => bootstrap(options, caller, rights));
  await step('deployment', () => deploy(options, region, later !== undefined));
  say('deployment', `the stacks Inference-${config.stage}-... are up to date`);
  await useDeployment(options, caller);
}

const args = process.argv.slice(2);
if (args.includes('--help')) console.log(UP_HELP);
else
  try {
    await up(readUpOptions(args));
  } catch (failure) {
    console.error(`error: ${(failure as Error).message}`);
    console.error(
      hasBegun ? 'Run the same command again: it continues.' : 'npm run up -- --help lists the options.',
    );
    process.exitCode = 1;
  }
