/**
 * Azure OpenAI: the paths of `v1`, those of deployments with a dated version, and Entra, which gives out tokens. A
 * deployment is any whose name begins with `sim`.
 */
import type { SimulatedCall, SimulatedReply, SimulatedRoute } from '../exchange/reply.ts';
import { replyToChat } from '../openai/routes.ts';
import { replyToResponses } from '../responses/routes.ts';
import { replyWithToken } from './entra.ts';
import { withFilterResults } from './filters.ts';
import {
  chatOfDeployments,
  chatV1,
  entraProtocol,
  filteredPrompt,
  noDeployment,
  responsesDated,
  responsesV1,
} from './protocol.ts';

/** The texts in a prompt that make the filter stop the prompt, or stop its response. */
const STOPPED_PROMPT = /filter this prompt/iu;
const STOPPED_ANSWER = /filter this answer/iu;

const deploymentOf = ({ parameters, body }: SimulatedCall): string =>
  parameters.deployment ?? String(Object(body).model);

const served =
  (reply: (call: SimulatedCall) => SimulatedReply) =>
  (call: SimulatedCall): SimulatedReply => {
    if (!deploymentOf(call).startsWith('sim')) return noDeployment();
    return STOPPED_PROMPT.test(JSON.stringify(call.body)) ? filteredPrompt() : reply(call);
  };

const replyToFilteredChat = served((call) =>
  withFilterResults(replyToChat(call), STOPPED_ANSWER.test(JSON.stringify(call.body))),
);
const replyToFilteredResponses = served(replyToResponses);

const post = { method: 'POST' };

export const azureRoutes: readonly SimulatedRoute[] = [
  { ...post, path: '/azure/openai/v1/chat/completions', protocol: chatV1, reply: replyToFilteredChat },
  {
    ...post,
    path: '/azure/openai/deployments/{deployment}/chat/completions',
    protocol: chatOfDeployments,
    reply: replyToFilteredChat,
  },
  { ...post, path: '/azure/openai/v1/responses', protocol: responsesV1, reply: replyToFilteredResponses },
  { ...post, path: '/azure/openai/responses', protocol: responsesDated, reply: replyToFilteredResponses },
  { ...post, path: '/entra/{tenant}/oauth2/v2.0/token', protocol: entraProtocol, reply: replyWithToken },
];
