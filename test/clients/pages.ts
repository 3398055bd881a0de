/** The programs and settings that the pages print for clients of this ring, run as a reader pastes them, with a key in the environment. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { type Snippet, snippetsIn } from '../docs/snippets.ts';
import { ROOT } from '../system/example-run.ts';
import { Terminal } from '../system/printed-snippets.ts';
import { caller } from './caller.ts';
import { service } from './service.ts';

const { CLIENTS_PYTHON: python, CLIENTS_CLAUDE_CODE: claudeCode } = process.env;
const terminal = new Terminal();
const PROMPT = 'Repeat exactly: hello';

const here = (text: string): string =>
  text.replaceAll('http://127.0.0.1:8787', service.session.base_url).replaceAll('uis_...', caller().apiKey);

async function runPython({ text }: Snippet): Promise<string> {
  const folder = terminal.newFolder();
  writeFileSync(join(folder, 'program.py'), here(text));
  return terminal.paste(
    `export KEY='${caller().apiKey}'\n'${join(python ?? '', 'bin', 'python')}' program.py`,
    folder,
  );
}

/** Without `-p`, Claude Code reads its prompt from a standard input that is no terminal. */
async function runClaude({ text, page }: Snippet): Promise<string> {
  const home = terminal.newFolder();
  const settings = join(ROOT, page, '..', 'settings.json');
  if (page.startsWith('examples/')) {
    mkdirSync(join(home, '.claude'));
    writeFileSync(join(home, '.claude', 'settings.json'), here(readFileSync(settings, 'utf8')));
  }
  const program = `claude-code-${process.platform}-${process.arch}`;
  const path = terminal.newFolder();
  symlinkSync(join(claudeCode ?? '', 'node_modules/@anthropic-ai', program, 'claude'), join(path, 'claude'));
  return terminal.paste(here(text), home, { path, input: PROMPT });
}

describe('the pages', () => {
  for (const snippet of snippetsIn('Python'))
    (python === undefined ? it.skip : it)(
      `print a program that calls a model: ${snippet.place}`,
      async () => {
        expect(await runPython(snippet)).toMatch(/\S/);
      },
    );

  for (const snippet of snippetsIn('agent'))
    (claudeCode === undefined ? it.skip : it)(`print what Claude Code needs: ${snippet.place}`, async () => {
      expect(await runClaude(snippet)).toContain('hello');
    });
});
