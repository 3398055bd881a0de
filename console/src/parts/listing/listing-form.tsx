/** The fields of a listing. */
import { useState } from 'react';
import { centsField, centsOf } from '../../api/money.ts';
import type { ListingBody } from '../../api/types.ts';
import { Form, Input, TextArea } from '../form.tsx';
import { type PlanFields, PlanFieldsets, planOf } from './plan-editor.tsx';

export interface ListingInput {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  readonly category: string;
  readonly url: string | null;
  readonly seller: string | null;
  readonly contact: string | null;
  readonly price: { readonly amount: number; readonly currency: string } | null;
  /** Undefined for an existing listing, which has an editor for them. */
  readonly plans?: readonly ReturnType<typeof planOf>[];
}

const LABELS = {
  name: 'Name',
  summary: 'Summary',
  description: 'Description',
  category: 'Category',
  'price.amount': 'Price, USD',
  url: 'URL',
  seller: 'Seller',
  contact: 'Contact',
} as const;

export function ListingForm({
  of,
  submit,
  onSubmit,
  onCancel,
}: {
  readonly of?: ListingBody;
  readonly submit: string;
  readonly onSubmit: (input: ListingInput) => Promise<unknown>;
  readonly onCancel: () => void;
}) {
  const [name, setName] = useState(of?.name ?? '');
  const [summary, setSummary] = useState(of?.summary ?? '');
  const [description, setDescription] = useState(of?.description ?? '');
  const [category, setCategory] = useState(of?.category ?? '');
  const [url, setUrl] = useState(of?.url ?? '');
  const [seller, setSeller] = useState(of?.seller ?? '');
  const [contact, setContact] = useState(of?.contact ?? '');
  const [price, setPrice] = useState(of?.price == null ? '' : centsField(of.price.amount));
  const [plans, setPlans] = useState<readonly PlanFields[]>([]);
  const input = (): ListingInput => ({
    name,
    summary,
    description,
    category,
    url: url === '' ? null : url,
    seller: seller === '' ? null : seller,
    contact: contact === '' ? null : contact,
    // Credit is in dollars: a listing in another currency cannot be bought.
    price: centsOf(price) === 0 ? null : { amount: centsOf(price), currency: 'USD' },
    ...(of === undefined ? { plans: plans.map(planOf) } : {}),
  });
  return (
    <Form submit={submit} labels={LABELS} onSubmit={() => onSubmit(input())} onCancel={onCancel}>
      <Input label={LABELS.name} value={name} onChange={setName} required />
      <Input label={LABELS.summary} value={summary} onChange={setSummary} required />
      <TextArea label={LABELS.description} value={description} onChange={setDescription} />
      <div className="columns">
        <Input label={LABELS.category} value={category} onChange={setCategory} required placeholder="tools" />
        <Input
          label={LABELS['price.amount']}
          type="number"
          min="0"
          max="10000000"
          step="0.01"
          value={price}
          onChange={setPrice}
          placeholder="none"
          hint="Paid once, for ever. Without a price and plans it is free; with plans alone it is sold by subscription only."
        />
      </div>
      {of === undefined ? <PlanFieldsets of={plans} onChange={setPlans} /> : null}
      <Input
        label={LABELS.url}
        type="url"
        value={url}
        onChange={setUrl}
        placeholder="https://example.com"
        hint="What users open once they have installed it. Empty for a download."
      />
      <div className="columns">
        <Input label={LABELS.seller} value={seller} onChange={setSeller} placeholder="your public name" />
        <Input
          label={LABELS.contact}
          value={contact}
          onChange={setContact}
          placeholder="help@example.com"
          hint="Where buyers reach you. Everybody sees both."
        />
      </div>
    </Form>
  );
}
