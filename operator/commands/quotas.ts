/** `quotas --stage S`: what the deployment needs of its AWS account, and what the account grants; before a first deployment too. */

import { readCaller } from '../aws-account.ts';
import { countAssembly, synthesize } from '../deployment/assembly.ts';
import { readUpOptions, SHIPPED_CATALOG, type UpOptions } from '../deployment/settings.ts';
import { readAccountState } from '../quotas/account.ts';
import { type AccountCheck, checkAccount } from '../quotas/checks.ts';
import { type ExpectedLoad, type Row, rowsOf, STACK_RESOURCES } from '../quotas/needs.ts';
import { type Command, type CommandOutput, options } from './arguments.ts';

/** A small default. */
export const DEFAULT_LOAD: ExpectedLoad = { calls: 10, seconds: 10 };

function loadOf(values: Readonly<Record<string, string | undefined>>): ExpectedLoad {
  const number = (name: keyof ExpectedLoad) => {
    const value = Number(values[name] ?? DEFAULT_LOAD[name]);
    if (!Number.isFinite(value) || value <= 0) throw new Error(`--${name} must be a number above 0`);
    return value;
  };
  return { calls: number('calls'), seconds: number('seconds') };
}

async function compare(options: UpOptions, load: ExpectedLoad): Promise<CommandOutput> {
  const { config, catalog, assembly } = options;
  // Without credentials nothing can be read, and this error says what to set.
  const { region } = await readCaller();
  await synthesize(options, region);
  const state = await readAccountState(region, config.stage);
  const checks = await checkAccount(config, catalog);
  return outcomeOf(config.stage, rowsOf(state, load, config, countAssembly(assembly)), checks);
}

/** Exit 1 when something that was read is too little or missing, or no quota of the account could be read. */
function outcomeOf(stage: string, rows: readonly Row[], checks: readonly AccountCheck[]): CommandOutput {
  const isLacking =
    rows.some(({ enough }) => enough === false) ||
    rows.every(({ enough, granted }) => enough === undefined || granted === STACK_RESOURCES) ||
    checks.some(({ state }) => state === 'missing');
  return {
    output: {
      stage,
      quotas: rows.map(({ quota, needed, granted, enough, why }) => ({
        quota,
        needed,
        granted: 'value' in granted ? granted.value : null,
        enough: enough ?? null,
        why,
        ...('unread' in granted ? { unread: granted.unread } : {}),
      })),
      checks,
    },
    text: [...checks.map(checkLine), ...rows.map(quotaLine)].join('\n'),
    exitCode: isLacking ? 1 : 0,
  };
}

export const checkLine = ({ check, state, note }: AccountCheck): string =>
  `${state.padEnd(8)} ${check.padEnd(44)} ${note}`;

/** `too few  Lambda: concurrent executions   200 needed   10 granted  (10 calls a second of 10 s, 100 for the rest)`. */
export function quotaLine({ quota, needed, granted, enough, why }: Row): string {
  const status = enough === undefined ? 'unknown' : enough ? 'enough' : 'too few';
  const grantedText = 'value' in granted ? `${granted.value} granted` : `not read: ${granted.unread}`;
  return `${status.padEnd(8)} ${quota.padEnd(44)} ${String(needed).padStart(6)} needed  ${grantedText}  (${why})`;
}

export const QUOTAS_COMMAND: Command = {
  usage: '[--calls N] [--seconds N] [--catalog FILE] [--app FOLDER]',
  alone(args, stage) {
    const {
      catalog = SHIPPED_CATALOG,
      app,
      ...values
    } = options(args, [], [...Object.keys(DEFAULT_LOAD), 'catalog', 'app']);
    const load = loadOf(values);
    if (stage === undefined)
      return {
        output: { quotas: 'the local service has no AWS account, and so no quotas: name a --stage' },
        exitCode: 1,
      };
    const folder = app === undefined ? [] : ['--app', app];
    return compare(readUpOptions(['--stage', stage, '--catalog', catalog, ...folder]), load);
  },
  async run() {
    throw new Error('quotas are read without a service');
  },
};
