/** The Chromium of this machine; tests that need one are skipped loudly without it. */
import { existsSync } from 'node:fs';
import { describe } from '@jest/globals';
import { type Browser, chromium } from 'playwright-core';

const EXECUTABLES = [
  process.env.CHROMIUM ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];
const executablePath = EXECUTABLES.find((path) => path !== '' && existsSync(path));

if (executablePath === undefined) {
  console.warn(
    'THE PAGES ARE NOT TESTED: there is no Chromium here. Install one, or name it: CHROMIUM=/path/to/chromium.',
  );
}

export const withBrowser = executablePath === undefined ? describe.skip : describe;

/** Its sandbox needs privileges that a container does not have. */
export const openBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: executablePath ?? '', args: ['--no-sandbox'] });
