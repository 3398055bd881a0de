/** Wires the step of the settling workflow for Lambda. */
import { createLedger } from '../../adapters/ledger/create-ledger.ts';
import { consumerHandler } from '../../hosts/consumer-handler.ts';
import { settleTranscription } from './consumer.ts';

export const handler = consumerHandler((resources) =>
  settleTranscription({ ...resources, ...createLedger(resources) }),
);
