/** The fields of a listing. */
import { useState } from 'react';
import type { ListingBody } from '../api/types.ts';
import { Form, Input, TextArea } from './form.tsx';

export interface ListingInput {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  readonly category: string;
  readonly url: string | null;
  readonly price: { readonly amount: number; readonly currency: string } | null;
}

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
  const [cents, setCents] = useState(of?.price == null ? '' : String(of.price.amount));
  const input = (): ListingInput => ({
    name,
    summary,
    description,
    category,
    url: url === '' ? null : url,
    price:
      cents === '' || cents === '0'
        ? null
        : { amount: Number(cents), currency: of?.price?.currency ?? 'USD' },
  });
  return (
    <Form submit={submit} onSubmit={() => onSubmit(input())} onCancel={onCancel}>
      <Input label="Name" value={name} onChange={setName} required />
      <Input label="Summary" value={summary} onChange={setSummary} required />
      <TextArea label="Description" value={description} onChange={setDescription} />
      <div className="columns">
        <Input label="Category" value={category} onChange={setCategory} required placeholder="tools" />
        <Input
          label="Price, US cents"
          type="number"
          min="0"
          value={cents}
          onChange={setCents}
          placeholder="free"
        />
      </div>
      <Input label="Address" type="url" value={url} onChange={setUrl} placeholder="https://example.com" />
    </Form>
  );
}
