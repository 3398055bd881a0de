/** The Chromium that the ring runs in. */
import { type Browser, chromium } from 'playwright-core';

/** Chromium's sandbox needs privileges that a container does not have. */
export const openBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
