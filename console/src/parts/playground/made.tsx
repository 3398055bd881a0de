/** The duration and cost of a call of the playground, from the ledger. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { call } from '../../api/client.ts';
import type { PlaygroundMetrics } from '../../api/playground.ts';
import type { AccountReceipt } from '../../api/types.ts';
import { Money } from '../basics.tsx';

const ms = (count: number): string => `${Math.round(count).toLocaleString('en-US')} ms`;

/** A call is settled before its answer ends, so its receipt is there; a broken one may take a moment longer. */
export function MadeLine({ made }: { readonly made: PlaygroundMetrics }) {
  const receipt = useQuery({
    queryKey: ['receipt', made.requestId],
    retry: 5,
    queryFn: () => call<AccountReceipt>(`/api/v1/usage/${encodeURIComponent(made.requestId)}`),
  });
  return (
    <p className="legend" role="status">
      <span>First after {ms(made.firstMs)}</span>
      <span>Whole after {ms(made.totalMs)}</span>
      {receipt.data === undefined ? null : (
        <span>
          Cost <Money nano={receipt.data.cost} />
        </span>
      )}
      <Link to="/activity/$id" params={{ id: made.requestId }}>
        Receipt
      </Link>
    </p>
  );
}
