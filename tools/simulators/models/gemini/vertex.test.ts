/** Gemini on Vertex AI as the service's provider reaches it: by tokens of a service account. */
import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { CatalogRoute } from '../../../../lambdas/inference/core/catalog/catalog-document.ts';
import type { Conversation } from '../../../../lambdas/inference/core/upstream/conversation.ts';
import { createGeminiProvider } from '../../../../lambdas/inference/providers/gemini/provider.ts';
import { createAccessTokens } from '../../../../lambdas/inference/store/access-tokens.ts';
import { NO_FIELDS } from '../../../../lambdas/inference/testing/fields/no-fields.ts';
import {
  DEPENDENCIES,
  eventsOf,
  failureOf,
} from '../../../../lambdas/inference/testing/providers/http-calls.ts';
import { SIGNATURES } from '../../../../lambdas/inference/testing/providers/sealing.ts';
import { runningUpstream } from '../../testing/models/running-upstream.ts';

const upstream = runningUpstream();

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

const account = () =>
  JSON.stringify({
    type: 'service_account',
    client_email: 'svc@project.iam.gserviceaccount.example',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    token_uri: `${upstream.running.url}/google/token`,
  });

const CONVERSATION: Conversation = {
  system: [],
  tools: [],
  maxTokens: 2_000,
  stop: [],
  turns: [{ role: 'user', parts: [{ type: 'text', text: 'Say exactly: hi there' }] }],
};

const chat = (stream: boolean, fields: object = {}) =>
  createGeminiProvider({
    ...DEPENDENCIES,
    readToken: createAccessTokens({ fetch, readSecret: async () => account(), clock: Date.now }).read,
  }).chat({
    route: {
      id: 'r',
      protocol: 'gemini',
      upstream_model: 'gemini-sim',
      secret: 'env:ACCOUNT',
      auth: 'google',
      base_url: `${upstream.running.url}/vertex/v1/projects/p/locations/global/publishers/google`,
      ...fields,
    } as CatalogRoute,
    payload: {
      protocol: 'openai',
      body: {},
      conversation: () => CONVERSATION,
      stream,
      fields: NO_FIELDS,
    },
    identity: { id: 'chatcmpl-1', model: 'm' },
    signatures: SIGNATURES,
    maxBytes: 1_000_000,
    signal: new AbortController().signal,
  });

describe('Gemini on Vertex AI', () => {
  it('responds to a call with a token of the account, complete and streamed', async () => {
    const response = await chat(false);
    expect(response).toMatchObject({ kind: 'json', outputText: 'hi there' });
    const events = await eventsOf(chat(true));
    expect(events.map(({ outputText }) => outputText).join('')).toBe('hi there');
  });

  it('takes no API key', async () => {
    const failure = await failureOf(chat(false, { auth: undefined, secret: 'env:KEY' }));
    expect(failure).toMatchObject({ status: 401, retryable: true });
  });
});
