/**
 * Azure OpenAI: the paths of `v1`, those of deployments with a dated version, and Entra, which gives out tokens. A
 * deployment is any whose name begins with `sim`.
 */
import { postRoute, type SimulatedCall, type SimulatedResponse } from '../exchange/reply.ts';
import { openAiProtocol, openProtocol } from '../openai/protocol.ts';
import { respondToChat } from '../openai/routes.ts';
import { responsesProtocol } from '../responses/protocol.ts';
import { respondToResponses } from '../responses/routes.ts';
import { respondWithToken } from './entra.ts';
import { withFilterResults } from './filters.ts';
import { azure, filteredPrompt, noDeployment } from './protocol.ts';

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

const DEPLOYMENT = '/azure/openai/deployments/{deployment}';

export const azureRoutes = [
  postRoute(azure(openAiProtocol, true), '/azure/openai/v1/chat/completions', respondToFilteredChat),
  postRoute(azure(openAiProtocol, false), `${DEPLOYMENT}/chat/completions`, respondToFilteredChat),
  postRoute(azure(responsesProtocol, true), '/azure/openai/v1/responses', respondToFilteredResponses),
  postRoute(azure(responsesProtocol, false), '/azure/openai/responses', respondToFilteredResponses),
  postRoute(openProtocol, '/entra/{tenant}/oauth2/v2.0/token', respondWithToken),
];
