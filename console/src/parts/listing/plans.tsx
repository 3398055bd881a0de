/** The plans of a listing: a buyer subscribes, changes and cancels at amounts that are shown first; the owner edits them. */
import { call } from '../../api/client.ts';
import { centsNano, isAgreed, isLive, type PlanBody, periodEnd, planRole } from '../../api/plans.ts';
import { refreshSales, usePlanPreview, useSubscriptions } from '../../api/sales.ts';
import type { ChargedSubscriptionBody, ListingBody, SubscriptionBody } from '../../api/types.ts';
import { Badge, Empty, Loaded, Money, Panel, Time, ZoneNote } from '../basics.tsx';
import { Confirmed, DialogButton } from '../dialog.tsx';
import { ChargeForm } from './charge-form.tsx';
import { pathOf } from './listing-links.tsx';
import { PlanEditor } from './plan-editor.tsx';
import { NextCharge, PlanPrice, SubscriptionStatus } from './subscription-state.tsx';

export function Plans({ of: listing, isOwner }: { readonly of: ListingBody; readonly isOwner: boolean }) {
  const subscriptions = useSubscriptions(listing.id);
  if (!isOwner && listing.plans.length === 0 && !subscriptions.data?.some(isLive)) return null;
  return (
    <Panel title="Plans" {...(isOwner ? { aside: <PlanEditor of={listing} /> } : {})}>
      <Loaded query={subscriptions}>
        {(list) => <PlanList of={listing} subscriptions={list} isOwner={isOwner} />}
      </Loaded>
    </Panel>
  );
}

interface PlanListOptions {
  readonly of: ListingBody;
  readonly subscriptions: readonly SubscriptionBody[];
  readonly isOwner: boolean;
}

function PlanList({ of: listing, subscriptions, isOwner }: PlanListOptions) {
  const live = subscriptions.find(isLive);
  // An account has one trial of a listing.
  const trialUsed = subscriptions.some(({ trial_end: end }) => end !== null);
  const action = (plan: PlanBody) => {
    if (isOwner) return null;
    if (live === undefined) return <Subscribe of={listing} plan={plan} trialUsed={trialUsed} />;
    return <Change of={live} plan={plan} />;
  };
  return (
    <div className="stack">
      {live === undefined ? null : <OwnSubscription of={live} plans={listing.plans} />}
      {listing.plans.length === 0 ? <Empty>No plans yet.</Empty> : null}
      <ul className="stack">
        {listing.plans.map((plan) => (
          <li key={plan.id} className="row apart">
            <span>
              <strong className="break">{plan.name}</strong> <PlanPrice of={plan} />{' '}
              {plan.trial_days === 0 || live !== undefined || trialUsed ? null : (
                <Badge>{plan.trial_days}-day free trial</Badge>
              )}
            </span>
            {action(plan)}
          </li>
        ))}
      </ul>
      {isOwner ? null : <ZoneNote />}
    </div>
  );
}

function Subscribe({
  of: listing,
  plan,
  trialUsed,
}: {
  readonly of: ListingBody;
  readonly plan: PlanBody;
  readonly trialUsed: boolean;
}) {
  const { id, amount, currency, interval, trial_days: trialDays } = plan;
  const now = Math.floor(Date.now() / 1000);
  const price = <Money nano={centsNano(amount)} />;
  const isTrial = trialDays > 0 && !trialUsed;
  const text = `Subscribe to ${plan.name}`;
  const subscribe = async () => {
    await call(`${pathOf(listing)}/subscribe`, { method: 'POST', body: { plan: id, amount, currency } });
    await refreshSales();
  };
  return (
    <DialogButton text={text} className="button main small">
      {(close) => (
        <ChargeForm
          nano={isTrial ? 0n : centsNano(amount)}
          submit={text}
          onSubmit={() => subscribe().then(close)}
          onCancel={close}
        >
          {isTrial ? (
            <p>
              Nothing is charged now. {price} is charged from your balance on{' '}
              <Time at={now + trialDays * 86_400} day />, then each {interval}.
            </p>
          ) : (
            <p>
              {price} is charged from your balance now. The next charge of {price} is on{' '}
              <Time at={periodEnd(interval, now)} day />, then each {interval}.
            </p>
          )}
        </ChargeForm>
      )}
    </DialogButton>
  );
}

