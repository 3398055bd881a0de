/** Wires the step of the settling workflow for Lambda. */
import { createDynamoClients } from '../../adapters/clients.ts';
import { createLedger } from '../../adapters/ledger.ts';
import { createLog } from '../../adapters/logger.ts';
import { systemClock } from '../../adapters/system.ts';
import { consumer } from '../../edge/pipelines.ts';
import { settleTranscription } from './consumer.ts';

const log = createLog();
const stores = createLedger({ clients: createDynamoClients(), environment: process.env, log });

export const handler = consumer(settleTranscription({ ...stores, clock: systemClock, log }));
