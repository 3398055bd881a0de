/**
 * The tasks that need not wait for the rest of the page's scripts: the theme, the signed-in account, and the requested
 * page.
 */
import { prefetchAccount } from './api/account.ts';
import { addressOf } from './app/addresses.ts';
import { PAGES } from './app/pages.ts';
import { applyTheme, storedTheme } from './app/theme.ts';

applyTheme(storedTheme());
prefetchAccount();
const address = addressOf(Object.keys(PAGES) as (keyof typeof PAGES)[], location.hash);
// The router loads it again if this fails, and reports the error.
if (address !== undefined) PAGES[address]().catch(() => {});