interface OwnSubscriptionOptions {
  readonly of: SubscriptionBody;
  readonly plans: readonly PlanBody[];
}

function OwnSubscription({ of: subscription, plans }: OwnSubscriptionOptions) {
  const { plan, cancel_at_period_end: ends, current_period_end: end } = subscription;
  const setEnd = (value: boolean) => update(subscription.id, { cancel_at_period_end: value });
  return (
    <div className="note row apart" role="status">
      <span>
        You subscribe to <strong>{plans.find(({ id }) => id === plan)?.name ?? plan}</strong>.{' '}
        <SubscriptionStatus of={subscription} /> <NextCharge of={subscription} />
      </span>
      {ends ? (
        <Confirmed
          text="Continue the subscription"
          question="It is charged again at the end of the period."
          action={() => setEnd(false)}
          className="button small"
        />
      ) : (
        <Confirmed
          text="Cancel subscription"
          dismiss="Keep subscription"
          question={
            <>
              It can be used until <Time at={end} day />, and nothing more is charged.
            </>
          }
          action={() => setEnd(true)}
        />
      )}
    </div>
  );
}

async function update(id: string, body: object): Promise<void> {
  await call(`/api/v1/subscriptions/${encodeURIComponent(id)}`, { method: 'PATCH', body });
  await refreshSales();
}

function Change({ of: subscription, plan }: { readonly of: SubscriptionBody; readonly plan: PlanBody }) {
  const role = planRole(subscription, plan);
  if (role !== undefined)
    return <Badge tone="good">{role === 'yours' ? role : 'from the next charge'}</Badge>;
  const kept = subscription.status === 'past_due' ? 'Pay for' : 'Keep';
  const verb = isAgreed(subscription, plan) ? kept : 'Change to';
  return (
    <DialogButton text={`${verb} ${plan.name}`} className="button small">
      {(close) => (
        <ChangeForm id={subscription.id} plan={plan} submit={`${verb} ${plan.name}`} onClose={close} />
      )}
    </DialogButton>
  );
}

interface ChangeOptions {
  readonly id: string;
  readonly plan: PlanBody;
  readonly submit: string;
  readonly onClose: () => void;
}

function ChangeForm({ id, plan, submit, onClose }: ChangeOptions) {
  const subscription = usePlanPreview(id, plan.id);
  return (
    <Loaded query={subscription}>
      {({ status, cancel_at_period_end: ends, preview }) =>
        preview === null ? (
          <Empty>The subscription has ended.</Empty>
        ) : (
          <ChargeForm
            nano={centsNano(preview.due)}
            submit={submit}
            onCancel={onClose}
            onSubmit={() => update(id, changeOf(preview)).then(onClose)}
          >
            <DueNow of={preview} status={status} interval={plan.interval} />
            {ends ? <p>This takes your cancellation back.</p> : null}
          </ChargeForm>
        )
      }
    </Loaded>
  );
}

type Preview = NonNullable<ChargedSubscriptionBody['preview']>;

/** The change that was shown: the service rejects it if another amount is due. */
const changeOf = ({ plan, amount, due, proration_date }: Preview) => ({ plan, amount, due, proration_date });

interface DueOptions {
  readonly of: Preview;
  readonly status: SubscriptionBody['status'];
  readonly interval: PlanBody['interval'];
}

function DueNow({ of: preview, status, interval }: DueOptions) {
  const price = <Money nano={centsNano(preview.amount)} />;
  const next = <Time at={preview.current_period_end} day />;
  if (status === 'past_due')
    return <p>Due now: {price}, for the period that has started since the last charge.</p>;
  if (preview.due === 0)
    return (
      <p>
        Nothing is due now. From {next} on, {price} is charged each {interval}.
      </p>
    );
  return (
    <p>
      Due now: <Money nano={centsNano(preview.due)} />
      {status === 'active' ? ', the price less the value of the rest of your paid period' : ''}. A new period
      starts. The next charge of {price} is on {next}.
    </p>
  );
}
