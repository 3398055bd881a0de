/** Activity: the calls of all keys, with filters and a search by request id. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { dateOf, isSpan } from '../api/day-span.ts';
import {
  type CallFilter,
  callsPath,
  modelOption,
  useCalls,
  useKeys,
  useLoadedCalls,
  usePrices,
} from '../api/queries.ts';
import { KINDS, keyOptions, type Option, STATUSES } from '../api/values.ts';
import { Loaded, More, PageHead, Panel } from '../parts/basics.tsx';
import { CallTable } from '../parts/call-table.tsx';
import { Input, Select, SpanProblem } from '../parts/form.tsx';
import { CsvButton } from '../parts/table.tsx';

/** Adds what is chosen, such as a key without a call here. */
const withChosen = (options: readonly Option[], chosen: string | undefined): readonly Option[] =>
  chosen === undefined || options.some(([value]) => value === chosen)
    ? options
    : [...options, [chosen, chosen]];

export function Activity() {
  const filter = useSearch({ from: '/activity' });
  return (
    <div className="page">
      <PageHead
        title="Activity"
        about="Every call, newest first. What the service itself rejects (400, 401, 402, 404, 429) is not recorded: your client's error says why. A call that a model's routes rejected is recorded as failed, at no cost."
      >
        <CallSearch />
      </PageHead>
      <Filters filter={filter} />
      {isSpan(filter) ? <Calls filter={filter} /> : <SpanProblem />}
    </div>
  );
}

function Calls({ filter }: { readonly filter: CallFilter }) {
  const calls = useCalls(filter);
  return (
    <>
      <div className="row end">
        <CsvButton path={callsPath(filter, { format: 'csv' })} filename={csvName(filter)} />
      </div>
      <Panel flush>
        <Loaded query={calls}>
          {({ pages }) => <CallTable calls={pages.flatMap(({ data }) => data)} />}
        </Loaded>
      </Panel>
      <More of={calls} text="Older calls" />
    </>
  );
}

const csvName = ({ from, to = dateOf(Date.now() / 1000) }: CallFilter): string =>
  from === undefined ? `usage-until-${to}.csv` : `usage-${from}-to-${to}.csv`;

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
  const named = withChosen(keyOptions(keys.data, useLoadedCalls()), filter.api_key);
  const models = withChosen((prices.data ?? []).map(modelOption), filter.model);
  return (
    <search className="filters">
      <Select
        label="Key"
        value={filter.api_key ?? ''}
        onChange={(api_key) => set({ api_key })}
        options={[['', 'All keys'], ...named]}
      />
      <Select
        label="Model"
        value={filter.model ?? ''}
        onChange={(model) => set({ model })}
        options={[['', 'All models'], ...models]}
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
        options={[['', 'Any status'], ...STATUSES.map((status) => [status, status] as const)]}
      />
      <Input label="From (UTC)" type="date" value={filter.from ?? ''} onChange={(from) => set({ from })} />
      <Input label="To (UTC)" type="date" value={filter.to ?? ''} onChange={(to) => set({ to })} />
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
