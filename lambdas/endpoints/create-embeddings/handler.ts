/** Wires `POST /v1/embeddings` for Lambda. */
import { createBedrockClients } from '../../adapters/aws/bedrock-clients.ts';
import { createPaidCalls } from '../../adapters/inference/create-paid-calls.ts';
import { createLog } from '../../adapters/system/logger.ts';
import { front } from '../../edge/front.ts';
import { streamed } from '../../edge/pipelines.ts';
import { createEmbeddingServers } from '../../providers/modalities/servers.ts';
import { createEmbeddings } from './endpoint.ts';

const log = createLog();
const calls = createPaidCalls({ environment: process.env, log });
const servers = createEmbeddingServers({ ...calls, fetch, bedrockClient: createBedrockClients().client });

const endpoint = createEmbeddings(servers, { ...calls, log });

export const handler = streamed(front(endpoint, 'openai', { ...calls, log }));
