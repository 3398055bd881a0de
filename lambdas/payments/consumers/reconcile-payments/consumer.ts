/** On a schedule: compares the orders with the payment provider, and applies what no event has brought. */
import type { EventResult } from '../../core/orders.ts';
import { type ReconciliationDependencies, reconcilePayments } from '../../core/reconciliation.ts';

export interface ReconcileDependencies extends Omit<ReconciliationDependencies, 'onApplied'> {
  /** Receives each fact that no event has brought. */
  readonly onMissed: () => void;
  readonly onCredited: () => void;
  /** Called at the end of each run, also if there is no provider: an alarm reports that it is missing. */
  readonly onCompleted: () => void;
  /** Receives the number of differences, if there are any; a list that is too long is one. */
  readonly onDifferences: (count: number) => void;
}

export function reconcileOnSchedule({
  onMissed,
  onCredited,
  onCompleted,
  onDifferences,
  ...dependencies
}: ReconcileDependencies) {
  const onApplied = (result: EventResult) => {
    onMissed();
    if (result === 'credited') onCredited();
  };
  return async (): Promise<void> => {
    const result = await reconcilePayments({ ...dependencies, onApplied });
    onCompleted();
    if (result === undefined) return;
    const count = result.differing + (result.complete ? 0 : 1);
    // A metric costs the hours in which it is raised, so that an exact result raises none.
    if (count > 0) onDifferences(count);
  };
}
