/** The step of the settling workflow. It fails when it is to be repeated. */
import { createLedger } from '../../adapters/ledger/create-ledger.ts';
import { type SettledOrder, settlementOrder } from '../../core/inference/kinds/transcriptions/order.ts';
import { settleTranscription } from '../../core/inference/kinds/transcriptions/settle.ts';
import { consumerHandler } from '../../hosts/consumer-handler.ts';

export const handler = consumerHandler((resources) => {
  const dependencies = { ...resources, ...createLedger(resources) };
  return async (input: unknown): Promise<SettledOrder> => {
    const { record, balance } = await settleTranscription(dependencies, settlementOrder.parse(input));
    return { cost: String(record.cost), balance: String(balance) };
  };
});
