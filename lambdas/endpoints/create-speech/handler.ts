/** Wires `POST /v1/audio/speech` for Lambda. */
import { createLog } from '../../adapters/logger.ts';
import { createPaidCalls } from '../../adapters/paid-calls.ts';
import { front } from '../../edge/front.ts';
import { streamed } from '../../edge/pipelines.ts';
import { createSpeechServers } from '../../providers/modalities/servers.ts';
import { createSpeech } from './endpoint.ts';

const log = createLog();
const calls = createPaidCalls({ environment: process.env, log });
const servers = createSpeechServers({ ...calls, fetch });

const endpoint = createSpeech(servers, { ...calls, log });

export const handler = streamed(front(endpoint, 'openai', { ...calls, log }));
