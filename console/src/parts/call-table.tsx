/** Calls as rows, each with a link to its receipt. */
import { Link } from '@tanstack/react-router';
import { useKeys } from '../api/queries.ts';
import type { UsageEntry } from '../api/types.ts';
import { Badge, countText, Money, Time } from './basics.tsx';
import { type Column, Table } from './table.tsx';

const TONES = { completed: 'good', interrupted: 'warn', failed: 'bad', expired: '' } as const;

export const Status = ({ status }: { readonly status: UsageEntry['status'] }) => (
  <Badge tone={TONES[status]}>{status}</Badge>
);

/** `13 in · 24 out`, in whatever the call was counted in. It breaks only at the dot. */
export function unitsText({
  unit,
  input_units: input,
  output_units: output,
}: Pick<UsageEntry, 'unit' | 'input_units' | 'output_units'>): string {
  if (unit === 'image') return `${countText(output)} ${output === 1 ? 'image' : 'images'}`;
  if (unit === 'second') return `${countText(input)} s`;
  return `${countText(input)}\u00a0in · ${countText(output)}\u00a0out`;
}

/** The name of the key of a call. One that was revoked has no page. */
export function KeyName({
  of: { api_key: id, key_name: name = id },
}: {
  readonly of: Pick<UsageEntry, 'api_key' | 'key_name'>;
}) {
  const keys = useKeys();
  if (keys.data === undefined) return name;
  if (!keys.data.some((each) => each.id === id))
    return (
      <span title={id}>
        {name} <Badge>revoked</Badge>
      </span>
    );
  return (
    <Link to="/keys/$id" params={{ id }}>
      {name}
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
  { head: 'Key', of: 'break', cell: (call) => <KeyName of={call} /> },
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
