/** `quotas --stage S`: what the deployment needs of its AWS account, and what the account grants; before a first deployment too. */
import { type Command, type CommandOutput, ok, options } from '../arguments.ts';
import { readGranted, readPresent } from './account.ts';
import { type ExpectedLoad, type Row, rowsOf } from './needs.ts';

/** Small defaults: ten calls per second of ten seconds, and the default `requestsPerSecond`. */
const USUAL = { calls: '10', seconds: '10', requests: '1000' } as const;

function loadOf(args: readonly string[]): ExpectedLoad {
  const read = { ...USUAL, ...options(args, [], Object.keys(USUAL)) };
  const number = (name: keyof typeof USUAL) => {
    const value = Number(read[name]);
    if (!Number.isFinite(value) || value <= 0) throw new Error(`--${name} must be a number above 0`);
    return value;
  };
  return { calls: number('calls'), seconds: number('seconds'), requests: number('requests') };
}

async function compare(stage: string, load: ExpectedLoad): Promise<CommandOutput> {
  const [granted, present] = [await readGranted(), await readPresent(stage)];
  return outcomeOf(stage, rowsOf(granted, present, load));
}

/** Exit 1 when something that was read is too little. */
function outcomeOf(stage: string, rows: readonly Row[]): CommandOutput {
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
    },
    text: rows.map(lineOf).join('\n'),
    exitCode: rows.some(({ enough }) => enough === false) ? 1 : 0,
  };
}

/** `too few  Lambda: concurrent executions   200 needed   10 granted  (10 calls a second of 10 s, 100 for the rest)`. */
function lineOf({ quota, needed, granted, enough, why }: Row): string {
  const status = enough === undefined ? 'unknown' : enough ? 'enough' : 'too few';
  const grantedText = 'value' in granted ? `${granted.value} granted` : `not read: ${granted.unread}`;
  return `${status.padEnd(8)} ${quota.padEnd(44)} ${String(needed).padStart(6)} needed  ${grantedText}  (${why})`;
}

export const QUOTAS_COMMAND: Command = {
  usage: '[--calls N] [--seconds N] [--requests N]',
  alone(args, stage) {
    const load = loadOf(args);
    if (stage === undefined)
      return ok({ quotas: 'the local service has no AWS account, and so no quotas: name a --stage' });
    return compare(stage, load);
  },
  async run() {
    throw new Error('quotas are read without a service');
  },
};
