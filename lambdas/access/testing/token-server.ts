/** A token endpoint on a real socket, with a discovery document and keys beside it, that can be hostile in every way. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface TokenRequest {
  readonly headers: IncomingHttpHeaders;
  readonly form: Readonly<Record<string, string>>;
}

/** The parameters for which a code was issued. */
export interface IssuedCode {
  readonly redirectUri: string;
  readonly verifier: string;
  /** The body that it is exchanged for. */
  readonly response: object;
}

type Misbehaviour = (response: ServerResponse) => void;

export class TokenServer {
  readonly requests: TokenRequest[] = [];
  /** The URLs of requests to the server other than token requests. */
  readonly requestedPaths: string[] = [];
  /** Answers in place of the endpoint. */
  misbehaviour: Misbehaviour | undefined;
  /** The fields of the discovery document. */
  document: Readonly<Record<string, unknown>> = {};
  readonly #codes = new Map<string, IssuedCode>();
  readonly #server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (request.method !== 'POST') {
      this.requestedPaths.push(request.url ?? '');
      if (request.url === '/elsewhere') response.end('{"id_token":"stolen","access_token":"gho_ours"}');
      else response.end(JSON.stringify(this.document));
      return;
    }
    const form = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()));
    this.requests.push({ headers: request.headers, form });
    if (this.misbehaviour !== undefined) {
      this.misbehaviour(response);
      return;
    }
    const [status, body] = this.#exchange(form);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });

  async start(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  issue(code: string, issued: IssuedCode): void {
    this.#codes.set(code, issued);
  }

  /** Exchanges a code once (RFC 6749, section 5.2; RFC 7636, section 4.6). */
  #exchange(form: Readonly<Record<string, string>>): readonly [number, object] {
    const { code = '', code_verifier: verifier = '', redirect_uri: redirectUri } = form;
    const issued = this.#codes.get(code);
    this.#codes.delete(code);
    const hash = (text: string) => createHash('sha256').update(text).digest('hex');
    if (
      issued === undefined ||
      issued.redirectUri !== redirectUri ||
      hash(issued.verifier) !== hash(verifier)
    )
      return [400, { error: 'invalid_grant', error_description: 'the canary of an error' }];
    return [200, issued.response];
  }

  async stop(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }
}
