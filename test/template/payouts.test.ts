import { describe, expect, it } from '@jest/globals';
import { VARIABLES } from '../../lambdas/platform/contract/environment.ts';
import { CONFIGURATIONS, type ConfigurationName } from './configurations.ts';
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
  it('reaches only the functions of buyers where sellers are not paid', () => {
    expect(readers(new SynthesizedApp())).toEqual([BUYERS, BUYERS]);
  });

  it('reaches the functions of payouts, too, where Stripe pays sellers', () => {
    const all = [...BUYERS, ...PAYOUTS].sort();
    expect(readers(new SynthesizedApp('every-setting'))).toEqual([all, all]);
  });

  it('gets lost in no change of settings, except by the functions of payouts, which work without it', () => {
    const names = Object.keys(CONFIGURATIONS) as ConfigurationName[];
    const allowed = names.map((name) => readers(new SynthesizedApp(name))[0] ?? []);
    const lost = allowed.flatMap((before) =>
      allowed.flatMap((after) => before.filter((name) => !after.includes(name))),
    );
    expect([...new Set(lost)].sort()).toEqual(PAYOUTS);
  });
});
