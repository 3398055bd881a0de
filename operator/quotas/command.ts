/** `quotas --stage S`: what the deployment needs of its AWS account, and what the account grants; before a first deployment too. */
import { join } from 'node:path';
import { loadConfig } from '../../lib/config/config.ts';
import { type Command, type CommandOutput, ok, options } from '../arguments.ts';
import { readCaller } from '../aws-account.ts';
import { readGranted, readPresent } from './account.ts';
import { type AccountCheck, checkAccount } from './checks.ts';
import { type ExpectedLoad, type Row, rowsOf } from './needs.ts';

/** Small defaults: ten calls per second of ten seconds, and the default `requestsPerSecond`. */
const USUAL = { calls: '10', seconds: '10', requests: '1000' } as const;

export const DEFAULT_LOAD: ExpectedLoad = { calls: 10, seconds: 10, requests: 1_000 };

function loadOf(values: Readonly<Record<string, string | undefined>>): ExpectedLoad {
  const read = { ...USUAL, ...values };
  const number = (name: keyof typeof USUAL) => {
    const value = Number(read[name]);
    if (!Number.isFinite(value) || value <= 0) throw new Error(`--${name} must be a number above 0`);
    return value;
  };
  return { calls: number('calls'), seconds: number('seconds'), requests: number('requests') };
}

async function compare(stage: string, load: ExpectedLoad, catalog: string): Promise<CommandOutput> {
  const config = loadConfig(process.env.CONFIG);
  // Without credentials nothing can be read, and this error says what to set.
  await readCaller();
  const [granted, present] = [await readGranted(), await readPresent(stage)];
  const checks = await checkAccount(config, catalog);
  return outcomeOf(stage, rowsOf(granted, present, load, config), checks);
}

/** Exit 1 when something that was read is too little or missing, or no quota could be read. */
function outcomeOf(stage: string, rows: readonly Row[], checks: readonly AccountCheck[]): CommandOutput {
  const isLacking =
    rows.some(({ enough }) => enough === false) ||
    rows.every(({ enough }) => enough === undefined) ||
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

/** The catalog that is shipped for an account without any vendor's key. */
export const SHIPPED_CATALOG = join(import.meta.dirname, '..', '..', 'catalogs', 'bedrock.json');

export const QUOTAS_COMMAND: Command = {
  usage: '[--calls N] [--seconds N] [--requests N] [--catalog FILE]',
  alone(args, stage) {
    const { catalog = SHIPPED_CATALOG, ...values } = options(args, [], [...Object.keys(USUAL), 'catalog']);
    const load = loadOf(values);
    if (stage === undefined)
      return ok({ quotas: 'the local service has no AWS account, and so no quotas: name a --stage' });
    return compare(stage, load, catalog);
  },
  async run() {
    throw new Error('quotas are read without a service');
  },
};
