/** Activity: the calls of all keys, with filters and a search by request id. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { type CallFilter, useCalls, useKeys, usePrices } from '../api/queries.ts';
import { KINDS, STATUSES } from '../api/values.ts';
import { Loaded, More, PageHead, Panel } from '../parts/basics.tsx';
import { CallTable } from '../parts/call-table.tsx';
import { Input, Select } from '../parts/form.tsx';

const choices = (all: string, values: readonly string[]): readonly (readonly [string, string])[] => [
  ['', all],
  ...values.map((value) => [value, value] as const),
];

export function Activity() {
  const filter = useSearch({ from: '/activity' });
  const calls = useCalls(filter);
  return (
    <div className="page">
      <PageHead title="Activity" about="Every call, newest first. Costs are the ledger's own.">
        <CallSearch />
      </PageHead>
      <Filters filter={filter} />
      <Panel flush>
        <Loaded query={calls}>
          {({ pages }) => <CallTable calls={pages.flatMap(({ data }) => data)} />}
        </Loaded>
      </Panel>
      <More of={calls} text="Older calls" />
    </div>
  );
}

function Filters({ filter }: { readonly filter: CallFilter }) {
  const navigate = useNavigate({ from: '/activity' });
  const keys = useKeys();
  const prices = usePrices();
  const set = (change: CallFilter) =>
    navigate({
      search: (before: CallFilter) =>
        Object.fromEntries(Object.entries({ ...before, ...change }).filter(([, value]) => value)),
      replace: true,
    });
  const models = [
    ...new Set([
      ...(prices.data ?? []).map(({ model_id: id }) => id),
      ...(filter.model ? [filter.model] : []),
    ]),
  ];
  return (
    <search className="filters">
      <Select
        label="Key"
        value={filter.api_key ?? ''}
        onChange={(api_key) => set({ api_key })}
        options={[['', 'All keys'], ...(keys.data ?? []).map(({ id, name }) => [id, name] as const)]}
      />
      <Select
        label="Model"
        value={filter.model ?? ''}
        onChange={(model) => set({ model })}
        options={choices('All models', models)}
      />
      <Select
        label="Kind"
        value={filter.kind ?? ''}
        onChange={(kind) => set({ kind })}
        options={[['', 'All kinds'], ...KINDS]}
      />
      <Select
        label="Status"
        value={filter.status ?? ''}
        onChange={(status) => set({ status })}
        options={choices('Any status', STATUSES)}
      />
    </search>
  );
}

function CallSearch() {
  const navigate = useNavigate();
  const [id, setId] = useState('');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (id.trim() !== '') navigate({ to: '/activity/$id', params: { id: id.trim() } });
      }}
    >
      <Input label="Find by request id" type="search" value={id} onChange={setId} placeholder="req_…" />
    </form>
  );
}
