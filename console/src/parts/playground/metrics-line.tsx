/** The duration and cost of a call of the playground, from the ledger. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { call } from '../../api/client.ts';
import type { PlaygroundMetrics } from '../../api/playground.ts';
import { queryClient } from '../../api/queries.ts';
import type { AccountReceipt } from '../../api/types.ts';
import { Money } from '../basics.tsx';

const ms = (count: number): string => `${Math.round(count).toLocaleString('en-US')} ms`;

/**
 * Renders the metrics of a call. A call is settled before its response ends, so its receipt exists; a broken one may
 * take a moment longer. The balance that the page shows follows.
 */
export function MetricsLine({ metrics }: { readonly metrics: PlaygroundMetrics }) {
  const receipt = useQuery({
    queryKey: ['receipt', metrics.requestId],
    retry: 5,
    queryFn: async () => {
      const path = `/api/v1/usage/${encodeURIComponent(metrics.requestId)}`;
      const body = await call<AccountReceipt>(path);
      await queryClient.invalidateQueries({ queryKey: ['balance'] });
      return body;
    },
  });
  return (
    <p className="legend">
      <span>First after {ms(metrics.firstMs)}</span>
      <span>Whole after {ms(metrics.totalMs)}</span>
      {receipt.data === undefined ? null : (
        <span>
          Cost <Money nano={receipt.data.cost} />
        </span>
      )}
      <Link to="/activity/$id" params={{ id: metrics.requestId }}>
        Receipt
      </Link>
    </p>
  );
}
