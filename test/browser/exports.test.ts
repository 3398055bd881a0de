import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { Service } from '../system/service.ts';
import { openBrowser } from './chromium.ts';
import { ConsoleUser } from './console-user.ts';

const READS = 'Reads the usage of the whole account';
const TODAY = new Date().toISOString().slice(0, 10);

describe('the figures that leave the console', () => {
  const service = new Service({ WEBHOOK_ALLOW_LOOPBACK: '1', LAYOUTS: 'first' });
  let browser: Browser;
  let user: ConsoleUser;
  /** The ids of the calls of a key, and of another one. */
  const calls: { readonly chosen: string[]; readonly others: string[] } = { chosen: [], others: [] };
  let chosenKey = '';

  const button = (name: string) => user.page.getByRole('button', { name, exact: true });
  const dialog = () => user.page.getByRole('dialog');

  const send = async <T>(path: string, method = 'GET', body?: object): Promise<T> =>
    JSON.parse(
      await user.page.evaluate(
        async ([url, init]) =>
          (
            await fetch(url, {
              ...init,
              headers: { 'x-requested-with': 'console', 'content-type': 'application/json' },
            })
          ).text(),
        [path, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }] as const,
      ),
    );

  /** Clicks the button, and returns the name and the rows of the file, each by the names of its columns. */
  async function downloadCsv() {
    const [download] = await Promise.all([
      user.page.waitForEvent('download'),
      button('Download CSV').click(),
    ]);
    const [head = [], ...rows] = (await readFile(await download.path(), 'utf8'))
      .trimEnd()
      .split('\r\n')
      .map((line) => line.split(','));
    const cells = rows.map((row) => Object.fromEntries(head.map((name, at) => [name, row[at] ?? ''])));
    return { name: download.suggestedFilename(), rows: cells };
  }

  beforeAll(async () => {
    await service.start();
    browser = await openBrowser();
    user = await ConsoleUser.open(browser, service);
    await user.signIn('owner@example.com');
    const { id } = await send<{ id: string }>('/api/v1/auth/me');
    await service.admin('credit', 'grant', '--account', id, '--amount', '3.000000789');
    for (const ids of [calls.chosen, calls.others]) {
      const key = await send<{ id: string; key: string }>('/api-keys', 'POST', { name: '=1+1' });
      if (ids === calls.chosen) chosenKey = key.id;
      for (let made = 0; made < 2; made += 1) {
        const body = { model: 'sim/chat', messages: [{ role: 'user', content: 'Hi' }] };
        const response = await service.chat(body, { key: key.key });
        ids.unshift(response.headers.get('x-request-id') ?? '');
      }
    }
  });

  afterAll(async () => {
    await browser?.close();
    await service.dispose();
  });

  it('include the calls of the chosen filters and days, as a file with the days in its name', async () => {
    await user.go(`/activity?api_key=${chosenKey}&from=${TODAY}`, 'Activity');
    await user.settled();
    const chosen = await downloadCsv();
    expect(chosen.name).toBe(`usage-${TODAY}-to-${TODAY}.csv`);
    expect(chosen.rows.map(({ x_RequestId }) => x_RequestId)).toEqual(calls.chosen);
    expect(chosen.rows[0]).toMatchObject({ x_ApiKeyId: chosenKey, x_ApiKeyName: "'=1+1" });
    await user.take('activity-csv');
    await user.go('/activity', 'Activity');
    const all = await downloadCsv();
    expect(all.name).toBe(`usage-until-${TODAY}.csv`);
    expect(all.rows.map(({ x_RequestId }) => x_RequestId)).toEqual([...calls.others, ...calls.chosen]);
    await user.go('/activity?from=2026-02-02&to=2026-02-01', 'Activity');
    await user.page.getByText('Choose a first day and a last day').waitFor();
  });

  it('include the statement of the chosen days, with the amounts of the page', async () => {
    await user.go('/billing', 'Billing');
    await user.page.getByLabel('From (UTC)').fill('2026-01-05');
    await user.settled();
    const { name, rows } = await downloadCsv();
    expect(name).toBe(`statement-2026-01-05-to-${TODAY}.csv`);
    expect(rows[0]).toMatchObject({ ChargePeriodStart: '2026-01-05T00:00:00Z', x_Line: 'opening' });
    const amounts = new Map(rows.map(({ x_Line, x_Amount = '' }) => [x_Line, x_Amount]));
    expect(amounts.get('grants')).toBe('3.000000789');
    const shown = user.page.getByRole('region', { name: 'Credit in this span' });
    await shown.getByRole('cell', { name: `-$${amounts.get('usage')?.slice(1)}`, exact: true }).waitFor();
    await shown.getByRole('cell', { name: `$${amounts.get('closing')}`, exact: true }).waitFor();
    await user.take('billing-csv');
  });

  it('report a download that fails', async () => {
    await user.page.route('**/api/v1/credits?*format=csv', (route) => route.abort());
    await button('Download CSV').click();
    await user.page.getByRole('alert').waitFor();
    await user.page.unrouteAll();
  });

  it('can be read by a key if its owner checks that, which stays so when the key is edited', async () => {
    const create = async () => {
      await user.go('/keys', 'Keys');
      await button('Create key').click();
      await user.page.getByLabel('Name').fill('finance');
      await user.page.getByLabel(READS).check();
      await button('Create').click();
    };
    await create();
    await dialog()
      .getByRole('alert')
      .filter({ hasText: `${READS}: such policies can be set once the operator has finished` })
      .waitFor();
    await service.admin('layout', 'finish');
    // The process reads the record of the stage again within 5 seconds.
    await user.page.waitForTimeout(6_000);
    await user.page.reload();
    await create();
    await button('Done').click();
    await user.page.getByRole('link', { name: 'finance' }).click();
    await user.page.getByText('the whole account', { exact: true }).waitFor();
    const save = async () => {
      await button('Save').click();
      await dialog().waitFor({ state: 'detached' });
      const { data } = await send<{ data: readonly { name: string; policy: object }[] }>('/api-keys');
      return data.filter(({ name }) => name.startsWith('finance')).map(({ policy }) => policy);
    };
    await button('Edit').click();
    expect(await user.page.getByLabel(READS).isChecked()).toBe(true);
    await user.page.getByLabel('Name').fill('finance tool');
    expect(await save()).toEqual([{ reads: 'account' }]);
    await button('Edit').click();
    await user.page.getByLabel(READS).uncheck();
    expect(await save()).toEqual([{}]);
  });

  it('go to a receiver of telemetry that is added, shown without its secrets, and removed', async () => {
    await user.go('/settings', 'Settings');
    await button('Add a receiver').click();
    await user.page.getByLabel('Address').fill('http://127.0.0.1:9/otlp');
    await user.page.getByLabel('Headers').fill('authorization: Bearer canary-5');
    await button('Save').click();
    const panel = user.page.getByRole('region', { name: 'Telemetry' });
    for (const shown of ['http://127.0.0.1:9/otlp', 'active', 'authorization'])
      await panel.getByText(shown, { exact: true }).waitFor();
    await dialog().waitFor({ state: 'detached' });
    expect(await user.page.content()).not.toContain('canary-5');
    await user.take('telemetry');
    await button('Remove the receiver').click();
    await dialog().getByRole('button', { name: 'Remove the receiver' }).click();
    await button('Add a receiver').waitFor();
    expect(await send('/api/v1/telemetry')).toMatchObject({ error: { code: 'not_found' } });
  });

  it('raise no error in the browser, and no finding of axe', () => {
    expect([user.complaints, user.faults]).toEqual([[], []]);
  });
});
