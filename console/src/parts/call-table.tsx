/** Calls as rows, each with a link to its receipt. */
import { Link } from '@tanstack/react-router';
import { PLAYGROUND_KEY_IDS, PLAYGROUND_NAME, useKeys } from '../api/queries.ts';
import type { UsageEntry } from '../api/types.ts';
import { Badge, countText, Money, Time } from './basics.tsx';
import { type Column, Table } from './table.tsx';

const TONES = { completed: 'good', interrupted: 'warn', failed: 'bad', expired: '' } as const;

export const Status = ({ status }: { readonly status: UsageEntry['status'] }) => (
  <Badge tone={TONES[status]}>{status}</Badge>
);

/** `13 in, 24 out`, in whatever the call was counted in. */
export function unitsText({
  unit,
  input_units: input,
  output_units: output,
}: Pick<UsageEntry, 'unit' | 'input_units' | 'output_units'>): string {
  if (unit === 'image') return `${countText(output)} ${output === 1 ? 'image' : 'images'}`;
  if (unit === 'second') return `${countText(input)} s`;
  return `${countText(input)} in · ${countText(output)} out`;
}

/** The name of a key of the account. One that was revoked has neither name nor page; of the playground's, the name is known. */
export function KeyName({ id }: { readonly id: string }) {
  const keys = useKeys();
  const key = keys.data?.find((each) => each.id === id);
  if (PLAYGROUND_KEY_IDS.has(id)) return PLAYGROUND_NAME;
  if (key === undefined)
    return (
      <span className="quiet" title={id}>
        {keys.data === undefined ? '' : 'revoked key'}
      </span>
    );
  return (
    <Link to="/keys/$id" params={{ id }}>
      {key.name}
    </Link>
  );
}

const COLUMNS: readonly Column<UsageEntry>[] = [
  {
    head: 'Time',
    cell: ({ id, created }) => (
      <Link to="/activity/$id" params={{ id }}>
        <Time at={created} />
      </Link>
    ),
  },
  { head: 'Model', of: 'break', cell: ({ model }) => model ?? <span className="quiet">unknown</span> },
  { head: 'Key', of: 'break', cell: ({ api_key: id }) => <KeyName id={id} /> },
  { head: 'Status', cell: ({ status }) => <Status status={status} /> },
  { head: 'Units', right: true, of: 'quiet', cell: unitsText },
  { head: 'Cost', right: true, cell: ({ cost }) => <Money nano={cost} /> },
];

export const CallTable = ({ calls }: { readonly calls: readonly UsageEntry[] }) => (
  <Table
    columns={COLUMNS}
    rows={calls}
    idOf={({ id }) => id}
    empty={
      <>
        No calls. <Link to="/start">Make a call from your client</Link>, or{' '}
        <Link to="/playground">try a model here</Link>. What the service itself rejects is not recorded.
      </>
    }
  />
);
