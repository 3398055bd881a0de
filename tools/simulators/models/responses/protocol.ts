/**
 * The code that the Responses routes share: OpenAI's envelope, and errors inside a stream (OpenAI API reference,
 * "Streaming events").
 */
import type { WireProtocol } from '../exchange/reply.ts';
import { openAiProtocol } from '../openai/protocol.ts';

const MESSAGE = 'The server had an error while processing your request.';

/** A stream fails with `response.failed`, or with a bare `error` where the fault asks for that type. */
export const responsesProtocol: WireProtocol = {
  ...openAiProtocol,
  failureEvent({ fault, sequence }) {
    const type = fault.error_event_type === 'error' ? 'error' : 'response.failed';
    const code = type === 'error' ? 'server_error' : (fault.error_event_type ?? 'server_error');
    const error = { code, message: MESSAGE };
    const response = {
      id: `resp_failed${sequence}`,
      object: 'response',
      status: 'failed',
      error,
      output: [],
    };
    const data = type === 'error' ? { ...error, param: null } : { response };
    return {
      name: type,
      data: JSON.stringify({ type, sequence_number: 0, ...data }),
      part: 'end',
      failure: true,
    };
  },
};
