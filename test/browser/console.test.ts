import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { paint } from '../../tools/simulators/models/model/picture.ts';
import { until } from '../../tools/test-kit/waiting.ts';
import { Owner } from '../system/owner.ts';
import { Service } from '../system/service.ts';
import { openBrowser } from './chromium.ts';
import { ConsoleUser, SCREENSHOTS } from './console-user.ts';

/** Markup that the page must show to a reader as plain text, whoever wrote it. */
const MARKUP = `<img src=x onerror="alert(1)"><script>alert(2)</script>`;

/** The same, with a link; and what of it there would be on a page that took it for HTML. */
const CONVERSATION_WITH_BREAKPOINTS = `${MARKUP}<a href="javascript:alert(3)">here</a>`;
const ELEMENTS = 'img[src="x"], script:not([src]), a[href^="javascript:" i]';

const IS_TABLE_CUT =
  '[...document.querySelectorAll(".scroll")].some(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)';

const PAGES = [
  ['/', 'Home'],
  ['/keys', 'Keys'],
  ['/activity', 'Activity'],
  ['/models', 'Models'],
  ['/playground', 'Playground'],
  ['/billing', 'Billing'],
  ['/earnings', 'Earnings'],
  ['/webhooks', 'Webhooks'],
  ['/market', 'Market'],
  ['/installed', 'Installed'],
  ['/settings', 'Settings'],
  ['/start', 'First call'],
] as const;

