/** Wires the step of the settling workflow for Lambda. */
import { createDynamoClients } from '../../adapters/aws/clients.ts';
import { createLedger } from '../../adapters/ledger/create-ledger.ts';
import { createLog } from '../../adapters/system/logger.ts';
import { systemClock } from '../../adapters/system/system.ts';
import { consumer } from '../../edge/pipelines.ts';
import { settleTranscription } from './consumer.ts';

const log = createLog();
const stores = createLedger({ clients: createDynamoClients(), environment: process.env, log });

export const handler = consumer(settleTranscription({ ...stores, clock: systemClock, log }));
