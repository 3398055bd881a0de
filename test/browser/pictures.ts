/** `npm run pictures`: takes the pictures of the README from the demo account of a new local service, in `docs/pictures`. */
import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEMO_EMAIL } from '../../tools/simulators/identity/provider.ts';
import { Service } from '../system/service.ts';
import { openBrowser } from './chromium.ts';
import { ConsoleUser } from './console-user.ts';

const ROOT = join(import.meta.dirname, '..', '..');
export const PICTURES = join(ROOT, 'docs', 'pictures');

/** Returns a hash of the console's sources: pictures of another one are stale. */
export function consoleHash(): string {
  const hash = createHash('sha256');
  for (const path of globSync('console/src/**/*.{tsx,ts,css,html}', { cwd: ROOT }).sort())
    if (!path.endsWith('.test.ts')) hash.update(path).update(readFileSync(join(ROOT, path)));
  return hash.digest('hex').slice(0, 20);
}

/** Makes a call of the demo account; returns its id. */
async function callId(service: Service): Promise<string> {
  const content = 'Tell a long story about a ledger that always balances. '.repeat(40);
  const request = { model: 'sim/chat-large', max_tokens: 400, messages: [{ role: 'user', content }] };
  const response = await service.chat(request);
  await response.text();
  return response.headers.get('x-request-id') ?? '';
}

async function main(): Promise<void> {
  const service = new Service({ DEMO_HISTORY_DAYS: '30' });
  const browser = await openBrowser();
  try {
    await service.start();
    const user = await ConsoleUser.open(browser, service);
    await user.page.setViewportSize({ width: 1120, height: 800 });
    await user.signIn(DEMO_EMAIL);
    mkdirSync(PICTURES, { recursive: true });
    const take = async (name: string) => {
      await user.settled();
      await user.page.screenshot({ path: join(PICTURES, `${name}.png`) });
    };
    await take('home');
    await user.go(`/activity/${await callId(service)}`, 'Receipt');
    await take('receipt');
    writeFileSync(join(PICTURES, 'console.txt'), `${consoleHash()}\n`);
  } finally {
    await browser.close();
    await service.dispose();
  }
}

if (import.meta.main)
  main().catch((failure: Error) => {
    console.error(failure.message);
    process.exitCode = 1;
  });
