/** Wires `POST /v1/audio/speech` for Lambda. */

import { createPaidCalls } from '../../adapters/inference/create-paid-calls.ts';
import { createLog } from '../../adapters/system/logger.ts';
import { front } from '../../edge/front.ts';
import { streamed } from '../../edge/pipelines.ts';
import { createSpeechServers } from '../../providers/modalities/servers.ts';
import { createSpeech } from './endpoint.ts';

const log = createLog();
const calls = createPaidCalls({ environment: process.env, log });
const servers = createSpeechServers({ ...calls, fetch });

const endpoint = createSpeech(servers, { ...calls, log });

export const handler = streamed(front(endpoint, 'openai', { ...calls, log }));
