/** The catalog that `up` applies: a file, the models that Bedrock offers to the account, or the shipped catalog. */
import { readAccountCatalog } from '../catalog/bedrock/account-catalog.ts';
import { SHIPPED_CATALOG, type UpOptions } from '../deployment/settings.ts';
import { readNamedFile } from '../named-file.ts';
import type { Operator } from '../operator.ts';

interface FirstCatalog {
  readonly json: string;
  /** Its origin, in a message. */
  readonly origin: string;
  /** The command that shows the difference to another catalog. */
  readonly comparison: string;
  /** Lines about what is not in it. */
  readonly notes: readonly string[];
}

/** Reads the file, or else the models that Bedrock offers to the account; if that fails, the shipped catalog. */
export async function readFirstCatalog(
  { routes }: Pick<Operator, 'routes'>,
  { catalog: file, config: { stage } }: Pick<UpOptions, 'catalog' | 'config'>,
): Promise<FirstCatalog> {
  const admin = (words: string) => `"npm run admin -- ${words} --stage ${stage}"`;
  const ofFile = (origin: string, notes: readonly string[]): FirstCatalog => ({
    json: readNamedFile(origin),
    origin,
    comparison: admin(`catalog diff ${origin}`),
    notes,
  });
  if (file !== undefined) return ofFile(file, []);
  try {
    const { json, leftOut, unread, residency } = await readAccountCatalog(routes, { now: new Date() });
    return {
      json,
      origin: 'what Bedrock offers to the account',
      comparison: `${admin('catalog bedrock')}, then ${admin('catalog diff bedrock-catalog.json')}`,
      notes: [
        `residency of prompts: ${residency}`,
        ...unread.map((line) => `not read: ${line}`),
        ...leftOut.map(({ model, reason }) => `left out: ${model}: ${reason}`),
      ],
    };
  } catch (failure) {
    return ofFile(SHIPPED_CATALOG, [
      `the models of the account could not be read (${(failure as Error).message}): ${SHIPPED_CATALOG} instead`,
    ]);
  }
}
