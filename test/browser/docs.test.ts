import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { Service } from '../system/service.ts';
import { openBrowser } from './chromium.ts';
import { ConsoleUser } from './console-user.ts';

const SCREENSHOT = join(import.meta.dirname, '..', '..', 'test-results', 'docs.png');

describe('the pages without an account, in Chromium', () => {
  const service = new Service();
  const requests: string[] = [];
  const complaints: string[] = [];
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    await service.start();
    browser = await openBrowser();
    page = await browser.newPage({ viewport: { width: 1280, height: 1000 } });
    page.on('request', (request) => requests.push(request.url()));
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (failure) => complaints.push(failure.message));
    await page.goto(`${service.session.platform_url}/docs`);
    await page.waitForSelector('.opblock', { timeout: 60_000 });
  });

  afterAll(async () => {
    await browser?.close();
    await service.dispose();
  });

  it('shows every route, from this service alone, within its content security policy', async () => {
    const { paths, webhooks } = (await (await service.fetch('/openapi.json', { key: null })).json()) as {
      paths: Record<string, object>;
      webhooks: Record<string, object>;
    };
    const requested = [...Object.values(paths), ...Object.values(webhooks)];
    const count = requested.reduce((sum, methods) => sum + Object.keys(methods).length, 0);
    expect(await page.locator('.opblock').count()).toBe(count);
    await page.screenshot({ path: SCREENSHOT });
    expect(await page.title()).toBe('API reference: Unified Inference Service');
    const elsewhere = requests.filter(
      (url) => !url.startsWith(service.session.platform_url) && !url.startsWith('data:'),
    );
    expect(elsewhere).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('takes the theme of the console, offers three ways to authorize, and leads back', async () => {
    const background = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
    const light = await background();
    await page.evaluate(() => localStorage.setItem('theme', 'dark'));
    await page.reload();
    await page.waitForSelector('.opblock', { timeout: 60_000 });
    expect(await background()).not.toBe(light);
    await page.locator('.btn.authorize').click();
    await page.waitForSelector('.auth-container h4');
    await page.screenshot({ path: SCREENSHOT.replace('.png', '-dark.png') });
    expect(await page.locator('.auth-container h4 code').allTextContents()).toEqual([
      'apiKey',
      'session',
      'operator',
    ]);
    await page.locator('.close-modal').click();
    await page.evaluate(() => localStorage.removeItem('theme'));
    expect(await page.locator('nav a').getAttribute('href')).toBe('console');
    expect(complaints).toEqual([]);
  });

  it('sends the example of a call with a key, which is pasted into the field that has the focus', async () => {
    await page.locator('.btn.authorize').first().click();
    const field = page.locator('.auth-container input').first();
    await field.and(page.locator(':focus')).waitFor();
    await page.keyboard.insertText(service.session.api_key);
    expect(await field.inputValue()).toBe(service.session.api_key);
    await page.locator('.auth-btn-wrapper .authorize').first().click();
    await page.locator('.btn-done').first().click();
    const chat = page.locator('#operations-Inference-createChatCompletion');
    await chat.locator('.opblock-summary').click();
    await chat.locator('.try-out__btn').click();
    await chat.locator('.execute').click();
    const table = chat.locator('.live-responses-table');
    await table.waitFor({ timeout: 30_000 });
    expect(await table.locator('.response-col_status').last().textContent()).toContain('200');
  });

  it('leads from the index to models and prices, without an account', async () => {
    const visitor = await ConsoleUser.open(browser, service);
    await visitor.page.goto(service.session.platform_url);
    await visitor.take('index');
    await visitor.page.getByRole('link', { name: 'Models and prices' }).click();
    await visitor.page.getByRole('heading', { name: 'Models', level: 1 }).waitFor();
    await visitor.settled();
    await visitor.page
      .getByRole('row', { name: /sim\/chat-large/ })
      .first()
      .waitFor();
    await visitor.take('models-without-account');
    await visitor.page.getByRole('link', { name: 'Sign in' }).click();
    await visitor.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await visitor.page.getByRole('link', { name: /Models and prices/ }).click();
    await visitor.page.getByRole('heading', { name: 'Models', level: 1 }).waitFor();
    expect([visitor.complaints, visitor.faults]).toEqual([[], []]);
    await visitor.close();
  });

  it('sends a trial call to this service', async () => {
    const health = page.locator('#operations-Service-getHealth');
    await health.locator('.opblock-summary').click();
    await health.locator('.try-out__btn').click();
    await health.locator('.execute').click();
    const responseTable = health.locator('.live-responses-table');
    await responseTable.waitFor({ timeout: 30_000 });
    expect(await responseTable.locator('.response-col_status').last().textContent()).toContain('200');
    expect(await responseTable.textContent()).toContain('"status": "ok"');
    await health.screenshot({ path: SCREENSHOT.replace('.png', '-try-out.png') });
  });

  it('arrives compressed, or unchanged if the client accepts no compression', async () => {
    const get = async (encoding: string) => {
      const responseTable = await fetch(`${service.session.platform_url}/docs/swagger-ui-bundle.js`, {
        headers: { 'accept-encoding': encoding },
      });
      return { encoding: responseTable.headers.get('content-encoding'), text: await responseTable.text() };
    };
    const [compressed, plain] = [await get('gzip'), await get('identity')];
    expect(compressed.encoding).toBe('gzip');
    expect(plain.encoding).toBeNull();
    expect(compressed.text).toBe(plain.text);
    expect(plain.text.length).toBeGreaterThan(1_000_000);
    expect((await service.fetch('/docs/handler.ts', { key: null })).status).toBe(404);
  });
});
