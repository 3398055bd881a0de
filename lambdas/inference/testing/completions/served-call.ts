/** One paid call of a format, over the real provider of a route that answers with given bytes. */
import { Readable } from 'node:stream';
import { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime';
import type { Ledger } from '../../../ledger/core/admission.ts';
import type { Call } from '../../../ledger/core/call.ts';
import type { CallOutcome } from '../../../ledger/core/usage-record.ts';
import type { After } from '../../../platform/core/ports.ts';
import type { ApiFormat } from '../../core/completions/api-format.ts';
import { readCompletion } from '../../core/completions/completion-endpoint.ts';
import { runPaidCall } from '../../core/paid-endpoint.ts';
import { chatFormat } from '../../formats/chat/format.ts';
import { messagesFormat } from '../../formats/messages/format.ts';
import { responsesFormat } from '../../formats/responses/format.ts';
import { createProviders } from '../../providers/protocols.ts';
import { recordedAdmission } from '../admission.ts';
import { modelsOf } from '../catalog/models.ts';
import { createBreaker, SILENT } from '../circuit/memory-circuits.ts';
import { PLAIN_SEALED_TOKENS } from '../upstream/plain-sealed-tokens.ts';

/** A format, and the request of its caller. */
export interface FormatCase {
  readonly format: ApiFormat<never>;
  readonly body: object;
}

/** Long enough that a route may report some hundred tokens of it. */
const PROMPT = 'Say what the weather is. '.repeat(120);

/** The most output that a caller requests, tokens. */
const MAX_TOKENS = 4_000;

/** The requests of the three formats. */
export function formatCases(
  stream: boolean,
  prompt = PROMPT,
): Readonly<Record<'chat' | 'messages' | 'responses', FormatCase>> {
  const messages = [{ role: 'user', content: prompt }];
  const common = { model: 'a/b', stream };
  return {
    chat: {
      format: chatFormat as ApiFormat<never>,
      body: {
        ...common,
        messages,
        max_tokens: MAX_TOKENS,
        ...(stream ? { stream_options: { include_usage: true } } : {}),
      },
    },
    messages: {
      format: messagesFormat as ApiFormat<never>,
      body: { ...common, messages, max_tokens: MAX_TOKENS },
    },
    responses: {
      format: responsesFormat as ApiFormat<never>,
      body: { ...common, input: prompt, max_output_tokens: MAX_TOKENS },
    },
  };
}

export interface Upstream {
  readonly protocol: string;
  readonly contentType: string;
  readonly reads: readonly Uint8Array[];
  /** True if the connection breaks after the reads. */
  readonly breaks?: boolean;
}

/** The response to a call, and its settlement. */
export interface ServedCall {
  /** The body; of a stream that failed, with the event of the failure. */
  readonly text: string;
  readonly failure: string | undefined;
  readonly settled: readonly CallOutcome[];
  /** The most that the call may cost. */
  readonly hold: bigint;
  /** Bodies of the route that are still open after every timer of the call has fired. */
  readonly openBodies: number;
}

const world = { clock: () => 1_700_000_000_000, random: () => 0 };
const CALLER = { requestId: 'req_1', key: { accountId: 'acc_1', keyId: 'key_1', secretHash: '' } };

const PRICE = {
  unit: 'per_million_tokens',
  input: 1,
  output: 3,
  cached_input: 0.1,
  cache_writes: { '5m': 1.25, '1h': 2, auto: 1.25 },
};

const MODELS = new Map(
  ['openai', 'openai-responses', 'anthropic', 'gemini', 'bedrock'].map((protocol) => [
    protocol,
    modelsOf({
      context_window: 100_000,
      max_output_tokens: 10_000,
      price: PRICE,
      routes: [{ protocol, capabilities: ['stream', 'tools', 'json'] }],
    }),
  ]),
);

/** A region's client of AWS, but for its network. */
function bedrockClientFor(respond: () => { body: AsyncGenerator<Uint8Array>; contentType: string }) {
  return new BedrockRuntimeClient({
    endpoint: 'http://bedrock.test',
    region: 'us-east-1',
    credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' },
    maxAttempts: 1,
    requestHandler: {
      async handle(_request: unknown, { abortSignal }: { readonly abortSignal?: AbortSignal } = {}) {
        const { body: bytes, contentType } = respond();
        const body = Readable.from(bytes, { objectMode: false });
        abortSignal?.addEventListener('abort', () => body.destroy());
        return { response: { statusCode: 200, headers: { 'content-type': contentType }, body } };
      },
    },
  });
}

/** The providers of a route that sends these reads, and whether its body has been released. */
function routeOf({ contentType, reads, breaks = false }: Upstream) {
  let openBodies = 0;
  async function* body(): AsyncGenerator<Uint8Array> {
    openBodies += 1;
    try {
      yield* reads;
      if (breaks) throw new Error('reset');
    } finally {
      openBodies -= 1;
    }
  }
  const providers = createProviders({
    fetch: async () =>
      new Response(ReadableStream.from(body()), { headers: { 'content-type': contentType } }),
    readSecret: async () => 'key',
    readToken: async () => 'token',
    sign: async ({ headers }) => headers,
    bedrockClient: () => bedrockClientFor(() => ({ body: body(), contentType })),
  });
  return { providers, openBodies: () => openBodies };
}

/** More turns than an aborted connection takes to close. */
const MAX_TURNS = 20;

const tick = () => new Promise((resolve) => setImmediate(resolve));

/** Runs a call whose route sends these reads. */
export async function serve({ format, body }: FormatCase, upstream: Upstream): Promise<ServedCall> {
  const { protocol } = upstream;
  const { providers, openBodies } = routeOf(upstream);
  const timers = new Set<() => void>();
  const after: After = (_ms, callback) => {
    const timer = () => callback();
    timers.add(timer);
    return () => timers.delete(timer);
  };
  const models = MODELS.get(protocol);
  const valid = { ...CALLER, identity: '', models, catalog: 'v1', sealedTokens: PLAIN_SEALED_TOKENS };
  const dependencies = { ...world, after, providers, log: SILENT, hostEnds: undefined };
  const call = readCompletion(format, { ...valid, body } as never, dependencies);
  const { admission, outcomes } = recordedAdmission(0n);
  let hold = 0n;
  const ledger = {
    admit: async ({ output, cost }: Call) => {
      hold = cost(output.max);
      return { ...admission, output: output.max, amount: hold };
    },
  } as unknown as Ledger;
  let text = '';
  let failure: string | undefined;
  try {
    const services = { ledger, breaker: createBreaker({ after: () => () => {} }), after, log: SILENT };
    const response = await runPaidCall(services, call, () => ({ remainingTimeMs: 900_000 }));
    if ('text' in response) text = response.text;
    else for await (const chunk of response.body) text += chunk;
  } catch (thrown) {
    failure = String(thrown);
    const error = { type: 'api_error', message: failure };
    text += call.events?.errorEvent({ error }) ?? '';
  }
  for (const timer of timers) timer();
  for (let turn = 0; turn < MAX_TURNS && openBodies() > 0; turn += 1) await tick();
  return { text, failure, settled: outcomes, hold, openBodies: openBodies() };
}
