/** Installing a listing that is free, and buying one that is not: the price that is shown is the price that is paid. */
import { Link } from '@tanstack/react-router';
import { call } from '../../api/client.ts';
import { useAcquisitions } from '../../api/market.ts';
import { holdingOf, priceText } from '../../api/offers.ts';
import { centsNano, isLive } from '../../api/plans.ts';
import { refreshSales, useIsEntitled, useSubscriptions } from '../../api/sales.ts';
import type { ListingBody, SubscriptionBody } from '../../api/types.ts';
import { Badge, Time } from '../basics.tsx';
import { DialogButton } from '../dialog.tsx';
import { useAction } from '../form.tsx';
import { Problem } from '../problem.tsx';
import { ChargeForm } from './charge-form.tsx';
import { pathOf } from './listing-links.tsx';

interface AcquireOptions {
  readonly of: ListingBody;
  readonly isEmpty: boolean;
}

/** A listing that is sold by subscription only is installed once a plan is subscribed to. */
export function AcquireListing({ of: listing, isEmpty }: AcquireOptions) {
  const acquisitions = useAcquisitions();
  const subscriptions = useSubscriptions(listing.id);
  const isEntitled = useIsEntitled(listing.id);
  const error = acquisitions.error ?? subscriptions.error;
  if (acquisitions.data === undefined || subscriptions.data === undefined || isEntitled === undefined)
    return <Problem error={error} />;
  const own = acquisitions.data.find(({ listing_id: id }) => id === listing.id);
  const subscription = subscriptions.data.find(isLive);
  const holding = holdingOf(listing, own, isEntitled || subscription !== undefined);
  const acquire = async () => {
    const { price } = listing;
    if (price !== null && !holding.isBought)
      await call(`${pathOf(listing)}/purchase`, {
        method: 'POST',
        body: {
          amount: Number(price.amount),
          currency: price.currency,
          while_subscribed: subscription !== undefined,
        },
        headers: { 'idempotency-key': crypto.randomUUID() },
      });
    await call(`${pathOf(listing)}/install`, { method: 'POST' });
    await refreshSales();
  };
  return (
    <>
      {holding.state === undefined ? null : (
        <>
          <Badge tone={holding.isUsable ? 'good' : ''}>{holding.state}</Badge>
          <Link to="/installed">All installed</Link>
        </>
      )}
      {holding.step === 'install' ? <Install onInstall={acquire} /> : null}
      {holding.step === 'buy' && listing.price !== null ? (
        <Buy price={listing.price} subscription={subscription} isEmpty={isEmpty} onBuy={acquire} />
      ) : null}
    </>
  );
}

interface BuyOptions {
  readonly price: NonNullable<ListingBody['price']>;
  readonly subscription: SubscriptionBody | undefined;
  readonly isEmpty: boolean;
  readonly onBuy: () => Promise<void>;
}

function Buy({ price, subscription, isEmpty, onBuy }: BuyOptions) {
  const text = `Buy for ${priceText(price)}`;
  return (
    <DialogButton text={text} className="button main">
      {(close) => (
        <ChargeForm
          nano={centsNano(price.amount)}
          submit={text}
          onSubmit={() => onBuy().then(close)}
          onCancel={close}
        >
          <p>
            {isEmpty ? 'There is nothing to download: the current release has no build. ' : ''}
            {subscription === undefined ? null : <WhileSubscribed of={subscription} />}
            {priceText(price)} is paid from your balance once, and you may use it for ever.
          </p>
        </ChargeForm>
      )}
    </DialogButton>
  );
}

const WhileSubscribed = ({ of: subscription }: { readonly of: SubscriptionBody }) => (
  <>
    You subscribe to it already, and may use it. The price is in addition: the subscription{' '}
    {subscription.cancel_at_period_end ? (
      <>
        ends on <Time at={subscription.current_period_end} day />.{' '}
      </>
    ) : (
      'continues until you cancel it. '
    )}
  </>
);

function Install({ onInstall }: { readonly onInstall: () => Promise<void> }) {
  const { run, busy, error } = useAction(onInstall);
  return (
    <>
      <button type="button" className="button main" disabled={busy} onClick={() => run()}>
        Install
      </button>
      <Problem error={error} />
    </>
  );
}
