/** Signing in at the local identity provider, as a browser does: its page, its form, and the way back with a code. */
import { createHash, randomBytes } from 'node:crypto';
import { expect } from '@jest/globals';
import type { Service } from './service.ts';

export interface Provider {
  readonly id: string;
  readonly client_id: string;
  readonly authorization_endpoint: string;
  readonly scope: string;
}

async function localProvider(service: Service): Promise<Provider> {
  const response = await service.fetch('/api/v1/auth/providers', { key: null });
  const { data } = (await response.json()) as { data: readonly Provider[] };
  expect(data).toEqual([
    {
      id: 'local',
      type: 'oidc',
      name: expect.any(String),
      client_id: expect.any(String),
      authorization_endpoint: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/authorize$/),
      scope: 'openid email',
    },
  ]);
  return data[0] as Provider;
}

/** The code of whoever has that address, by default of whom the page proposes, and what belongs to it. */
export async function authorize(service: Service, email?: string) {
  const provider = await localProvider(service);
  const [state = '', nonce = '', verifier = ''] = [1, 2, 3].map(() => randomBytes(32).toString('base64url'));
  const redirectUri = `${service.session.base_url}/console`;
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: provider.client_id,
    redirect_uri: redirectUri,
    scope: provider.scope,
    state,
    nonce,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const url = `${provider.authorization_endpoint}?${query}`;
  const page = await (await fetch(url)).text();
  const proposed = /name="email"[^>]* value="([^"]+)"/.exec(page)?.[1] ?? '';
  const signInResponse = await fetch(url, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ email: email ?? proposed }),
  });
  const back = new URL(signInResponse.headers.get('location') ?? '');
  expect([signInResponse.status, `${back.origin}${back.pathname}`]).toEqual([303, redirectUri]);
  expect(back.searchParams.get('state')).toBe(state);
  return {
    code: back.searchParams.get('code') ?? '',
    code_verifier: verifier,
    redirect_uri: redirectUri,
    nonce,
  };
}

/** An ID token, as an application gets it that exchanges the code by itself. */
export async function idTokenOf(service: Service, email: string): Promise<string> {
  const { client_id: clientId, authorization_endpoint: endpoint } = await localProvider(service);
  const { nonce: _nonce, ...code } = await authorize(service, email);
  const exchanged = await fetch(new URL('/token', endpoint), {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'authorization_code', client_id: clientId, ...code }),
  });
  return ((await exchanged.json()) as { id_token: string }).id_token;
}
