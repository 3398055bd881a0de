/** Reports of a paid call to its host: that a route has responded, and the fields of its log line. */
import type { Ledger } from '../../ledger/core/admission.ts';
import { formatUsd } from '../../platform/core/money.ts';
import type { CallContext } from '../../platform/core/ports.ts';
import type { PaidCall } from './call.ts';

/** The same call, which reports to its host when a route has responded. */
export const reportedCall = <Result>(call: PaidCall<Result>, { body }: CallContext): PaidCall<Result> => ({
  ...call,
  prepare: (result, unsettled) => {
    body?.sent();
    return call.prepare(result, unsettled);
  },
});

/**
 * The same ledger, which reports the model that a call is for, and the route and the cost once it is settled. The model
 * has its name in the catalog, because the one in a request may be any text.
 */
export function reportedLedger(
  ledger: Pick<Ledger, 'admit'>,
  { note = () => {} }: Pick<CallContext, 'note'>,
): Pick<Ledger, 'admit'> {
  return {
    async admit(call) {
      note({ kind: call.scope.kind, model: call.scope.models[0]?.[0] });
      const admission = await ledger.admit(call);
      return {
        ...admission,
        async settle(outcome) {
          const settlement = await admission.settle(outcome);
          note({ model: outcome.model, route: outcome.route, usd: formatUsd(settlement.record.cost) });
          return settlement;
        },
      };
    },
  };
}
