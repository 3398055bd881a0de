/** The step of the settling workflow. It fails when it is to be repeated. */
import { createLedger } from '../../../ledger/store/create-ledger.ts';
import { consumerHandler } from '../../../platform/handlers/consumer-handler.ts';
import { settlementOrder } from '../../core/kinds/transcriptions/order.ts';
import { settleTranscription } from '../../core/kinds/transcriptions/settle.ts';

export const handler = consumerHandler((resources) => {
  const dependencies = { ...resources, ...createLedger(resources) };
  return async (input: unknown) => {
    const { record, balance } = await settleTranscription(dependencies, settlementOrder.parse(input));
    return { cost: String(record.cost), balance: String(balance) };
  };
});
