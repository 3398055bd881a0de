/** Keeps the values of the templates' secrets in the state folder, and reads further ones that the user wrote. */
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { secretArn } from '../assembly/identities.ts';
import type { SecretDescription } from '../assembly/secrets.ts';
import { generateSecretString } from './generate-secret.ts';

interface StoredSecret {
  readonly name: string;
  readonly arn: string;
  readonly value: string;
  readonly versionId: string;
  /** Epoch seconds. */
  readonly created: number;
}

export interface SecretStore {
  /** Finds a secret by its name, its ARN, or its ARN without the random ending. */
  find(id: string): StoredSecret | undefined;
  /** The ARN under which IAM knows a secret, whether it exists or not. */
  arnOf(id: string): string;
}

type Records = Record<string, Omit<StoredSecret, 'name' | 'arn'>>;

/** Values made from the templates. */
const GENERATED_FILE = 'generated-secrets.json';

/** The user's own: an object of name and value, the value a text or an object (kept as JSON). */
const USER_FILE = 'secrets.json';

/** Opens the store, making a value for each secret of the templates that has none yet (file mode 0600). */
export function openSecretStore(stateDir: string, secrets: readonly SecretDescription[]): SecretStore {
  const generated = ensureGenerated(join(stateDir, GENERATED_FILE), secrets);
  const userFile = join(stateDir, USER_FILE);
  const arnOf = (id: string) => (id.startsWith('arn:') ? completeArn(id) : secretArn(id));
  return {
    arnOf,
    find: (id) => {
      const arn = arnOf(id);
      const name = secrets.find((secret) => secret.arn === arn)?.name ?? '';
      const record = generated[name];
      if (record !== undefined) return { name, arn, ...record };
      return readUserSecrets(userFile).find((secret) => secret.arn === arn);
    },
  };
}

function ensureGenerated(file: string, secrets: readonly SecretDescription[]): Records {
  const records = readJson<Records>(file) ?? {};
  const missing = secrets.filter(({ name }) => records[name] === undefined);
  if (missing.length === 0) return records;
  for (const { name, value, generate } of missing) {
    records[name] = {
      value: value ?? generateSecretString(generate ?? {}),
      versionId: randomUUID(),
      created: Math.floor(Date.now() / 1000),
    };
  }
  const temporary = `${file}.${process.pid}`;
  writeFileSync(temporary, `${JSON.stringify(records, null, 2)}\n`, { mode: 0o600 });
  renameSync(temporary, file);
  return records;
}

/** Read at every call, so that an edit takes effect at once. */
function readUserSecrets(file: string): readonly StoredSecret[] {
  const secrets = Object.entries(readJson<Record<string, unknown>>(file) ?? {});
  if (secrets.length === 0) return [];
  const { mtimeMs } = statSync(file);
  return secrets.map(([name, value]) => ({
    name,
    arn: secretArn(name),
    value: typeof value === 'string' ? value : JSON.stringify(value),
    versionId: `user-${Math.floor(mtimeMs)}`.padEnd(32, '0'),
    created: Math.floor(mtimeMs / 1000),
  }));
}

/** An ARN may be given without its random ending (Secrets Manager API reference, GetSecretValue). */
function completeArn(arn: string): string {
  const name = arn.slice(arn.indexOf(':secret:') + ':secret:'.length);
  const trimmed = name.replace(/-[a-z0-9]{6}$/, '');
  return secretArn(trimmed) === arn ? arn : secretArn(name);
}

function readJson<T>(file: string): T | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T;
  } catch (cause) {
    throw new Error(`${file} is not JSON`, { cause });
  }
}
