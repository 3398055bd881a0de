/**
 * A payment provider for this machine: Stripe's API as far as the service uses it, on a real socket, so that Stripe's
 * own library talks to it; a page where a checkout is paid; and signed events. Source: Stripe API reference.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { readBody, startLoopbackServer } from '../loopback-server.ts';
import { PaymentLedger } from './books.ts';
import { Checkouts } from './checkout.ts';
import { Courier, type Recipient } from './courier.ts';
import { SandboxError } from './errors.ts';
import { readForm } from './form.ts';
import { checkoutPage } from './pages.ts';

export interface PaymentSandbox {
  readonly url: string;
  /** Says who gets the events. */
  connect(recipient: Recipient): void;
  stop(): Promise<void>;
}

export interface SandboxOptions {
  /** Any free port is taken when this one is not to be had; 0 wants none in particular. */
  readonly preferredPort: number;
  /** The file that stores checkouts across restarts. */
  readonly file: string;
  readonly log: (line: string) => void;
}

/** More than any request of Stripe's library to the sandbox has. */
const MAX_BODY_BYTES = 64 * 1024;
const tooLarge = () => new SandboxError(413, 'The request is too large.');

export async function startPaymentSandbox(options: SandboxOptions): Promise<PaymentSandbox> {
  const ledger = new PaymentLedger(options.file);
  const courier = new Courier(ledger, options.log);
  const sandbox = new Sandbox(ledger, new Checkouts(ledger, courier));
  const server = await startLoopbackServer((request, response) => {
    sandbox.answer(request, response).catch((failure: unknown) => reject(response, failure));
  }, options.preferredPort);
  return {
    url: server.url,
    connect: (recipient) => courier.connect(recipient),
    async stop() {
      courier.stop();
      await server.stop();
    },
  };
}

class Sandbox {
  readonly #ledger: PaymentLedger;
  readonly #checkouts: Checkouts;

  constructor(ledger: PaymentLedger, checkouts: Checkouts) {
    this.#ledger = ledger;
    this.#checkouts = checkouts;
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const origin = `http://127.0.0.1:${request.socket.localPort}`;
    const url = new URL(request.url ?? '/', origin);
    const body = await readBody(request, MAX_BODY_BYTES, tooLarge);
    if (url.pathname.startsWith('/v1/')) {
      if (!/^bearer \S+$/i.test(request.headers.authorization ?? ''))
        throw new SandboxError(401, 'You did not provide an API key.');
      const key = request.headers['idempotency-key'];
      const call = { target: `${request.method} ${url.pathname}`, body, origin };
      return sendJson(response, 200, await this.#once(typeof key === 'string' ? key : undefined, call));
    }
    if (url.pathname.startsWith('/sandbox/')) {
      return sendJson(response, 200, await this.#control(`${request.method} ${url.pathname}`, body));
    }
    await this.#page(request.method ?? 'GET', url, response);
  }

  /** The same idempotency key gives the same answer (Stripe API reference, Idempotent requests). */
  async #once(key: string | undefined, call: ApiCall): Promise<object> {
    if (key === undefined) return this.#api(call);
    const request = `${call.target}\n${call.body}`;
    const stored = this.#ledger.records.answers[key];
    if (stored !== undefined && stored.request !== request)
      throw new SandboxError(400, 'Keys for idempotent requests can only be used with the same parameters.');
    const answer = stored?.answer ?? structuredClone(await this.#api(call));
    this.#ledger.records.answers[key] = { request, answer };
    this.#ledger.save();
    return answer;
  }

  async #api({ target, body, origin }: ApiCall): Promise<object> {
    const [, id = ''] = /^\w+ \/v1\/(?:checkout\/sessions|payment_intents)\/(\w+)/.exec(target) ?? [];
    if (target === 'POST /v1/checkout/sessions') return this.#checkouts.open(readForm(body), origin);
    if (target === `GET /v1/checkout/sessions/${id}`) return this.#checkouts.session(id);
    if (target === `POST /v1/checkout/sessions/${id}/expire`) return this.#checkouts.expire(id);
    if (target === `GET /v1/payment_intents/${id}`) return this.#checkouts.intent(id);
    if (target === 'POST /v1/refunds') return this.#checkouts.refund(readForm(body));
    throw new SandboxError(404, `Unrecognized request URL (${target}).`);
  }

  /** Performs the actions of payers and banks, for which Stripe has no API. */
  async #control(target: string, body: string): Promise<object> {
    const [, id = ''] = /^\w+ \/sandbox\/\w+\/(\w+)/.exec(target) ?? [];
    if (target === 'POST /sandbox/disputes') return this.#checkouts.dispute(paymentOf(body));
    if (target === `POST /sandbox/disputes/${id}/win`) return this.#checkouts.winDispute(id);
    if (target === `POST /sandbox/refunds/${id}/fail`) return this.#checkouts.failRefund(id);
    throw new SandboxError(404, `Unrecognized request URL (${target}).`);
  }

  async #page(method: string, url: URL, response: ServerResponse): Promise<void> {
    const [, id = ''] = /^\/pay\/(\w+)$/.exec(url.pathname) ?? [];
    if (id !== '' && method === 'POST') {
      const { success_url: location } = await this.#checkouts.pay(id);
      response.writeHead(303, { location }).end();
    } else if (id !== '' && method === 'GET') {
      sendHtml(response, checkoutPage(this.#checkouts.session(id)));
    } else {
      throw new SandboxError(404, `Unrecognized request URL (${method} ${url.pathname}).`);
    }
  }
}

interface ApiCall {
  /** Method and path. */
  readonly target: string;
  readonly body: string;
  readonly origin: string;
}

/** `{"payment_intent": id}`. */
function paymentOf(body: string): string {
  try {
    return String((JSON.parse(body) as { payment_intent?: unknown }).payment_intent);
  } catch {
    throw new SandboxError(400, 'The body is not JSON.');
  }
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'request-id': `req_${Date.now()}` });
  response.end(JSON.stringify(body));
}

function sendHtml(response: ServerResponse, html: string): void {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html);
}

function reject(response: ServerResponse, failure: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const stored =
    failure instanceof SandboxError ? failure : new SandboxError(500, 'The sandbox itself failed.');
  if (stored !== failure) console.error(failure);
  sendJson(response, stored.status, stored.body);
}
