import { describe, expect, it } from '@jest/globals';
import { VARIABLES } from '../../lambdas/platform/contract/environment.ts';
import { permissionsOf } from './permissions.ts';
import { SERVICE_STACKS, SynthesizedApp } from './synthesized-app.ts';

const SECRET = 'secretsmanager:GetSecretValue data:PaymentSecret.Ref';
const BUYERS = ['create-order', 'receive-payment-event', 'reconcile-payments'];
const PAYOUTS = ['create-payout-account', 'get-earnings', 'process-due-items'];

/** The functions whose role may read the secret of the payment provider, and those that have its name. */
function readers(app: SynthesizedApp): readonly (readonly string[])[] {
  const functions = SERVICE_STACKS.flatMap((stack) =>
    app.resources(stack, 'AWS::Lambda::Function').map(([id, { Properties }]) => {
      const { Variables: variables } = Properties.Environment as { Variables: Record<string, unknown> };
      const roleId = app.reference(stack, Properties.Role)?.id ?? '';
      return {
        name: String(app.functionName(stack, id)),
        isAllowed: permissionsOf(app, stack, roleId).includes(SECRET),
        isTold: VARIABLES.paymentSecret in variables && VARIABLES.paymentApiUrl in variables,
      };
    }),
  );
  const named = (some: typeof functions) => some.map(({ name }) => name).sort();
  return [
    named(functions.filter(({ isAllowed }) => isAllowed)),
    named(functions.filter(({ isTold }) => isTold)),
  ];
}

describe('the secret of the payment provider', () => {
  it('is for the functions of buyers alone where sellers are not paid', () => {
    expect(readers(new SynthesizedApp())).toEqual([BUYERS, BUYERS]);
  });

  it('is for the functions of payouts, too, where sellers are paid', () => {
    const all = [...BUYERS, ...PAYOUTS].sort();
    expect(readers(new SynthesizedApp('every-setting'))).toEqual([all, all]);
  });
});
