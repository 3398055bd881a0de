import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { Service } from '../system/service.ts';
import { openBrowser } from './chromium.ts';
import { ConsoleUser } from './console-user.ts';

describe('the alerts on the page Billing', () => {
  const service = new Service({ LAYOUTS: 'first' });
  let browser: Browser;
  let user: ConsoleUser;

  const save = () => user.page.getByRole('button', { name: 'Save alerts' }).click();
  const amount = () => user.page.getByLabel('Below USD');

  beforeAll(async () => {
    await service.start();
    browser = await openBrowser();
    user = await ConsoleUser.open(browser, service);
    await user.signIn('owner@example.com');
  });

  afterAll(async () => {
    await browser?.close();
    await service.dispose();
  });

  it('say that the upgrade is not finished', async () => {
    await user.go('/billing', 'Billing');
    await amount().fill('5.5');
    await save();
    await user.page.getByText('finished the upgrade').waitFor();
  });

  it('keep thresholds, and turn off those that are empty', async () => {
    await service.admin('layout', 'finish');
    const saved = user.page.waitForResponse(
      (response) => response.request().method() === 'PUT' && response.status() === 200,
    );
    // The process reads the record of the stage again within 5 seconds.
    await user.page.waitForTimeout(6_000);
    await user.page.getByLabel('Below days at the recent pace').fill('3');
    await save();
    await saved;
    await user.page.getByRole('status').getByText('Saved.').waitFor();
    // The credit is 0, and no sweep has found it so yet.
    await user.page.getByText('Your credit is low').waitFor();
    await user.page.reload();
    await amount().waitFor();
    expect(await amount().inputValue()).toBe('5.5');
    await amount().fill('');
    const cleared = user.page.waitForResponse((response) => response.request().method() === 'PUT');
    await save();
    expect(await (await cleared).json()).toEqual({
      object: 'alerts',
      balance_low_usd: null,
      balance_low_days: 3,
      low: false,
    });
    await user.page.getByText('Your credit is low').waitFor({ state: 'detached' });
  });

  it('leave out their events from those that a new webhook starts with', async () => {
    await user.go('/webhooks', 'Webhooks');
    await user.page.getByRole('button', { name: 'Add a webhook' }).click();
    for (const name of [/balance\.low/, /credit\.exhausted/])
      expect(await user.page.getByRole('checkbox', { name }).isChecked()).toBe(false);
    expect(await user.page.getByRole('checkbox', { name: /endpoint\.disabled/ }).isChecked()).toBe(true);
    expect([user.complaints, user.faults]).toEqual([[], []]);
  });
});
