import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { Service } from '../system/service.ts';
import { openBrowser } from './chromium.ts';
import { ConsoleUser, SCREENSHOTS } from './console-user.ts';

describe('the console of a service without a market', () => {
  const service = new Service({
    CONFIG: join(import.meta.dirname, '..', 'system', 'without-market.json'),
  });
  let browser: Browser;
  let user: ConsoleUser;

  beforeAll(async () => {
    await service.start();
    browser = await openBrowser();
    user = await ConsoleUser.open(browser, service);
    await user.signIn('buyer@example.com');
  });

  afterAll(async () => {
    await browser?.close();
    await service.dispose();
  });

  it('offers every page but those of the market', async () => {
    await user.page.getByRole('link', { name: 'Earnings' }).waitFor({ state: 'detached' });
    const links = await user.page
      .getByRole('navigation', { name: 'Pages' })
      .getByRole('link')
      .allTextContents();
    expect(links).toEqual([
      'Home',
      'Keys',
      'Activity',
      'Models',
      'Playground',
      'Billing',
      'Webhooks',
      'Settings',
      'API reference',
    ]);
    await user.page.screenshot({ path: join(SCREENSHOTS, 'without-market.png') });
    for (const path of ['/nowhere', '/market', '/market/apps/x', '/installed', '/earnings']) {
      await user.page.goto(`${service.session.platform_url}/console#${path}`);
      await user.page.getByText('There is no such page.').waitFor();
      await user.page.getByRole('heading', { name: 'Page not found', level: 1 }).waitFor();
      expect(await user.page.title()).toMatch(/^Page not found · /);
      await user.page.getByRole('link', { name: 'Go to Home' }).click();
      await user.page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    }
  });

  it('offers the events that need no market, and adds a webhook with the one that is checked', async () => {
    await user.go('/webhooks', 'Webhooks');
    await user.page.getByRole('button', { name: 'Add a webhook' }).click();
    expect(await user.page.getByRole('checkbox').count()).toBe(3);
    await user.page.getByLabel('Endpoint URL').fill('https://example.com/hook');
    await user.page.getByRole('button', { name: 'Add', exact: true }).click();
    await user.page.getByText('Copy the secret now').waitFor();
    expect(user.complaints).toEqual([]);
  });
});
