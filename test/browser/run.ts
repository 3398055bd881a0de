/** `npm run test:browser`: runs the browser ring in the Chromium of this machine, or skips it without one. */
import { existsSync } from 'node:fs';
import { runRing, skipRing } from '../optional-ring.ts';

const EXECUTABLES = [
  process.env.CHROMIUM ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

const executable = EXECUTABLES.find((path) => path !== '' && existsSync(path));
if (executable !== undefined) process.exitCode = runRing('browser', { CHROMIUM: executable });
else skipRing('browser', 'it needs a Chromium', { message: 'CHROMIUM=/path/to/chromium names one' });
