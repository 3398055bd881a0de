/** The route of the Messages wire format (Claude API reference, "Create a Message"). */
import { answerAs, postRoute, type SimulatedCall } from '../exchange/reply.ts';
import { readRequest } from '../exchange/request-error.ts';
import { generateSingleOutput } from '../model/answer.ts';
import { identifierFrom } from '../model/random.ts';
import { type MessageEnvelope, messageDocument, messageEvents } from './answer.ts';
import { checkBetas } from './betas.ts';
import { anthropicProtocol } from './protocol.ts';
import { promptBlocks, toModelRequest } from './question.ts';
import { messagesRequestSchema, type SimulatedMessagesRequest } from './request.ts';

const MESSAGE_ID_LENGTH = 22;

/** Returns the speed and region used, as requested. The usage contains only requested fields. */
const accountingOf = ({ speed, inference_geo: region }: SimulatedMessagesRequest) => ({
  service_tier: 'standard',
  speed: speed ?? undefined,
  inference_geo: region ?? undefined,
});

export function respondToMessages({ body, fault, headers, sequence, cache }: SimulatedCall) {
  const request = readRequest(messagesRequestSchema, body);
  const { model } = request;
  checkBetas(request, headers);
  const question = { ...toModelRequest(request), refuses: fault.refusal };
  const { choice, usage } = generateSingleOutput({
    ...question,
    cache: cache.use(model, promptBlocks(request)),
  });
  const id = `msg_01${identifierFrom(`message ${sequence}`, MESSAGE_ID_LENGTH)}`;
  const envelope: MessageEnvelope = { id, model, accounting: accountingOf(request), fault };
  return answerAs(
    request.stream,
    () => messageDocument(choice, usage, envelope),
    () => messageEvents(choice, usage, envelope),
  );
}

export const anthropicRoutes = [postRoute(anthropicProtocol, '/v1/messages', respondToMessages)];
