/** `bill`: an account's bill of a period, from its usage records. */
import { recomputeBill } from '../catalog/bill.ts';
import { readCatalogFile } from '../catalog/catalog-file.ts';
import { type Command, options } from './arguments.ts';
import { forPeople } from './people.ts';

const DATE = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}(\.\d{1,3})?Z)?$/;
const DAY_MS = 86_400_000;

/** A UTC date, or a time of RFC 3339 with `Z`, in milliseconds since the epoch. */
function timeOf(name: string, value: string): number {
  const ms = DATE.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(ms)) throw new Error(`--${name} must be a date such as 2026-11-01, or a time in UTC`);
  return ms;
}

/** Returns the end of the period: that of the day `through`, or `to`, which the period does not include. */
function endOf({ to, through }: Readonly<Record<string, string | undefined>>): number {
  if ((to === undefined) === (through === undefined)) throw new Error('name one of --through and --to');
  if (through === undefined) return timeOf('to', to ?? '');
  if (through.length > '2026-11-01'.length) throw new Error('--through must be a date such as 2026-11-30');
  return timeOf('through', through) + DAY_MS;
}

/** Says which calls a period includes. */
function periodText(from: string, to: string): string {
  const isDays = [from, to].every((time) => time.endsWith('T00:00:00.000Z'));
  if (!isDays) return `${from} until before ${to}`;
  const last = new Date(Date.parse(to) - DAY_MS).toISOString();
  return `${from.slice(0, 10)} through ${last.slice(0, 10)}, both days included (UTC)`;
}

export const BILL_COMMAND: Command = {
  usage: '--account A --from DATE --through DATE [--catalog FILE]',
  async run(operator, args) {
    const { account, from, catalog, ...end } = options(
      args,
      ['account', 'from'],
      ['through', 'to', 'catalog'],
    );
    const span = { fromMs: timeOf('from', from), toMs: endOf(end) };
    if (span.fromMs >= span.toMs)
      throw new Error(`--from must be before --${end.to === undefined ? 'through' : 'to'}`);
    const json = catalog === undefined ? undefined : await readCatalogFile(operator, catalog);
    const { output, differences } = await recomputeBill(operator, { accountId: account, span, json });
    const period = { from: new Date(span.fromMs).toISOString(), to: new Date(span.toMs).toISOString() };
    const forPerson = { account_id: account, calls_from: periodText(period.from, period.to), ...output };
    return {
      output: { account_id: account, ...period, ...output },
      exitCode: differences === 0 ? 0 : 1,
      text: forPeople(forPerson),
    };
  },
};
