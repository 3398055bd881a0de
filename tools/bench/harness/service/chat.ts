/** The conversational endpoints on the real stores, wired as their handlers wire them, with an upstream of the bench's choice. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type CompletionDependencies,
  createCompletionEndpoint,
} from '../../../../lambdas/inference/core/completions/completion-endpoint.ts';
import { chatFormat } from '../../../../lambdas/inference/formats/chat/format.ts';
import { chatCompletionRequest } from '../../../../lambdas/inference/formats/chat/schema.ts';
import { messagesFormat } from '../../../../lambdas/inference/formats/messages/format.ts';
import { messagesRequest } from '../../../../lambdas/inference/formats/messages/schema.ts';
import { responsesFormat } from '../../../../lambdas/inference/formats/responses/format.ts';
import { responsesRequest } from '../../../../lambdas/inference/formats/responses/schema.ts';
import {
  createChatProviders,
  createPaidResources,
} from '../../../../lambdas/inference/handlers/paid-handler.ts';
import { createCatalog } from '../../../../lambdas/inference/store/catalog-store.ts';
import { createSecretsClient, type DynamoClients } from '../../../../lambdas/platform/aws/clients.ts';
import { createSecretReader } from '../../../../lambdas/platform/aws/secrets.ts';
import type { StageCheck } from '../../../../lambdas/platform/core/stage-check.ts';
import {
  createRequestHandler,
  type Handler,
  type HostResponse,
} from '../../../../lambdas/platform/http/request-handler.ts';
import { systemClock } from '../../../../lambdas/platform/system/system.ts';
import { REGION } from '../../../local/assembly/intrinsics.ts';
import { PEPPERS, SILENT, UNMEASURED } from './account.ts';

/** The secret that the local catalog's simulated routes refer to; the simulated upstream accepts any value. */
const SIMULATED_KEYS = { SIM_KEY: 'simulated' };

/** The model that every bench calls. */
export const MODEL = 'sim/chat';

export type SurfaceName = 'chat' | 'responses' | 'messages';

const SURFACES = {
  chat: {
    create: (dependencies: CompletionDependencies) =>
      createCompletionEndpoint(chatFormat, chatCompletionRequest, dependencies),
    envelope: 'openai',
    path: '/v1/chat/completions',
  },
  responses: {
    create: (dependencies: CompletionDependencies) =>
      createCompletionEndpoint(responsesFormat, responsesRequest, dependencies),
    envelope: 'openai',
    path: '/v1/responses',
  },
  messages: {
    create: (dependencies: CompletionDependencies) =>
      createCompletionEndpoint(messagesFormat, messagesRequest, dependencies),
    envelope: 'messages',
    path: '/v1/messages',
  },
} as const;

export interface ChatOptions {
  readonly clients: DynamoClients;
  readonly environment: Readonly<Record<string, string>>;
  readonly fetch: typeof fetch;
  /** Chat when absent. */
  readonly surface?: SurfaceName;
  /** Without one, the calls are of a process that may serve, without alerts. */
  readonly mayServe?: StageCheck;
}

/** The local catalog, with its simulated routes at `upstreamUrl`. */
export const localCatalog = (upstreamUrl: string): string =>
  readFileSync(
    join(import.meta.dirname, '..', '..', '..', 'local', 'seed', 'catalog.json'),
    'utf8',
  ).replaceAll(/\{(?:UPSTREAM|AWS)_URL\}/g, upstreamUrl);

/** Returns the handler of `handler.ts` without the Lambda host, the pepper's secret and the log lines. */
export function composeChat({
  clients,
  environment,
  fetch,
  mayServe,
  surface = 'chat',
}: ChatOptions): Handler {
  const { create, envelope } = SURFACES[surface];
  // The catalog names secrets of the environment only, so the client is never used.
  const secrets = createSecretsClient({ region: REGION });
  const secretReader = { client: secrets, environment: SIMULATED_KEYS, clock: systemClock, log: SILENT };
  const calls = createPaidResources({
    clients,
    environment,
    fetch,
    log: SILENT,
    access: { peppers: async () => PEPPERS, readSecret: createSecretReader(secretReader) },
    measure: UNMEASURED,
    catalog: createCatalog({ ...clients, environment, log: SILENT }),
    ...(mayServe === undefined ? {} : { mayServe }),
  });
  return createRequestHandler(create({ ...calls, providers: createChatProviders(calls) }), envelope, calls);
}

export interface ChatCall {
  readonly credential: string;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly surface?: SurfaceName;
}

/** The longest a function may run; no bench comes near it. */
const CALL_MS = 900_000;

/** Makes one call; throws when it is not answered with 200. */
export async function callChat(
  handler: Handler,
  { credential, body, headers = {}, surface = 'chat' }: ChatCall,
): Promise<HostResponse> {
  const request = new Request(`http://localhost${SURFACES[surface].path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${credential}`, ...headers },
    body: JSON.stringify(body),
  });
  const response = await handler(request, { pathParameters: {}, remainingTimeMs: () => CALL_MS });
  if (response.status !== 200) throw new Error(`${response.status}: ${await readText(response)}`);
  return response;
}

/** Reads a response to its end, whose client takes every chunk at once. */
export async function readText({ body }: HostResponse): Promise<string> {
  if (typeof body === 'string') return body;
  const chunks: string[] = [];
  await body.run({ write: (chunk) => void chunks.push(chunk.toString()) });
  return chunks.join('');
}
