/** The endpoints that say what a request would probably count as prompt; nothing is billed. */
import type * as z from 'zod';
import { authenticate, type Peppers, type VerifiedKey } from '../../../access/core/keys/api-key.ts';
import type { KeyGate } from '../../../access/core/keys/key-gate.ts';
import { readJson, validate } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import type { Endpoint } from '../../../platform/core/ports.ts';
import { type CatalogSource, requireModel } from '../catalog/catalog.ts';
import { probableTokens } from '../metering/estimate.ts';
import { promptSizeOf } from '../metering/prompt-size.ts';
import { bodyFor } from '../quote.ts';
import type { ApiFormat, CompletionBody } from './api-format.ts';
import type { CompletionDependencies } from './completion-endpoint.ts';

export interface TokenCountDependencies {
  readonly peppers: () => Promise<Peppers>;
  readonly catalog: CatalogSource;
  readonly gate: KeyGate;
  /** Throws 503 for an account without credit. */
  readonly requireCredit: (key: VerifiedKey) => Promise<unknown>;
  readonly sealedTokens: CompletionDependencies['sealedTokens'];
}

export interface CountedFormat<Body extends CompletionBody> {
  readonly format: Pick<ApiFormat<Body>, 'toPayload'>;
  readonly schema: z.ZodType<Body>;
  readonly bodyOf: (tokens: number) => object;
}

/** The count is the service's own, a probable number. Throws `ServiceError`. */
export function createTokenCount<Body extends CompletionBody>(
  { format, schema, bodyOf }: CountedFormat<Body>,
  { peppers, catalog, gate, requireCredit, sealedTokens: sealedTokensOf }: TokenCountDependencies,
): Endpoint {
  return async (request, { body: incoming }) => {
    const currentPeppers = await peppers();
    const key = authenticate(request.headers, currentPeppers);
    if (incoming?.claim(key.accountId)) {
      await requireCredit(key);
      incoming.prove();
    }
    // A large body is not read for a key that is not active or over its limits.
    const touched = incoming?.isLarge ? await gate.touch(key) : undefined;
    const { size, model } = await gate.checked(key, async () => {
      const { value } = await readJson(request);
      const body = validate(schema, value);
      const named = requireModel(await catalog(), body.model, 'chat', 'model');
      const payload = format.toPayload(body, sealedTokensOf(currentPeppers)(key.accountId));
      return { size: promptSizeOf(bodyFor(payload, named.routes)), model: named };
    });
    const { headers } = touched ?? (await gate.touch(key));
    return jsonResponse(bodyOf(probableTokens(size, model)), headers);
  };
}
