/** The commands that the pages print for callers, run as a reader pastes them. The Python and the agents are in the ring `clients`. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { commandsOf, snippetsIn } from '../docs/snippets.ts';
import { USERS_NODE } from './example-run.ts';
import { oneService } from './one-service.ts';
import { checkOut, filledIn, openReader, type Reader, shellLines } from './printed-pages.ts';
import { Terminal } from './printed-snippets.ts';

const service = oneService({ COMPUTE: 'host', WEBHOOK_ALLOW_LOOPBACK: '1' });
const terminal = new Terminal();

const REPOSITORY = `git init --quiet && git add app && git -c user.name=a -c user.email=a@example.com commit --quiet -m a`;

/** Programs of a machine that a block may need in addition to Node.js. */
const missing = ['curl', 'zip', 'git'].filter((name) => spawnSync(name, ['--version']).error !== undefined);

const needsMissing = (text: string): boolean =>
  commandsOf(text).some((command) => missing.includes(command.split(' ')[0] ?? ''));

let reader: Reader;
beforeAll(async () => {
  reader = await openReader(service);
});

describe('the pages', () => {
  for (const snippet of snippetsIn('caller'))
    (needsMissing(snippet.text) ? it.skip : it)(`print commands that work: ${snippet.place}`, async () => {
      const folder = terminal.newFolder();
      checkOut(folder, service);
      if (/\bgit\b/.test(snippet.text)) await terminal.paste(REPOSITORY, folder);
      expect(await terminal.paste(shellLines(snippet, reader, service), folder)).not.toContain('"error"');
    });

  it.each(snippetsIn('JavaScript').map(({ place, text }) => [place, text]))(
    'print a program that knows who has bought: %s',
    async (_place, text) => {
      const folder = terminal.newFolder();
      const buy = { method: 'POST', key: reader.session, body: '{"amount":199,"currency":"USD"}' };
      const headers = { 'content-type': 'application/json' };
      await service.fetch(`/apps/${reader.listing}/purchase`, { ...buy, headers });
      const response = await service.fetch(`/apps/${reader.listing}/entitlement-token`, {
        ...buy,
        headers,
        body: '{}',
      });
      const { token } = (await response.json()) as { token: string };
      const program = `${filledIn(text, reader, service)}\nconsole.log(payload.source);\n`;
      writeFileSync(join(folder, 'program.mjs'), `const token = '${token}';\n${program}`);
      const lines = `export PLATFORM_URL='${service.session.platform_url}'\n'${USERS_NODE}' program.mjs`;
      expect(await terminal.paste(lines, folder)).toBe('purchase\n');
    },
  );
});
