/**
 * The lists of models of the simulated vendors (OpenAI API reference, List models; Claude API reference, List Models; Gemini
 * API reference, models.list): the names in the catalog of `npm start`. Other names are served too.
 */
import { jsonResponse, type SimulatedRoute, type WireProtocol } from './exchange/reply.ts';
import { geminiProtocol } from './gemini/protocol.ts';
import { openAiProtocol } from './openai/protocol.ts';

const CLAUDE = ['claude-sim', 'claude-sim-large', 'claude-sim-reasoner'];

const OPENAI = [
  'chat',
  'chat-large-cached',
  'responses',
  'reasoner',
  'deepseek-sim',
  'gemini-sim',
  'embed',
  'image',
  'tts',
  'stt',
];

/** One address is that of both vendors; each takes its own header for the key. */
const eitherKey: WireProtocol = {
  ...openAiProtocol,
  refusal: (head) => (head.headers['x-api-key'] ? undefined : openAiProtocol.refusal(head)),
};

export const listRoutes: readonly SimulatedRoute[] = [
  {
    method: 'GET',
    path: '/v1/models',
    protocol: eitherKey,
    reply: ({ headers }) =>
      headers['anthropic-version'] === undefined
        ? jsonResponse(200, { object: 'list', data: OPENAI.map((id) => ({ id, object: 'model' })) })
        : jsonResponse(200, { data: CLAUDE.map((id) => ({ id, type: 'model' })), has_more: false }),
  },
  {
    method: 'GET',
    path: '/v1beta/models',
    protocol: geminiProtocol,
    reply: () => jsonResponse(200, { models: [{ name: 'models/sim-gemini' }] }),
  },
];
