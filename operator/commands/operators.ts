/** The commands that determine which accounts may access the operator's view. */
import { type Command, ok } from './arguments.ts';

/** The one argument of `add` and `remove`. */
function accountIn(args: readonly string[]): string {
  const [account = '', ...rest] = args;
  if (rest.length > 0 || !/^acc_[0-9A-Z]{26}$/.test(account)) throw new Error('name one account, as acc_...');
  return account;
}

export const OPERATORS_COMMANDS: Readonly<Record<string, Command>> = {
  'operators add': {
    usage: 'ACCOUNT',
    async run(operator, args) {
      const account = accountIn(args);
      await operator.operators.add(account);
      return ok({ account_id: account, operator: true });
    },
  },
  'operators remove': {
    usage: 'ACCOUNT',
    async run(operator, args) {
      const account = accountIn(args);
      await operator.operators.remove(account);
      return ok({ account_id: account, operator: false });
    },
  },
  'operators list': {
    usage: '',
    async run(operator, args) {
      if (args.length > 0) throw new Error('operators list takes no arguments');
      const operators = await operator.operators.list();
      return ok({
        operators: operators.map(({ id, email, operatorSince }) => ({
          account_id: id,
          email: email ?? null,
          since: operatorSince,
        })),
      });
    },
  },
};
