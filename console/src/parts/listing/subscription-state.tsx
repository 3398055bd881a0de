/** The price of a plan, and the state of a subscription: its next charge, or the amount that is missing for it. */
import { missingOf } from '../../api/offers.ts';
import { centsNano, nextPlan, type PlanBody } from '../../api/plans.ts';
import { useBalance } from '../../api/queries.ts';
import type { SubscriptionBody } from '../../api/types.ts';
import { Badge, Money, Time } from '../basics.tsx';
import { MissingCredit } from './charge-form.tsx';

export const PlanPrice = ({
  of: { amount, interval },
}: {
  readonly of: Pick<PlanBody, 'amount' | 'interval'>;
}) => (
  <>
    <Money nano={centsNano(amount)} /> a {interval}
  </>
);

const TONES = { trialing: '', active: 'good', past_due: 'bad', canceled: '' } as const;

export const SubscriptionStatus = ({ of: { status } }: { readonly of: SubscriptionBody }) => (
  <Badge tone={TONES[status]}>{status.replace('_', ' ')}</Badge>
);

export function NextCharge({ of: subscription }: { readonly of: SubscriptionBody }) {
  const { status, cancel_at_period_end: ends, current_period_end: end, ended_at: ended } = subscription;
  if (ended !== null)
    return (
      <>
        Ended on <Time at={ended} day />
      </>
    );
  if (ends)
    return (
      <>
        Ends on <Time at={end} day />
      </>
    );
  const { amount } = nextPlan(subscription);
  if (status === 'past_due') return <Missing nano={centsNano(amount)} />;
  return (
    <>
      Next charge: <Money nano={centsNano(amount)} /> on <Time at={end} day />
    </>
  );
}

/** The part of a charge that the balance does not cover. */
function Missing({ nano }: { readonly nano: bigint }) {
  const { data: balance } = useBalance();
  if (balance === undefined) return null;
  const missing = missingOf(nano, balance);
  if (missing === 0n) return <>The balance covers it: it is charged within a day.</>;
  return <MissingCredit nano={missing} />;
}
