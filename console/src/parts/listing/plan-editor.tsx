/** The editor of a listing's plans: in a dialog, and in the form of a new listing. */
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { centsField, centsOf } from '../../api/money.ts';
import type { PlanBody } from '../../api/plans.ts';
import { refreshSales } from '../../api/sales.ts';
import type { ListingBody } from '../../api/types.ts';
import { DialogButton } from '../dialog.tsx';
import { Form, Input, Select } from '../form.tsx';
import { pathOf } from './listing-links.tsx';

const MAX_PLANS = 10;

const INTERVALS = [
  ['month', 'month'],
  ['year', 'year'],
] as const;

/** A plan as its fields have it. */
export interface PlanFields {
  readonly key: string;
  /** Undefined for a new plan, whose id is made from its name. */
  readonly id: string | undefined;
  readonly name: string;
  readonly interval: string;
  readonly price: string;
  readonly trialDays: string;
}

const fieldsOf = (plan: PlanBody): PlanFields => ({
  key: plan.id,
  id: plan.id,
  name: plan.name,
  interval: plan.interval,
  price: centsField(plan.amount),
  trialDays: String(plan.trial_days),
});

const newPlan = (): PlanFields => ({
  key: crypto.randomUUID(),
  id: undefined,
  name: '',
  interval: 'month',
  price: '',
  trialDays: '0',
});

/** The id of a new plan: its name in lower-case letters and digits, if it has any. */
const idOf = ({ name, key }: PlanFields): string =>
  (name.toLowerCase().match(/[a-z0-9]+/g) ?? ['plan', key.slice(0, 8)])
    .join('-')
    .slice(0, 32)
    .replace(/-$/, '');

export const planOf = (fields: PlanFields) => {
  const { id = idOf(fields), name, interval, price, trialDays } = fields;
  return {
    id,
    name,
    interval,
    amount: centsOf(price),
    currency: 'USD',
    trial_days: Number(trialDays),
  };
};

export const PlanEditor = ({ of: listing }: { readonly of: ListingBody }) => (
  <DialogButton text="Edit the plans" className="button small">
    {(close) => <PlanForm of={listing} onClose={close} />}
  </DialogButton>
);

function PlanForm({ of: listing, onClose }: { readonly of: ListingBody; readonly onClose: () => void }) {
  const [plans, setPlans] = useState(() => listing.plans.map(fieldsOf));
  const save = async () => {
    await call(pathOf(listing), { method: 'PUT', body: { plans: plans.map(planOf) } });
    await refreshSales();
    onClose();
  };
  return (
    <Form submit="Save the plans" onSubmit={save} onCancel={onClose}>
      <p className="quiet">Who subscribes already keeps the agreed price.</p>
      <PlanFieldsets of={plans} onChange={setPlans} />
    </Form>
  );
}

interface PlanFieldsetsOptions {
  readonly of: readonly PlanFields[];
  readonly onChange: (plans: PlanFields[]) => void;
}

export const PlanFieldsets = ({ of: plans, onChange }: PlanFieldsetsOptions) => (
  <>
    {plans.map((plan, index) => (
      <PlanFieldset
        key={plan.key}
        label={`Plan ${index + 1}`}
        of={plan}
        onChange={(change) => onChange(plans.with(index, { ...plan, ...change }))}
        onRemove={() => onChange(plans.toSpliced(index, 1))}
      />
    ))}
    {plans.length < MAX_PLANS ? (
      <div className="row">
        <button type="button" className="button small" onClick={() => onChange([...plans, newPlan()])}>
          Add a plan
        </button>
      </div>
    ) : null}
  </>
);

function PlanFieldset({
  label,
  of: { name, interval, price, trialDays },
  onChange,
  onRemove,
}: {
  readonly label: string;
  readonly of: PlanFields;
  readonly onChange: (change: Partial<PlanFields>) => void;
  readonly onRemove: () => void;
}) {
  return (
    <fieldset className="stack tight">
      <legend>{label}</legend>
      <div className="columns">
        <Input label="Name" value={name} onChange={(value) => onChange({ name: value })} required />
        <Input
          label="Price, USD"
          type="number"
          min="0.01"
          max="10000000"
          step="0.01"
          value={price}
          onChange={(value) => onChange({ price: value })}
          required
        />
        <Select
          label="Billing period"
          value={interval}
          onChange={(value) => onChange({ interval: value })}
          options={INTERVALS}
        />
        <Input
          label="Free trial, days"
          type="number"
          min="0"
          max="90"
          step="1"
          value={trialDays}
          onChange={(value) => onChange({ trialDays: value })}
          required
        />
      </div>
      <div className="row end">
        <button type="button" className="button bad small" onClick={onRemove} aria-label={`Remove ${label}`}>
          Remove
        </button>
      </div>
    </fieldset>
  );
}
