/**
 * Azure OpenAI: the paths of `v1`, those of deployments with a dated version, and Entra, which gives out tokens. A
 * deployment is any whose name begins with `sim`.
 */
import type { SimulatedCall, SimulatedResponse, SimulatedRoute } from '../exchange/reply.ts';
import { respondToChat } from '../openai/routes.ts';
import { respondToResponses } from '../responses/routes.ts';
import { respondWithToken } from './entra.ts';
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
const FILTERED_PROMPT = /filter this answer/iu;

const deploymentOf = ({ parameters, body }: SimulatedCall): string =>
  parameters.deployment ?? String(Object(body).model);

const respondAs =
  (reply: (call: SimulatedCall) => SimulatedResponse) =>
  (call: SimulatedCall): SimulatedResponse => {
    if (!deploymentOf(call).startsWith('sim')) return noDeployment();
    return STOPPED_PROMPT.test(JSON.stringify(call.body)) ? filteredPrompt() : reply(call);
  };

const respondToFilteredChat = respondAs((call) =>
  withFilterResults(respondToChat(call), FILTERED_PROMPT.test(JSON.stringify(call.body))),
);
const respondToFilteredResponses = respondAs(respondToResponses);

const post = { method: 'POST' };

export const azureRoutes: readonly SimulatedRoute[] = [
  { ...post, path: '/azure/openai/v1/chat/completions', protocol: chatV1, reply: respondToFilteredChat },
  {
    ...post,
    path: '/azure/openai/deployments/{deployment}/chat/completions',
    protocol: chatOfDeployments,
    reply: respondToFilteredChat,
  },
  { ...post, path: '/azure/openai/v1/responses', protocol: responsesV1, reply: respondToFilteredResponses },
  { ...post, path: '/azure/openai/responses', protocol: responsesDated, reply: respondToFilteredResponses },
  { ...post, path: '/entra/{tenant}/oauth2/v2.0/token', protocol: entraProtocol, reply: respondWithToken },
];
