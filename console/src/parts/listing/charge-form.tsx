/** A form that charges the balance: a purchase, a subscription or a change of plan. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { missingOf } from '../../api/offers.ts';
import { useBalance } from '../../api/queries.ts';
import type { Balance } from '../../api/types.ts';
import { Money } from '../basics.tsx';
import { Form } from '../form.tsx';

/** States the balance before and after the charge. It cannot be sent while the balance does not cover the charge. */
export function ChargeForm({
  nano,
  children,
  ...form
}: {
  readonly nano: bigint;
  readonly submit: string;
  readonly onSubmit: () => Promise<unknown>;
  readonly onCancel: () => void;
  readonly children: ReactNode;
}) {
  const { data: balance } = useBalance();
  const isCharged = nano > 0n && balance !== undefined;
  return (
    <Form {...form} disabled={isCharged && missingOf(nano, balance) > 0n}>
      {children}
      {isCharged ? <BalanceAfter nano={nano} of={balance} /> : null}
    </Form>
  );
}

function BalanceAfter({ nano, of: balance }: { readonly nano: bigint; readonly of: Balance }) {
  const missing = missingOf(nano, balance);
  if (missing > 0n)
    return (
      <p className="note warn">
        Balance now: <Money nano={balance.balance} />. <MissingCredit nano={missing} />
      </p>
    );
  return (
    <p>
      Balance now: <Money nano={balance.balance} />, then: <Money nano={balance.balance - nano} />.
    </p>
  );
}

export const MissingCredit = ({ nano }: { readonly nano: bigint }) => (
  <>
    <Money nano={nano} /> is missing.{' '}
    <Link to="/billing" className="button small">
      Add credit
    </Link>
  </>
);
