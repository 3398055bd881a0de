/** A catalog in a file that a command reads: a document, or the output of `catalog show --json`. */
import * as z from 'zod';
import { readNamedFile } from '../named-file.ts';
import type { Operator } from '../operator.ts';

/** Returns a file's text, which must be JSON. */
function readJson(file: string): string {
  const text = readNamedFile(file);
  try {
    JSON.parse(text);
  } catch (cause) {
    throw new Error(`${file} is not JSON`, { cause });
  }
  return text;
}

const shownCatalog = z.object({ version: z.string(), models: z.number(), document: z.looseObject({}) });

/**
 * Returns the text of a catalog file. A file may be the output of `catalog show --json`: as it was shown it has the text of
 * its version, and so stays that version.
 */
export async function readCatalogFile(
  operator: Pick<Operator, 'catalogVersion'>,
  file: string,
): Promise<string> {
  const text = readJson(file);
  const { data: shown } = shownCatalog.safeParse(JSON.parse(text));
  if (shown === undefined) return text;
  const document = JSON.stringify(shown.document);
  const stored = await operator.catalogVersion(shown.version);
  return stored !== undefined && JSON.stringify(JSON.parse(stored.json)) === document
    ? stored.json
    : document;
}
