/** A real OpenID Connect provider for a test: discovery, keys, authorization codes and ID tokens over HTTP. */
import { exportJWK, generateKeyPair } from 'jose';
import { OAuth2Server } from 'oauth2-mock-server';

export const CLIENT_ID = 'client-of-this-test';

export interface TokenChanges {
  readonly header?: Readonly<Record<string, unknown>>;
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Signs with the key of that id. */
  readonly kid?: string;
}

export class OpenIdProvider {
  readonly #server = new OAuth2Server();
  /** Requests for its discovery document and its keys. */
  fetched: string[] = [];

  async start(port?: number): Promise<void> {
    await this.addKey('first');
    await this.#server.start(port, '127.0.0.1');
  }

  get issuer(): string {
    return this.#server.issuer.url ?? '';
  }

  get port(): number {
    return this.#server.address().port;
  }

  /** Counts what is asked of it. */
  readonly fetch: typeof globalThis.fetch = (input, init) => {
    this.fetched.push(new URL(String(input)).pathname);
    return fetch(input, init);
  };

  async addKey(kid: string, algorithm = 'RS256'): Promise<void> {
    const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
    // By way of text: the server refuses an object that was made in another realm, as jest's modules see the platform's.
    const jwk = JSON.parse(JSON.stringify(await exportJWK(privateKey))) as Record<string, unknown>;
    await this.#server.issuer.keys.add({ ...jwk, kid, alg: algorithm });
  }

  /** The public key of that id, as its key set shows it. */
  async publicKey(kid: string): Promise<Record<string, unknown>> {
    const response = await fetch(`${this.issuer}/jwks`);
    const { keys } = (await response.json()) as { keys: Record<string, unknown>[] };
    return keys.find((key) => key.kid === kid) ?? {};
  }

  /** An ID token of that subject, with whatever is to be wrong with it. */
  idToken(subject: string, { header = {}, claims = {}, kid }: TokenChanges = {}): Promise<string> {
    return this.#server.issuer.buildToken({
      ...(kid === undefined ? {} : { kid }),
      scopesOrTransform: (token, payload) => {
        Object.assign(token, header);
        Object.assign(payload, { sub: subject, aud: CLIENT_ID, ...claims });
        for (const [name, value] of Object.entries(claims)) if (value === undefined) delete payload[name];
        for (const [name, value] of Object.entries(header)) if (value === undefined) delete token[name];
      },
    });
  }

  async stop(): Promise<void> {
    if (this.#server.listening) await this.#server.stop();
  }
}
