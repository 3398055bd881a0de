/**
 * The code that the Responses routes share: OpenAI's envelope, and errors inside a stream (OpenAI API reference,
 * "Streaming events").
 */
import type { WireProtocol } from '../exchange/reply.ts';
import { openAiProtocol } from '../openai/protocol.ts';

const MESSAGE = 'The server had an error while processing your request.';

export const responsesProtocol: WireProtocol = {
  ...openAiProtocol,
  failureEvent({ sequence }) {
    const id = `resp_failed${sequence}`;
    const error = { code: 'server_error', message: MESSAGE };
    const response = { id, object: 'response', status: 'failed', error, output: [] };
    const type = 'response.failed';
    return { name: type, data: JSON.stringify({ type, sequence_number: 0, response }) };
  },
};
