/** The commands that find accounts and keys. */

import type { KeyState } from '../../lambdas/access/core/keys/key-state.ts';
import { policyEntry } from '../../lambdas/access/core/keys/policy.ts';
import { creditOf } from '../../lambdas/ledger/core/usage/credit-balance.ts';
import { type AccountReference, type Customer, REFERENCES } from '../customers/customers.ts';
import { readKeyText, type StandardInput } from '../customers/key-text.ts';
import type { Operator } from '../operator.ts';
import { type Command, type CommandOutput, ok, options } from './arguments.ts';
import { forPeople } from './people.ts';

const keyOutput = ({ keyId, name, status, created, used, previous, policy }: KeyState) => ({
  id: keyId,
  name,
  status,
  created,
  last_used: used ?? null,
  previous_secret_expires: previous?.until ?? null,
  policy: policyEntry(policy),
});

/** Finds the key in the input. The output has neither the text nor a hash of it. */
export async function findKey(
  { customers }: Pick<Operator, 'customers'>,
  input?: StandardInput,
): Promise<CommandOutput> {
  const found = await customers.keyOf(await readKeyText(input));
  if (found === undefined)
    return {
      output: { found: false },
      exitCode: 1,
      text: 'this deployment has no such key: no call is accepted with it',
    };
  const { key, secret } = found;
  return ok({
    found: true,
    account_id: key.accountId,
    secret: secret ?? 'replaced',
    accepted: key.status === 'active' && secret !== undefined,
    ...keyOutput(key),
  });
}

const customerOutput = ({ account, wallet, keys }: Customer) => ({
  account_id: account.id,
  email: account.email ?? null,
  created: account.created,
  operator_since: account.operatorSince ?? null,
  ...creditOf(wallet),
  keys: keys.map(({ keyId, name, status }) => ({ id: keyId, name, status })),
});

/** Returns the one option that names an account. */
function referenceOf(args: readonly string[]): AccountReference {
  const { account, email, key } = options(args, [], REFERENCES);
  const named = [account, email, key].filter((value) => value !== undefined);
  const [value = ''] = named;
  if (named.length !== 1 || value.trim() === '') throw new Error('name one of --account, --email and --key');
  return { account, email, key };
}

export const CUSTOMER_COMMANDS: Readonly<Record<string, Command>> = {
  'key find': {
    usage: '',
    async run(operator, args) {
      if (args.length > 0)
        throw new Error('key find takes no arguments: it reads the key from standard input, or asks for it');
      return findKey(operator);
    },
  },
  'key list': {
    usage: '--account A',
    async run(operator, args) {
      const { account } = options(args, ['account']);
      const keys = await operator.customers.keysOf(account);
      return ok({ account_id: account, keys: keys.map(keyOutput) });
    },
  },
  'account find': {
    usage: '--account A | --email E | --key K',
    async run(operator, args) {
      const accounts = (await operator.customers.find(referenceOf(args))).map(customerOutput);
      return {
        output: { accounts },
        exitCode: accounts.length === 0 ? 1 : 0,
        text: forPeople({
          accounts: accounts.map(({ keys: _keys, ...account }) => account),
          keys: accounts.flatMap(({ account_id, keys }) => keys.map((key) => ({ account_id, ...key }))),
        }),
      };
    },
  },
};
