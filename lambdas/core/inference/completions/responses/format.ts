/** OpenAI's Responses. */
import type { ApiFormat } from '../api-format.ts';
import { ResponseFrames } from './answer/frames.ts';
import { OutgoingItems } from './answer/items.ts';
import { responsesWriter } from './answer/reply.ts';
import { RESPONSES_FIELDS } from './fields.ts';
import { optionalTools, withoutTools } from './optional-tools.ts';
import { toPayload } from './payload.ts';
import type { ResponsesRequest } from './request.ts';
import { ToolNames } from './tool-names.ts';

export const responsesFormat: ApiFormat<ResponsesRequest> = {
  protocol: 'openai-responses',
  fields: RESPONSES_FIELDS,
  toPayload,
  optionalTools,
  withoutTools,
  maxTokens: ({ max_output_tokens: tokens }) => ({
    tokens: tokens ?? undefined,
    param: 'max_output_tokens',
    fallback: undefined,
  }),
  withMaxTokens: (request, tokens) => ({ ...request, max_output_tokens: tokens }),
  choices: () => 1,
  answerId: (ulid) => `resp_${ulid}`,
  answer: ({ request, answerId, createdMs, clock, capsules }) => {
    const outgoing = new OutgoingItems(request, capsules);
    const names = new ToolNames(request.tools ?? []);
    const options = { request, answerId, createdMs };
    const stream = new ResponseFrames(options, outgoing);
    return {
      writer: (written) => responsesWriter({ ...options, clock, names, outgoing }, written),
      frames: (events) => stream.frames(events),
      events: stream.events,
    };
  },
};
