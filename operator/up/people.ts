/** The steps that are left until people can sign in and pay: a deployment works without either. */
import type { Config } from '../../lib/config/config.ts';
import type { Operator } from '../operator.ts';

/** Returns a line for each. The rights of `up` may not include the secret of the payment provider, so that this throws nothing. */
export async function peopleLines(
  payments: Operator['payments'],
  { identityProviders, stage }: Pick<Config, 'identityProviders' | 'stage'>,
): Promise<readonly string[]> {
  const canPay = await payments.isConfigured().catch(() => undefined);
  return [
    ...(Object.keys(identityProviders).length > 0
      ? []
      : [
          'nobody can sign in to the console: set identityProviders and run this again (docs/operate/sign-in.md)',
        ]),
    ...(canPay === true
      ? []
      : [
          `${canPay === false ? 'nobody can pay' : 'unknown if people can pay (the secret was not read)'}: store the keys of Stripe (docs/operate/sign-in.md#payments), or grant credit: npm run admin -- credit grant --stage ${stage}`,
        ]),
  ];
}
