/** The step of the settling workflow. */
import {
  type SettledOrder,
  type SettlementOrder,
  settlementOrder,
} from '../../core/inference/kinds/transcriptions/order.ts';
import {
  type SettleTranscriptionDependencies,
  settleTranscription as settle,
} from '../../core/inference/kinds/transcriptions/settle.ts';

/** Throws when the step is to be repeated. */
export function settleTranscription(dependencies: SettleTranscriptionDependencies) {
  return async (input: SettlementOrder): Promise<SettledOrder> => {
    const { record, balance } = await settle(dependencies, settlementOrder.parse(input));
    return { cost: String(record.cost), balance: String(balance) };
  };
}
