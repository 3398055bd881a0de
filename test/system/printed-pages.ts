/** The commands and programs of the pages, prepared as a reader pastes them after `npm start`. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Snippet } from '../docs/snippets.ts';
import { ROOT } from './example-run.ts';
import { Owner } from './owner.ts';
import type { Service } from './service.ts';

/** The parts that the pages leave to their readers: the address, a key, a listing on sale, and a session of who buys it. */
export interface Reader {
  readonly key: string;
  readonly session: string;
  readonly listing: string;
}

/** Opens an account with credit and a key, and lists an app of somebody else. */
export async function openReader(service: Service): Promise<Reader> {
  const [seller, buyer] = [await Owner.open(service), await Owner.open(service)];
  await service.admin('credit', 'grant', '--account', buyer.id, '--amount', '20');
  const { key } = await buyer.createKey({ name: 'reader' });
  const price = { amount: 199, currency: 'USD' };
  const fields = { name: 'Loud Notes', summary: 'Notes.', category: 'productivity', price };
  const listed = await seller.send('POST', '/apps', fields);
  const { id: listing } = (await listed.json()) as { id: string };
  return { key, session: buyer.session, listing };
}

/** Returns a text with the address of the service, and with the names of the reader in the places of `...`. */
export const filledIn = (text: string, { key, listing }: Reader, service: Service): string =>
  text
    .replaceAll('http://127.0.0.1:8787', service.session.base_url)
    .replaceAll('https://example.com/hook', 'http://127.0.0.1:9/hook')
    .replaceAll('https://otlp.example.com', 'http://127.0.0.1:9')
    .replaceAll('uis_...', key)
    .replaceAll('lst_...', listing);

/**
 * Returns the lines for a shell: those of the block, but for the start of the service, after the variables that pages before it
 * have set. A request that is rejected ends them.
 */
export function shellLines({ text }: Snippet, reader: Reader, service: Service): string {
  const { key, session } = reader;
  const { base_url: base, platform_url: platform } = service.session;
  const variables = { KEY: key, API_KEY: key, SESSION: session, BUYER_SESSION: session };
  const exports = { ...variables, BASE_URL: base, PLATFORM_URL: platform };
  return [
    'set -euo pipefail',
    ...Object.entries(exports).map(([name, value]) => `export ${name}='${value}'`),
    'curl() { command curl --fail-with-body --silent --show-error "$@"; }',
    filledIn(text.replaceAll(/^.*\bnpm start\b.*\n/gm, ''), reader, service),
  ].join('\n');
}

/** Puts into a folder what a checkout has there: the state of the service, the examples, a repository with an app. */
export function checkOut(folder: string, service: Service): void {
  symlinkSync(service.directory, join(folder, '.local'));
  symlinkSync(join(ROOT, 'examples'), join(folder, 'examples'));
  mkdirSync(join(folder, 'app'));
  writeFileSync(join(folder, 'app', 'index.html'), '<h1>Quiet Notes</h1>');
}
