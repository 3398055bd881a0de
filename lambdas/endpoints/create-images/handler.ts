/** Wires `POST /v1/images/generations` for Lambda. */
import { createBedrockClients } from '../../adapters/aws/bedrock-clients.ts';
import { createPaidCalls } from '../../adapters/inference/create-paid-calls.ts';
import { createLog } from '../../adapters/system/logger.ts';
import { front } from '../../edge/front.ts';
import { streamed } from '../../edge/pipelines.ts';
import { createImageServers } from '../../providers/modalities/servers.ts';
import { createImages } from './endpoint.ts';

const log = createLog();
const calls = createPaidCalls({ environment: process.env, log });
const servers = createImageServers({ ...calls, fetch, bedrockClient: createBedrockClients().client });

const endpoint = createImages(servers, { ...calls, log });

export const handler = streamed(front(endpoint, 'openai', { ...calls, log }));
