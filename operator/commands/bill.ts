/** `bill recompute`: an account's bill of a period, from its usage records. */
import { readFileSync } from 'node:fs';
import { recomputeBill } from '../catalog/bill.ts';
import { type Command, options } from './arguments.ts';

const DATE = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}(\.\d{1,3})?Z)?$/;

/** A UTC date, or a time of RFC 3339 with `Z`, in milliseconds since the epoch. */
function timeOf(name: string, value: string): number {
  const ms = DATE.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(ms)) throw new Error(`--${name} must be a date such as 2026-11-01, or a time in UTC`);
  return ms;
}

export const BILL_COMMAND: Command = {
  usage: '--account A --from DATE --to DATE [--catalog FILE]',
  async run(operator, args) {
    const { account, from, to, catalog } = options(args, ['account', 'from', 'to'], ['catalog']);
    const span = { fromMs: timeOf('from', from), toMs: timeOf('to', to) };
    if (span.fromMs >= span.toMs) throw new Error('--from must be before --to');
    const json = catalog === undefined ? undefined : readFileSync(catalog, 'utf8');
    const { output, differences } = await recomputeBill(operator, { accountId: account, span, json });
    const period = { from: new Date(span.fromMs).toISOString(), to: new Date(span.toMs).toISOString() };
    return { output: { account_id: account, ...period, ...output }, exitCode: differences === 0 ? 0 : 1 };
  },
};
