/**
 * The way to a simulated upstream, which draws and speaks for real: after a number of answers of a kind, the shortest good
 * one is given again, so that thousands of calls take no longer than the service itself does.
 */
import { Readable } from 'node:stream';
import { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import type { FuzzRoute } from './running-service.ts';

interface RecordedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** Work of the simulator's own that takes most of a second. */
const DEAR = /\/(images|audio)\//;
const EXPENSIVE_RESPONSES = 4;

export class Wire implements FuzzRoute {
  readonly #responses: number;
  readonly #recorded = new Map<string, RecordedAnswer>();
  readonly #requestCounts = new Map<string, number>();
  readonly #handler = new NodeHttpHandler();
  #client: BedrockRuntimeClient | undefined;

  /** `responseCount`: how many of each kind the upstream works out itself. */
  constructor(responseCount: number) {
    this.#responses = responseCount;
  }

  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    const text = String(init?.body);
    const { stream, input: inputStrings } = JSON.parse(text) as { stream?: unknown; input?: unknown };
    // An answer has as many vectors as there were inputs.
    const inputs =
      Array.isArray(inputStrings) && typeof inputStrings[0] !== 'number' ? inputStrings.length : 1;
    const { status, headers, body } = await this.#respond(`${input} ${stream} ${inputs}`, async () => {
      const response = await fetch(input, init);
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: new Uint8Array(await response.arrayBuffer()),
      };
    });
    return new Response(body, { status, headers });
  };

  bedrockClient(endpoint: string): BedrockRuntimeClient {
    const credentials = { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'test' };
    const requestHandler = {
      handle: async (...[request, options]: Parameters<NodeHttpHandler['handle']>) => {
        const { status, headers, body } = await this.#respond(request.path, async () => {
          const { response } = await this.#handler.handle(request, options);
          const bytes = Buffer.concat(await Readable.from(response.body).toArray());
          return { status: response.statusCode, headers: response.headers, body: new Uint8Array(bytes) };
        });
        const response = { statusCode: status, headers, body: Readable.from([body], { objectMode: false }) };
        return { response };
      },
    };
    this.#client ??= new BedrockRuntimeClient({
      endpoint,
      region: 'us-east-1',
      credentials,
      maxAttempts: 1,
      requestHandler,
    });
    return this.#client;
  }

  async #respond(kind: string, send: () => Promise<RecordedAnswer>): Promise<RecordedAnswer> {
    const count = this.#requestCounts.get(kind) ?? 0;
    this.#requestCounts.set(kind, count + 1);
    const recorded = this.#recorded.get(kind);
    const maxResponses = DEAR.test(kind) ? Math.min(EXPENSIVE_RESPONSES, this.#responses) : this.#responses;
    if (recorded !== undefined && count >= maxResponses) return recorded;
    const response = await send();
    const isShorter = recorded === undefined || response.body.length < recorded.body.length;
    if (response.status === 200 && isShorter) this.#recorded.set(kind, response);
    return response;
  }
}
