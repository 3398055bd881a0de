/**
 * The authorization and the errors of Azure OpenAI (Azure OpenAI REST API reference, "Authentication" and "API
 * versioning").
 */

import { type CompleteReply, jsonResponse, type RequestHead, type WireProtocol } from '../exchange/reply.ts';
import { envelope } from '../openai/protocol.ts';
import { isIssued } from './entra.ts';

/** Azure's gateway answers with the status as a text for its code. */
const gatewayError = (status: number, code: string, message: string): CompleteReply =>
  jsonResponse(status, { error: { code, message } });

const NO_KEY =
  'Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource.';

/** The surface of OpenAI's own paths takes a key as OpenAI does, too (Azure OpenAI docs, "API version lifecycle"). */
function isAuthorised({ headers }: RequestHead, takesBearerKeys: boolean): boolean {
  const { 'api-key': key, authorization } = headers;
  if (typeof key === 'string' && key !== '') return true;
  const [, token] = /^Bearer +(\S+)$/u.exec(String(authorization)) ?? [];
  return token !== undefined && (takesBearerKeys || isIssued(token));
}

const versionOf = ({ query = '' }: RequestHead): string | null =>
  new URLSearchParams(query).get('api-version');

/** Below `/openai/v1` there are no dated versions; everywhere else there must be one. */
const isVersion = (version: string | null, isV1: boolean): boolean =>
  isV1
    ? version === null || version === 'v1' || version === 'preview'
    : /^\d{4}-\d{2}-\d{2}(?:-preview)?$/u.test(version ?? '');

function rejectionOf(head: RequestHead, isV1: boolean): CompleteReply | undefined {
  if (!isVersion(versionOf(head), isV1))
    return isV1
      ? gatewayError(400, 'BadRequest', 'API version not supported')
      : gatewayError(404, '404', 'Resource not found');
  return isAuthorised(head, isV1) ? undefined : gatewayError(401, '401', NO_KEY);
}

export const azure = (protocol: WireProtocol, isV1: boolean): WireProtocol => ({
  ...protocol,
  refusal: (head) => rejectionOf(head, isV1),
  responseHeaders: (head) => ({
    'apim-request-id': `00000000-0000-4000-8000-${String(head.sequence).padStart(12, '0')}`,
    'x-ms-region': 'Sweden Central',
  }),
});

export const noDeployment = (): CompleteReply =>
  gatewayError(
    404,
    'DeploymentNotFound',
    'The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again.',
  );

/** A prompt that the filter stopped, as the docs show it ("Content filtering", "Scenario details"). */
export const filteredPrompt = (): CompleteReply => {
  const { error } = envelope({
    message:
      "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry. To learn more about our content filtering policies please read our documentation: https://go.microsoft.com/fwlink/?linkid=2198766",
    param: 'prompt',
    code: 'content_filter',
  });
  const innererror = {
    code: 'ResponsibleAIPolicyViolation',
    content_filter_result: { hate: { filtered: true, severity: 'high' } },
  };
  return jsonResponse(400, { error: { ...error, type: null, status: 400, innererror } });
};
