/** A token endpoint on a real socket, with a discovery document and keys beside it, that can be hostile in every way. */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { type LoopbackServer, startLoopbackServer } from '../loopback-server.ts';

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
  #server: LoopbackServer | undefined;

  async start(): Promise<void> {
    this.#server = await startLoopbackServer((request, response) => this.#answer(request, response), 0);
  }

  get url(): string {
    return this.#server?.url ?? '';
  }

  async stop(): Promise<void> {
    await this.#server?.stop();
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

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') {
      this.requestedPaths.push(request.url ?? '');
      if (request.url === '/elsewhere') response.end('{"id_token":"stolen","access_token":"gho_ours"}');
      else response.end(JSON.stringify(this.document));
      return;
    }
    const form = Object.fromEntries(new URLSearchParams(await text(request)));
    this.requests.push({ headers: request.headers, form });
    if (this.misbehaviour !== undefined) return this.misbehaviour(response);
    const [status, body] = this.#exchange(form);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }
}
