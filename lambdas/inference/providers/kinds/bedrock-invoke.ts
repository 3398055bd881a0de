/** One InvokeModel call of Amazon Bedrock, whose body is each model family's own (Amazon Bedrock API reference, InvokeModel). */
import { type BedrockRuntimeClient, InvokeModelCommand } from '@aws-sdk/client-bedrock-runtime';
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { CatalogRoute } from '../../core/catalog/catalog-document.ts';
import { isTokenCount } from '../../core/pricing/token-usage.ts';
import { toFailure } from '../bedrock/errors.ts';
import type { BedrockDependencies } from '../bedrock/provider.ts';
import { parsePlainObject } from '../http-upstream.ts';
import { boundedResponse } from '../response-bytes.ts';

export interface Invocation {
  readonly route: CatalogRoute;
  readonly body: JsonObject;
  readonly signal: AbortSignal;
  /** The most bytes that the response may have. */
  readonly maxBytes: number;
}

export interface InvokeResult {
  readonly response: JsonObject;
  /** Input tokens as Bedrock itself counts them; undefined when it does not. */
  readonly tokens: number | undefined;
}

/** Bedrock counts for every model in this header (Amazon Bedrock user guide, "Submit a single prompt"). */
const TOKENS_HEADER = 'x-amzn-bedrock-input-token-count';

/** The model's JSON object. Throws `UpstreamFailure` for everything that goes wrong. */
export async function invoke(
  { bedrockClient }: BedrockDependencies,
  invocation: Invocation,
): Promise<InvokeResult> {
  const { route, signal } = invocation;
  try {
    signal.throwIfAborted();
    return await send(bedrockClient(route.base_url), invocation);
  } catch (failure) {
    throw toFailure(failure, signal);
  }
}

async function send(
  client: BedrockRuntimeClient,
  { route, body, signal, maxBytes }: Invocation,
): Promise<InvokeResult> {
  const command = new InvokeModelCommand({
    modelId: route.upstream_model,
    contentType: 'application/json',
    accept: 'application/json',
    body: JSON.stringify(body),
  });
  let counted: string | undefined;
  const captureTokenCount =
    <Args, Result extends { response: unknown }>(next: (args: Args) => Promise<Result>) =>
    async (args: Args): Promise<Result> => {
      const result = await next(args);
      counted = (Object(result.response) as { headers?: Headers }).headers?.[TOKENS_HEADER];
      return result;
    };
  command.middlewareStack.add(boundedResponse(maxBytes), { step: 'deserialize', priority: 'low' });
  command.middlewareStack.add(captureTokenCount, { step: 'deserialize', priority: 'low' });
  const output = await client.send(command, { abortSignal: signal });
  const tokens = counted === undefined ? undefined : Number(counted);
  return {
    response: parsePlainObject(new TextDecoder().decode(output.body)),
    tokens: isTokenCount(tokens) ? tokens : undefined,
  };
}

type Headers = Readonly<Record<string, string | undefined>>;
