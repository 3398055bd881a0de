/** Wires `POST /v1/messages` for Lambda. */
import { createBedrockClients } from '../../adapters/aws/bedrock-clients.ts';
import { createRequestSigner } from '../../adapters/aws/request-signer.ts';
import { createPaidCalls } from '../../adapters/inference/create-paid-calls.ts';
import { createLog } from '../../adapters/system/logger.ts';
import { Completions } from '../../core/inference/completions/completion.ts';
import { errorBody } from '../../edge/envelope.ts';
import { front } from '../../edge/front.ts';
import { streamed } from '../../edge/pipelines.ts';
import { sseResponse } from '../../edge/sse.ts';
import { createProviders } from '../../providers/protocols.ts';
import { createMessage } from './endpoint.ts';

const log = createLog();
const calls = createPaidCalls({ environment: process.env, log });
const bedrock = createBedrockClients();
const providers = createProviders({
  ...calls,
  fetch,
  bedrockClient: bedrock.client,
  sign: createRequestSigner(bedrock),
});

const endpoint = createMessage({
  ...calls,
  completions: new Completions({ ...calls, providers, log }),
  eventStream: (frames, options) => sseResponse(frames, { after: calls.after, ...options }),
  errorBody: (error, requestId) => errorBody(error, 'messages', requestId),
});

export const handler = streamed(front(endpoint, 'messages', { ...calls, log }));