describe('the console in Chromium', () => {
  const service = new Service({ WEBHOOK_ALLOW_LOOPBACK: '1' });
  const received: string[] = [];
  let hook: Server;
  let browser: Browser;
  let user: ConsoleUser;
  let key = '';
  let keyId = '';
  let callId = '';

  const text = (testId: string) => user.page.getByTestId(testId).innerText();
  /** An answer of the service with the digits that were sent, as the browser gets it. */
  const sendFrom = (path: string): Promise<string> =>
    user.page.evaluate(async (url) => {
      const response = await fetch(url, { headers: { 'x-requested-with': 'console' } });
      return response.text();
    }, path);
  const digits = (json: string, field: string): string => {
    const [, number = ''] = new RegExp(`"${field}":([0-9.e-]+)`).exec(json) ?? [];
    return number;
  };
  /** `$1,234.5000` as the number that JSON would have. */
  const shown = (amount: string): number => Number(amount.replaceAll(/[$,\s]/g, ''));

  beforeAll(async () => {
    hook = createServer((request, response) => {
      request.on('data', (chunk) => received.push(String(chunk))).on('end', () => response.end());
    });
    await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
    await service.start();
    browser = await openBrowser();
    user = await ConsoleUser.open(browser, service);
  });

  afterAll(async () => {
    await browser?.close();
    hook?.close();
    await service.dispose();
  });

  it('signs a person in without a token that scripts can read', async () => {
    await user.signIn('owner@example.com');
    await user.settled();
    expect(await text('balance')).toBe('$0.00');
    expect(await user.stored()).toBe('[{},{},""]');
    expect(user.page.url()).not.toMatch(/code=|state=|token/);
    const cookies = await user.context.cookies();
    expect(cookies.filter(({ name }) => name === '__Host-session')).toEqual([
      expect.objectContaining({ httpOnly: true, secure: true, sameSite: 'Strict', path: '/' }),
    ]);
  });

  it('tops up through the checkout', async () => {
    await user.go('/billing', 'Billing');
    await user.page.getByLabel('Amount, USD').fill('12.34');
    await user.page.getByRole('button', { name: 'Continue to payment' }).click();
    await user.page.getByRole('button', { name: 'Pay 12.34 USD' }).click();
    await user.page.getByRole('heading', { name: 'Billing', level: 1 }).waitFor();
    await user.page.getByText('$12.34 received.').waitFor();
    await user.page.getByText('paid', { exact: true }).waitFor();
    await user.go('/', 'Home');
    await user.page.getByTestId('balance').getByText('$12.34').waitFor();
    // Odd nano-dollars, so that no figure is right by being rounded.
    const { id } = JSON.parse(await sendFrom('/api/v1/auth/me')) as { id: string };
    await service.admin('credit', 'grant', '--account', id, '--amount', '0.000000789');
  });

  it('makes a key, shows it once, and waits for the first call, whose cost it shows within 5 s', async () => {
    await user.go('/start', 'First call');
    await user.page.getByLabel('Name').fill('laptop');
    await user.page.getByRole('button', { name: 'Create key' }).click();
    const shownKey = user.page.getByRole('region', { name: 'API key' });
    key = (await shownKey.innerText()).trim();
    expect(key).toMatch(/^uis_/);
    await user.page.getByText('Waiting for your first call').waitFor();
    const { data, response } = await service
      .openai(key)
      .chat.completions.create({ model: 'sim/chat', messages: [{ role: 'user', content: 'Hello.' }] })
      .withResponse();
    expect(data.choices).toHaveLength(1);
    callId = response.headers.get('x-request-id') ?? '';
    await user.page.getByText('Got it: sim/chat for').waitFor({ timeout: 5_000 });
    const line = await user.page.getByText('Got it: sim/chat for').innerText();
    expect(line).toContain(`$${response.headers.get('x-cost-usd')}`);
    await user.page.getByRole('button', { name: 'Done' }).click();
    await user.page.getByRole('link', { name: 'See its receipt' }).click();
    await user.page.getByRole('heading', { name: 'Receipt' }).waitFor();
    await user.settled();
    expect(await text('cost')).toBe(`$${response.headers.get('x-cost-usd')}`);
    const bill = user.page.getByRole('region', { name: 'Bill' });
    const amounts = await bill.locator('td:last-child .money').allInnerTexts();
    const [charged = '', ...parts] = amounts.toReversed();
    expect(charged).toBe(`$${response.headers.get('x-cost-usd')}`);
    const nanoOf = (amount: string) => Math.round(shown(amount) * 1e9);
    expect(parts.reduce((sum, part) => sum + nanoOf(part), 0)).toBe(nanoOf(charged));
    expect(await user.page.title()).toMatch(/^Receipt · /);
    await user.page.reload();
    await user.page.getByRole('heading', { name: 'Receipt' }).waitFor();
    expect(await user.page.content()).not.toContain(key);
    expect(await user.stored()).not.toContain(key);
  });

  it('shows totals equal to the balance, the usage rollups and the audit, to the last digit', async () => {
    for (let calls = 0; calls < 3; calls += 1)
      await service.chat(
        { model: 'sim/chat-large', messages: [{ role: 'user', content: `Say ${calls}.` }] },
        { key },
      );
    await user.go('/', 'Home');
    await user.settled();
    const [credits, usageTotals] = [
      await sendFrom('/api/v1/credits'),
      await sendFrom(
        `/api/v1/usage/rollups?interval=day&start=${Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth(), 1) / 1000}`,
      ),
    ];
    const total = usageTotals.slice(usageTotals.indexOf('"total"'));
    await user.page.reload();
    await user.page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    await user.settled();
    expect(shown(await text('balance'))).toBe(Number(digits(credits, 'balance')));
    expect(shown(await text('held'))).toBe(Number(digits(credits, 'held')));
    expect(shown(await text('month'))).toBe(Number(digits(total, 'cost')));
    expect(digits(total, 'calls')).toBe('4');
    const nano = (amount: string) => BigInt(Math.round(shown(amount) * 1e9));
    // What is for who does not see the chart takes no room.
    const overhang =
      'document.documentElement.scrollHeight - Math.ceil(document.querySelector(".frame").getBoundingClientRect().height)';
    expect(await user.page.evaluate(overhang)).toBeLessThanOrEqual(0);
    expect(nano(await text('balance')) + nano(await text('month'))).toBe(12_340_000_789n);
    const audit = await service.admin<{ drift: string; exact: boolean }>('audit');
    expect(audit).toMatchObject({ exact: true });
    await user.page.screenshot({ path: join(SCREENSHOTS, 'console-home-paid.png') });
  });

  it('shows that a cap is reached, and a rotation counting down', async () => {
    await user.go('/keys', 'Keys');
    await user.page.getByRole('button', { name: 'Create key' }).click();
    await user.page.getByLabel('Name').fill(MARKUP);
    await user.page.getByLabel('Daily cap, USD').fill('0.000000001');
    await user.page.getByRole('button', { name: 'Create', exact: true }).click();
    const capped = (await user.page.getByRole('region', { name: 'API key' }).innerText()).trim();
    await user.page.getByRole('button', { name: 'Done' }).click();
    const response = await service.chat(
      { model: 'sim/chat', messages: [{ role: 'user', content: 'Hi' }] },
      { key: capped },
    );
    expect(response.status).toBe(402);
    // The name is text, whatever it says.
    await user.page.getByRole('link', { name: MARKUP }).click();
    await user.page.getByRole('heading', { name: MARKUP, level: 1 }).waitFor();
    await user.page
      .getByText('0 % of the cap')
      .or(user.page.getByRole('img', { name: /of the cap/ }))
      .first()
      .waitFor();
    await user.page.getByRole('button', { name: 'Edit' }).click();
    await user.page.getByLabel('Daily cap, USD').fill('0');
    await user.page.getByRole('button', { name: 'Save' }).click();
    await user.page.getByText('cap reached').waitFor();
    await user.page.screenshot({ path: join(SCREENSHOTS, 'console-key-cap.png') });
    await user.page.getByRole('button', { name: 'Rotate', exact: true }).click();
    await user.page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
    const rotated = (await user.page.getByRole('region', { name: 'API key' }).innerText()).trim();
    expect(rotated).not.toBe(capped);
    await user.page.getByRole('button', { name: 'Done' }).click();
    await user.page.getByText(/still good for 00:59:\d\d|still good for 01:00:00/).waitFor();
    keyId = user.page.url().split('/').at(-1) ?? '';
  });

  it('states that a key allows no kind of call, and lets it stay so', async () => {
    const { id } = await user.page.evaluate(async () => {
      const headers = { 'x-requested-with': 'console', 'content-type': 'application/json' };
      const body = JSON.stringify({ name: 'of a product', policy: { allowed_kinds: [] } });
      const response = await fetch('/api-keys', { method: 'POST', headers, body });
      return (await response.json()) as { readonly id: string };
    });
    await user.page.reload();
    await user.go(`/keys/${id}`, 'of a product');
    await user.page.getByRole('button', { name: 'Edit' }).click();
    await user.page.getByText('(none chosen: none)').waitFor();
    await user.page.getByLabel('Requests a minute').fill('7');
    await user.page.getByRole('button', { name: 'Save' }).click();
    await user.page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' });
    const { data } = JSON.parse(await sendFrom('/api-keys')) as { data: { id: string; policy: object }[] };
    expect(data.find((each) => each.id === id)?.policy).toEqual({ allowed_kinds: [], rpm: 7 });
  });

  it('tests a webhook, shows its delivery with the attempt, and delivers again', async () => {
    const url = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/hook?a=%3Cb%3E`;
    await user.go('/webhooks', 'Webhooks');
    await user.page.getByRole('button', { name: 'Add a webhook' }).click();
    await user.page.getByLabel('Endpoint URL').fill(url);
    await user.page.getByLabel('Description').fill(MARKUP);
    await user.page.getByRole('button', { name: 'Add', exact: true }).click();
    await user.page.getByRole('button', { name: 'Done' }).click();
    await user.page.getByRole('link', { name: url }).click();
    await user.page.getByRole('button', { name: 'Send a test' }).click();
    await user.page.getByRole('dialog').getByRole('button', { name: 'Send', exact: true }).click();
    await user.page.getByRole('cell', { name: 'delivered' }).waitFor();
    await user.page.getByText('test', { exact: true }).waitFor();
    expect(received).toHaveLength(1);
    await user.page.getByRole('button', { name: 'Redeliver' }).click();
    for (let attempts = 0; attempts < 100 && received.length < 2; attempts += 1)
      await user.page.waitForTimeout(100);
    expect(received).toHaveLength(2);
    await user.page.screenshot({ path: join(SCREENSHOTS, 'console-webhook.png') });
  });

  it('plays: streams a chat, draws, speaks, at a cost that the ledger has', async () => {
    await user.go('/playground', 'Playground');
    await user.page.getByLabel('Message').fill('Say hello.');
    await user.page.getByRole('button', { name: 'Send', exact: true }).click();
    await user.page.getByText('Whole after').waitFor();
    await user.page.getByText(/^Cost \$0\.\d+$/).waitFor();
    const [chooser] = await Promise.all([
      user.page.waitForEvent('filechooser'),
      user.page.getByLabel('Picture (optional)').click(),
    ]);
    await chooser.setFiles({ name: 'dusk.png', mimeType: 'image/png', buffer: paint('dusk', 64, 64) });
    await user.page.getByRole('img', { name: 'Attached to the message' }).waitFor();
    await user.page.getByLabel('Message').fill('What is this?');
    await user.page.getByRole('tab', { name: 'curl' }).click();
    expect(await user.page.getByRole('tabpanel').innerText()).toMatch(
      /"data:image\/png;base64,[\w+/]{60,}…"/,
    );
    await user.page.getByRole('button', { name: 'Send', exact: true }).click();
    await user.page.getByRole('img', { name: 'Attached', exact: true }).waitFor();
    await user.page.locator('.turn.assistant').nth(1).waitFor();
    const costs = user.page.getByRole('log').getByText(/^Cost \$0\.\d+$/);
    await costs.nth(1).waitFor();
    await user.page.getByRole('button', { name: 'Send', exact: true }).click();
    await user.page.getByRole('alert').getByText('Write a message.').waitFor();
    expect([await costs.count(), await user.page.locator('.turn').count()]).toEqual([2, 4]);
    await user.page.screenshot({ path: join(SCREENSHOTS, 'console-playground-chat.png') });
    await user.page.getByRole('tab', { name: 'Images' }).click();
    await user.page.getByLabel('Size').selectOption('512x512');
    await user.page.getByRole('button', { name: 'Generate' }).click();
    await user.page.locator('img.picture').waitFor();
    expect(await user.page.getByRole('tabpanel').innerText()).toMatch(
      /\/v1\/images\/generations[\s\S]*512x512/,
    );
    expect(await user.page.evaluate("document.querySelector('img.picture').naturalWidth")).toBe(512);
    await user.page.screenshot({ path: join(SCREENSHOTS, 'console-playground-image.png'), fullPage: true });
    await user.page.getByRole('tab', { name: 'Speech' }).click();
    await user.page.getByRole('combobox', { name: 'Voice' }).selectOption({ index: 1 });
    const balance = user.page.getByTitle('Balance');
    const before = await balance.innerText();
    await user.page.getByRole('button', { name: 'Speak' }).click();
    await user.page.locator('audio').waitFor();
    // Well before the next regular request of the balance.
    const endMs = Date.now() + 5_000;
    await until(
      () => balance.innerText(),
      (after) => after !== before || Date.now() > endMs,
    );
    expect(await balance.innerText()).not.toBe(before);
    // The key of the playground ends with the page, so its receipts do not link to it.
    await user.go('/keys', 'Keys');
    await user.settled();
    await user.page
      .getByRole('main')
      .getByRole('link', { name: 'Playground' })
      .waitFor({ state: 'detached' });
    await user.page
      .getByText(/^Revoked and Playground keys: \$0\.\d+ today, \$0\.\d+ this month\.$/)
      .waitFor();
    await user.page.reload();
    await user.go('/activity', 'Activity');
    await user.page.getByRole('cell', { name: 'Playground revoked' }).first().waitFor();
    const [ended = ''] = await user.page
      .getByLabel('Key')
      .getByRole('option', { name: /^Playground \(revoked, …\w{4}\)$/ })
      .allInnerTexts();
    await user.page.getByLabel('Key').selectOption(ended);
    await user.page.waitForURL(/#\/activity\?api_key=/);
    await user.page.getByRole('cell', { name: 'laptop' }).first().waitFor({ state: 'detached' });
    expect(await user.page.getByRole('cell', { name: 'Playground revoked' }).count()).toBeGreaterThan(2);
  });

  it("shows another account nothing of what is not its own, and a listing's markup as text", async () => {
    await user.go('/market', 'Market');
    await user.page.getByRole('button', { name: 'Publish a listing' }).click();
    await user.page.getByLabel('Name').fill(MARKUP);
    await user.page.getByLabel('Summary').fill('javascript:alert(3)');
    await user.page.getByLabel('Description').fill(MARKUP);
    await user.page.getByRole('textbox', { name: 'Category' }).fill('tools');
    await user.page.getByLabel('URL').fill('https://example.com/app');
    await user.page.getByRole('button', { name: 'Publish', exact: true }).click();
    await user.page.getByRole('heading', { name: MARKUP, level: 1 }).waitFor();
    const listing = user.page.url();
    await user.go('/market?section=own', 'Market');
    await user.page.getByRole('tab', { name: 'My listings', selected: true }).waitFor();
    // The index of the search follows within a second.
    await until(
      async () => {
        await user.page.reload();
        await user.page.getByRole('tab', { name: 'My listings' }).waitFor();
        await user.settled();
        return user.page.getByRole('link', { name: MARKUP }).count();
      },
      (count) => count === 1,
    );
    await user.page.screenshot({ path: join(SCREENSHOTS, 'console-own-listings.png') });
    await user.page.goto(listing);
    await user.page.getByRole('heading', { name: MARKUP, level: 1 }).waitFor();
    await user.page.screenshot({ path: join(SCREENSHOTS, 'console-listing.png') });
    const { data } = JSON.parse(await sendFrom('/api/v1/usage?limit=1')) as {
      data: readonly { id: string }[];
    };
    const other = await ConsoleUser.open(browser, service);
    await other.signIn('somebody-else@example.com');
    await other.page.goto(`${service.session.platform_url}/console#/keys/${keyId}`);
    await other.page.getByText('Your account has no such key').waitFor();
    await other.page.goto(`${service.session.platform_url}/console#/activity/${data[0]?.id}`);
    await other.page.getByText('Your account has no receipt with this id').waitFor();
    expect(await other.page.getByTestId('cost').count()).toBe(0);
    await other.go(`/activity?api_key=%22${keyId}%22`, 'Activity');
    await other.page.getByText('No calls.').waitFor();
    await other.page.goto(listing);
    await other.page.getByRole('button', { name: 'Install' }).click();
    await other.page.getByRole('main').getByText('Installed', { exact: true }).waitFor();
    expect(other.complaints).toEqual([]);
    await other.close();
  });

  it('sends a strict content security policy, loads from this service alone, and cannot be framed', async () => {
    const page = await fetch(`${service.session.platform_url}/console`);
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(page.headers.get('content-security-policy')).not.toContain('unsafe');
    expect(page.headers.get('content-security-policy')).toMatch(
      /connect-src 'self' http:\/\/127\.0\.0\.1:\d+;/,
    );
    expect(page.headers.get('x-frame-options')).toBe('DENY');
    const elsewhere = user.requests.filter(
      (address) =>
        !address.startsWith(service.session.platform_url) &&
        !/^(data|blob):/.test(address) &&
        // The pages of the identity and the payment provider, which the browser goes to.
        !/^http:\/\/127\.0\.0\.1:\d+\/(authorize|pay)/.test(address),
    );
    expect(elsewhere).toEqual([]);
    const framed = await user.context.newPage();
    await framed.setContent(`<iframe src="${service.session.platform_url}/console"></iframe>`);
    await framed.waitForTimeout(1000);
    expect(framed.frames().map((frame) => frame.url())).not.toContain(
      `${service.session.platform_url}/console`,
    );
    await framed.close();
    expect(user.complaints).toEqual([]);
    expect(user.requests.filter((address) => /uis_|eyJ/.test(address))).toEqual([]);
  });

  it('requests the signed-in account and loads the page at the same time, each once', async () => {
    await user.go('/activity', 'Activity');
    const before = user.requests.length;
    await user.page.reload();
    await user.page.getByRole('heading', { name: 'Activity', level: 1 }).waitFor();
    await user.settled();
    const url = user.requests.slice(before).map((address) => new URL(address).pathname);
    const [account, page, data] = [/auth\/me$/, /\/activity-\w+\.js$/, /\/usage$/].map((path) =>
      url.flatMap((each, at) => (path.test(each) ? [at] : [])),
    );
    expect([account?.length, page?.length]).toEqual([1, 1]);
    expect(data?.[0]).toBeGreaterThan(account?.[0] ?? Number.NaN);
  });

  it.each(['light', 'dark'] as const)(
    'renders %s pages without axe findings, and fits them to a small screen',
    async (scheme) => {
      await user.page.emulateMedia({ colorScheme: scheme });
      const wrong: string[] = [];
      const pages = [
        ...PAGES.map(([path, heading]) => [path, heading, path === '/' ? 'home' : path.slice(1)] as const),
        [`/keys/${keyId}`, MARKUP, 'key'] as const,
        [`/activity/${callId}`, 'Receipt', 'receipt'] as const,
      ];
      for (const width of [1280, 360]) {
        await user.page.setViewportSize({ width, height: 900 });
        const size = width === 360 ? '-small' : '';
        for (const [path, heading, name] of pages) {
          await user.go(path, heading);
          await user.settled();
          wrong.push(...(await user.findings()).map((finding) => `${path}${size}: ${finding}`));
          const scrollWidth = await user.page.evaluate('document.documentElement.scrollWidth');
          if (scrollWidth !== width) wrong.push(`${path} is ${scrollWidth} wide on a screen of ${width}`);
          if (width === 1280 && (await user.page.evaluate(IS_TABLE_CUT)))
            wrong.push(`a table of ${path} is wider than its panel`);
          const file = join(SCREENSHOTS, `console-${name}${size}-${scheme}.png`);
          await user.page.screenshot({ path: file, fullPage: true });
        }
      }
      await user.page.setViewportSize({ width: 1280, height: 900 });
      expect(wrong).toEqual([]);
    },
  );

  /** Has the page take an answer of the service changed, as a service that lets anything in would send it. */
  const changed = (path: string, change: (body: Record<string, unknown>) => object) =>
    user.page.route(
      (url) => url.pathname.endsWith(path),
      async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response: response, json: change(await response.json()) });
      },
    );
  const firstOf = (list: unknown): object => (list as readonly object[])[0] ?? {};

  it('detects markup that is rendered as HTML', async () => {
    const page = await user.context.newPage();
    await page.setContent(`<main>${CONVERSATION_WITH_BREAKPOINTS}</main>`);
    expect(await page.locator(ELEMENTS).count()).toBe(3);
    await page.close();
  });

  it('shows the name of a model as text, whatever it is', async () => {
    await changed('/api/v1/models', ({ models }) => ({
      models: [
        { ...firstOf(models), model_id: CONVERSATION_WITH_BREAKPOINTS, model: CONVERSATION_WITH_BREAKPOINTS },
      ],
    }));
    await changed('/api/v1/usage', (page) => ({
      ...page,
      data: (page.data as readonly object[]).map((each) => ({
        ...each,
        model: CONVERSATION_WITH_BREAKPOINTS,
        input_units: 123_456,
        output_units: 12_345,
        cost: 12.345678901,
      })),
    }));
    await user.go('/models', 'Models');
    await user.page.reload();
    const model = user.page.getByRole('link', { name: CONVERSATION_WITH_BREAKPOINTS });
    expect(await model.innerText()).toBe(CONVERSATION_WITH_BREAKPOINTS);
    expect(await user.page.locator(ELEMENTS).count()).toBe(0);
    await user.go('/activity', 'Activity');
    expect(
      await user.page.getByRole('cell', { name: CONVERSATION_WITH_BREAKPOINTS }).first().innerText(),
    ).toBe(CONVERSATION_WITH_BREAKPOINTS);
    await user.page.getByText('$12.345678901').first().waitFor();
    expect(await user.page.evaluate(IS_TABLE_CUT)).toBe(false);
    await user.page.getByLabel('Model').selectOption(CONVERSATION_WITH_BREAKPOINTS);
    await user.page.waitForURL((url) => decodeURIComponent(url.hash).includes('onerror='));
    expect(await user.page.getByLabel('Model').locator('option:checked').innerText()).toContain(
      CONVERSATION_WITH_BREAKPOINTS,
    );
    expect(await user.page.locator(ELEMENTS).count()).toBe(0);
    await user.go('/playground', 'Playground');
    await user.page.getByRole('tabpanel').getByText('onerror=').waitFor();
    expect(await user.page.locator(ELEMENTS).count()).toBe(0);
    await user.page.unrouteAll();
  });

  it('shows an error as text, whatever it contains', async () => {
    await user.page.route(
      (url) => url.pathname.endsWith('/api/v1/usage'),
      (route) =>
        route.fulfill({
          status: 400,
          json: { error: { message: CONVERSATION_WITH_BREAKPOINTS, code: 'invalid_value', param: null } },
        }),
    );
    await user.go('/activity', 'Activity');
    await user.page.reload();
    const alert = user.page.getByRole('alert');
    await alert.waitFor();
    expect(await alert.innerText()).toBe(CONVERSATION_WITH_BREAKPOINTS);
    expect(await user.page.locator(ELEMENTS).count()).toBe(0);
    await user.page.unrouteAll();
    await user.page.reload();
    await alert.waitFor({ state: 'detached' });
  });

  it.each([
    ['javascript:alert(4)', 0],
    ['data:text/html,<script>alert(5)</script>', 0],
    ['https://pay.example.com/1', 1],
  ])('offers to pay at %s: %i link', async (address, links) => {
    await changed('/api/orders', (page) => ({
      ...page,
      data: [{ ...firstOf(page.data), status: 'pending', checkout_url: address }],
    }));
    await user.go('/billing', 'Billing');
    await user.page.reload();
    await user.page.getByText('pending').waitFor();
    expect(await user.page.getByRole('link', { name: 'Pay' }).count()).toBe(links);
    await user.page.unrouteAll();
  });

  it('responds to the keyboard: a dialog retains the focus and closes with Escape, and tabs follow the arrow keys', async () => {
    await user.go('/keys', 'Keys');
    await user.page.getByRole('button', { name: 'Create key' }).focus();
    await user.page.keyboard.press('Enter');
    await user.page.getByRole('dialog').waitFor();
    for (let step = 0; step < 4; step += 1) await user.page.keyboard.press('Tab');
    expect(
      await user.page.evaluate("document.querySelector('dialog').contains(document.activeElement)"),
    ).toBe(true);
    await user.page.keyboard.press('Escape');
    await user.page.getByRole('dialog').waitFor({ state: 'detached' });
    await user.go('/playground', 'Playground');
    await user.page.getByRole('tab', { name: 'Chat' }).focus();
    await user.page.keyboard.press('ArrowRight');
    await user.page.getByRole('tab', { name: 'Images', selected: true }).waitFor();
    await user.page.reload();
    await user.page.getByRole('tab', { name: 'Images' }).waitFor();
    await user.page.keyboard.press('Tab');
    expect(await user.page.locator(':focus').innerText()).toBe('Skip to content');
    await user.page.keyboard.press('Enter');
    await user.page.keyboard.press('Tab');
    expect(await user.page.locator(':focus').getAttribute('role')).toBe('tab');
  });

  it('shows an operator the accounts, in a separate session, and shows them to no other user', async () => {
    const { id } = JSON.parse(await sendFrom('/api/v1/auth/me')) as { id: string };
    const address = `${service.session.platform_url}/console#/operator`;
    await user.page.goto(address);
    await user.page.getByRole('heading', { name: 'Sign in as an operator' }).waitFor();
    const signIn = async () => {
      await user.page.getByRole('button', { name: /^Continue with/ }).click();
      await user.page.getByLabel('Email').fill('owner@example.com');
      await user.page.getByRole('button', { name: 'Sign in' }).click();
    };
    await signIn();
    await user.page.getByText('This account is not an operator of the service.').waitFor();
    await service.admin('operators', 'add', id);
    await signIn();
    await user.page.getByRole('heading', { name: 'Operator', level: 1 }).waitFor();
    const month = user.page.getByRole('region', { name: 'This month (UTC)', exact: true });
    await month.getByText('Sold', { exact: true }).waitFor();
    const facts = (await month.locator('dd').allInnerTexts()).map(shown);
    const [sold = 0, known = 0, cost = 0, margin = 0, calls = 0] = facts;
    expect(known).toBeCloseTo(cost + margin, 8);
    expect(sold).toBeGreaterThanOrEqual(known);
    expect([sold > 0, calls > 4]).toEqual([true, true]);
    await user.page.getByRole('tab', { name: 'Accounts' }).click();
    await user.page.getByRole('cell', { name: 'owner@example.com' }).waitFor();
    const [seller, buyer] = await Promise.all([Owner.open(service), Owner.open(service)]);
    await buyer.buy(20);
    await seller.sellTo(buyer, 1_500);
    await service.admin('seller', 'pause', '--account', seller.id);
    const wrong: string[] = [];
    for (const view of ['Sellers', 'Routes', 'Catalog', 'Audit', 'Dead letters', 'Accounts', 'Overview']) {
      await user.page.getByRole('tab', { name: view, exact: true }).click();
      await user.settled();
      if (view === 'Sellers') {
        const row = user.page.getByRole('row', { name: seller.id });
        expect(await row.innerText()).toMatch(/\$15\.00[\s\S]*paused/i);
        await row.getByRole('button', { name: 'Resume' }).click();
        const dialog = user.page.getByRole('dialog');
        await dialog.getByText(`npm run admin -- seller resume --account ${seller.id}`).waitFor();
        wrong.push(...(await user.findings()));
        await user.page.screenshot({ path: join(SCREENSHOTS, 'console-operator-resume.png') });
        await user.page.keyboard.press('Escape');
        await dialog.waitFor({ state: 'detached' });
      }
      const name = view.toLowerCase().replace(' ', '-');
      expect(user.page.url()).toMatch(new RegExp(`#/operator/${name}$`));
      for (const [size, colorScheme, width] of [
        ['', 'light', 1280],
        ['-dark', 'dark', 1280],
        ['-small', 'light', 360],
        ['-small-dark', 'dark', 360],
      ] as const) {
        await user.page.emulateMedia({ colorScheme });
        await user.page.setViewportSize({ width, height: 900 });
        wrong.push(...(await user.findings()).map((finding) => `${name}${size}: ${finding}`));
        await user.page.screenshot({ path: join(SCREENSHOTS, `console-operator-${name}${size}.png`) });
      }
      await user.page.setViewportSize({ width: 1280, height: 900 });
    }
    expect(wrong).toEqual([]);
    expect(await user.page.getByRole('alert').count()).toBe(0);
    await user.page.goto(`${address}/audit`);
    await user.page.reload();
    await user.page.getByRole('tab', { name: 'Audit', selected: true }).waitFor();
    await user.page.getByText('The scheduled audit has not run yet').waitFor();
    await user.page.getByRole('button', { name: 'Sign out' }).click();
    await user.page.getByRole('heading', { name: 'Sign in as an operator' }).waitFor();
  });

  it('signs out, on the server too', async () => {
    const session = (await user.context.cookies()).find(({ name }) => name === '__Host-session');
    await user.go('/settings', 'Settings');
    await user.page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await user.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    const after = await fetch(`${service.session.platform_url}/api/v1/auth/me`, {
      headers: { cookie: `${session?.name}=${session?.value}`, 'x-requested-with': 'console' },
    });
    expect(after.status).toBe(401);
  });
});
