/** The first page of the operator's view: what the month's calls have earned, and what needs attention. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { call, withQuery } from '../../api/client.ts';
import type { ApiPage, AuditView, DeadLettersBody, RouteSummary, SalesBody } from '../../api/types.ts';
import { monthStart } from '../../api/usage-rollups.ts';
import { countText, Facts, Loaded, Money, Panel } from '../basics.tsx';
import { useView } from './views.tsx';

export function Overview() {
  const start = monthStart();
  const sales = useInfiniteQuery({
    queryKey: ['operator', 'sales', start],
    queryFn: ({ pageParam }) => call<SalesBody>(withQuery('/api/v1/operator/sales', { start, ...pageParam })),
    initialPageParam: { end: Math.ceil(Date.now() / 1000), cursor: '' },
    getNextPageParam: ({ next_cursor: cursor }, _, { end }) =>
      cursor === null ? undefined : { end, cursor },
    refetchOnWindowFocus: false,
  });
  const { hasNextPage, isFetching, isError, fetchNextPage } = sales;
  useEffect(() => {
    if (hasNextPage && !isFetching && !isError) fetchNextPage();
  }, [hasNextPage, isFetching, isError, fetchNextPage]);
  return (
    <>
      <Panel title={hasNextPage ? 'This month (UTC), still counting …' : 'This month (UTC)'}>
        <Loaded query={sales}>{({ pages }) => <Sales of={pages} />}</Loaded>
      </Panel>
      <Panel title="Attention">
        <Attention />
      </Panel>
    </>
  );
}

function Sales({ of: pages }: { readonly of: readonly SalesBody[] }) {
  const sum = (part: (page: SalesBody) => bigint) => pages.reduce((total, page) => total + part(page), 0n);
  const count = (part: (page: SalesBody) => number) => countText(Number(sum((page) => BigInt(part(page)))));
  const [known, cost] = [sum((page) => page.sold_at_known_cost), sum((page) => page.provider_cost)];
  return (
    <Facts
      of={{
        Sold: <Money nano={sum((page) => page.sold)} />,
        'Of it with a cost in the catalog': <Money nano={known} />,
        "Vendors' cost of these calls": <Money nano={cost} />,
        'Margin of these calls': <Money nano={known - cost} />,
        Calls: count((page) => page.calls),
        'Calls that did not complete': count((page) => page.failed),
      }}
    />
  );
}

function Attention() {
  const audit = useView<AuditView>('audit').data?.last;
  const open = useView<ApiPage<RouteSummary>>('routes?circuit=open&limit=100').data?.data;
  const letters = useView<ApiPage<DeadLettersBody>>('dead-letters').data?.data;
  const to = (view: string, text: string | number | undefined) => (
    <Link to="/operator/$view" params={{ view }}>
      {text ?? '…'}
    </Link>
  );
  return (
    <Facts
      of={{
        'Open circuits': to('routes', open?.length),
        'Dead letters': to(
          'dead-letters',
          letters?.reduce((sum, { messages }) => sum + messages, 0),
        ),
        'Audit of the ledger': to(
          'audit',
          audit ? (audit.exact ? 'exact' : 'not exact') : 'no scheduled one yet',
        ),
        'Errors by type, alarms': 'in the dashboard of the stage in CloudWatch',
      }}
    />
  );
}
