/** Secrets by reference, from the environment or AWS Secrets Manager; read once and refreshed in the background. */
import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import * as z from 'zod';
import type { Clock, Log, SecretReader } from '../core/ports.ts';

/** A rotated secret is in use within this time. Secrets Manager bills each read, so not much more often. */
const REFRESH_MS = 5 * 60_000;

export interface SecretOptions {
  readonly client: SecretsManagerClient;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly log: Log;
}

interface Entry {
  value: Promise<string>;
  readMs: number;
}

/** Reads `env:NAME`, `secretsmanager:NAME` or `secretsmanager:NAME#field`; throws when there is no such secret. */
export function createSecretReader({ client, environment, clock, log }: SecretOptions): SecretReader {
  const cache = new Map<string, Entry>();

  async function fetchSecret(reference: string): Promise<string> {
    const separator = reference.indexOf(':');
    const [scheme, name] = [reference.slice(0, separator), reference.slice(separator + 1)];
    if (scheme === 'env') return requireText(environment[name], reference);
    const [id = '', field] = name.split('#');
    const { SecretString: text } = await client.send(new GetSecretValueCommand({ SecretId: id }));
    if (field === undefined) return requireText(text, reference);
    return requireText(fieldOf(requireText(text, reference), field), reference);
  }

  function refresh(reference: string, entry: Entry): void {
    entry.readMs = clock();
    fetchSecret(reference).then(
      (value) => {
        entry.value = Promise.resolve(value);
      },
      (failure: unknown) =>
        log.error('secret refresh failed', { reference, failure: (failure as Error).name }),
    );
  }

  return async (reference) => {
    const entry = cache.get(reference);
    if (entry !== undefined) {
      if (clock() - entry.readMs > REFRESH_MS) refresh(reference, entry);
      return entry.value;
    }
    const value = fetchSecret(reference);
    cache.set(reference, { value, readMs: clock() });
    value.catch(() => cache.delete(reference));
    return value;
  };
}

function fieldOf(json: string, field: string): unknown {
  try {
    return (JSON.parse(json) as Record<string, unknown>)[field];
  } catch {
    return undefined;
  }
}

function requireText(value: unknown, reference: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new Error(`there is no secret ${reference}`);
}

/** A secret in use and, while it is being rotated, the one before it. */
export interface RotatedSecret {
  readonly current: string;
  readonly previous?: string;
}

/** A parser's own message would quote the secret. */
function parseRotated(text: string, name: string): RotatedSecret {
  try {
    const { current, previous } = rotatedSchema.parse(JSON.parse(text));
    return previous === undefined ? { current } : { current, previous };
  } catch {
    throw new Error(`${name} is not JSON of the form {"current": text, "previous"?: text}`);
  }
}

const rotatedSchema = z.object({ current: z.string().min(16), previous: z.string().min(16).optional() });

/** Gives the valid values of a secret; the first read is awaited, later ones happen in the background. */
export function createRotatedSource(
  read: SecretReader,
  secretId: string,
  name: string,
): () => Promise<RotatedSecret> {
  let parsed: { readonly text: string; readonly values: RotatedSecret } | undefined;
  return async () => {
    const text = await read(`secretsmanager:${secretId}`);
    if (parsed?.text !== text) {
      parsed = { text, values: parseRotated(text, name) };
    }
    return parsed.values;
  };
}

/** The peppers under which API keys are signed. */
export const createPepperSource = (read: SecretReader, secretId: string): (() => Promise<RotatedSecret>) =>
  createRotatedSource(read, secretId, 'the key pepper');
