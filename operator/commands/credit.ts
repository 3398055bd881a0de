/** The commands that add and remove credit, and list what did. */
import { ulid } from 'ulid';
import { MAX_TOP_UP } from '../../lambdas/ledger/core/credits.ts';
import { changeOf } from '../../lambdas/ledger/core/ledger-entry.ts';
import { creditOf } from '../../lambdas/ledger/core/usage/credit-balance.ts';
import { formatUsd, type NanoUsd, parseUsd, usdJson } from '../../lambdas/platform/core/money.ts';
import type { StoredEntry } from '../customers/customers.ts';
import { type Command, ok, options, reasonOf } from './arguments.ts';
import { forPeople } from './people.ts';

function amountOf(value: string): NanoUsd {
  const amount = parseUsd(value);
  if (amount === undefined || amount <= 0n || amount > MAX_TOP_UP)
    throw new Error(
      `--amount must be a decimal amount of USD with at most 9 places, above 0 and at most ${formatUsd(MAX_TOP_UP)}`,
    );
  return amount;
}

function idOf(value: string): string {
  if (/^[\w.:-]{1,64}$/.test(value)) return value;
  throw new Error('--id must be 1 to 64 letters, digits and _ . : -');
}

/** An entry as a change of the balance. The ledger has credit that was taken as a refund of a grant. */
const changeForPeople = ({ amount, kind, ...entry }: StoredEntry) => ({
  ...entry,
  kind: kind === 'refund' && entry.source === 'grant' ? 'taken' : kind,
  amount: usdJson(changeOf({ kind, amount })),
});

export const CREDIT_COMMANDS: Readonly<Record<string, Command>> = {
  'credit grant': {
    usage: '--account A --amount D [--reason TEXT] [--id ID]',
    async run(operator, args) {
      const values = options(args, ['account', 'amount'], ['reason', 'id']);
      const amount = amountOf(values.amount);
      const id = idOf(values.id ?? ulid());
      const reason = values.reason === undefined ? '' : reasonOf(values.reason);
      const { by, result, wallet } = await operator.grantNoted(values.account, amount, { id, reason });
      return ok({
        account_id: values.account,
        id,
        result,
        added: usdJson(result === 'credited' ? amount : 0n),
        balance: usdJson(wallet.balance),
        by,
        reason,
      });
    },
  },
  'credit take': {
    usage: '--account A --amount D --reason TEXT [--id ID]',
    async run(operator, args) {
      const values = options(args, ['account', 'amount', 'reason'], ['id']);
      const [amount, reason, id] = [
        amountOf(values.amount),
        reasonOf(values.reason),
        idOf(values.id ?? ulid()),
      ];
      const { by, result, wallet } = await operator.takeFree(values.account, amount, { id, reason });
      const output = {
        account_id: values.account,
        id,
        result,
        taken: usdJson(result === 'taken' ? amount : 0n),
        ...creditOf(wallet),
        by,
        reason,
      };
      return { output, exitCode: result === 'not covered' ? 1 : 0 };
    },
  },
  'credit list': {
    usage: '--account A',
    async run(operator, args) {
      const { account } = options(args, ['account']);
      const entries = await operator.customers.entriesOf(account);
      const output = {
        account_id: account,
        entries: entries.map(({ amount, ...entry }) => ({ ...entry, amount: usdJson(amount) })),
      };
      const text = forPeople({ account_id: account, entries: entries.map(changeForPeople) });
      return { ...ok(output), text };
    },
  },
};
