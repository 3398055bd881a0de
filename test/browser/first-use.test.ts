import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Locator } from 'playwright-core';
import { Service } from '../system/service.ts';
import { openBrowser } from './chromium.ts';
import { ConsoleUser, SCREENSHOTS } from './console-user.ts';

const LISTING = 'Sea stories';

const IS_COPY_ABOVE_CODE = `(() => {
  const code = document.querySelector('.code');
  const text = document.createRange();
  text.selectNodeContents(code.querySelector('pre'));
  return code.querySelector('button').getBoundingClientRect().bottom <= text.getBoundingClientRect().top;
})()`;

describe('the first use of the console', () => {
  const service = new Service({ WEBHOOK_ALLOW_LOOPBACK: '1' });
  let hook: Server;
  let browser: Browser;
  let seller: ConsoleUser;
  let user: ConsoleUser;

  const button = (name: string): Locator => user.page.getByRole('button', { name, exact: true });
  /** The key that is shown once; fails with what the page says in its place. */
  const newKey = async (): Promise<string> => {
    const key = user.page.getByRole('region', { name: 'API key' });
    const text = (await key.or(user.page.getByRole('alert')).first().innerText()).trim();
    expect(text).toMatch(/^uis_/);
    return text;
  };
  const chatBox = (): Locator => user.page.getByRole('log', { name: 'Conversation' });

  const take = (name: string): Promise<void> => user.take(`first-use-${name}`);

  beforeAll(async () => {
    hook = createServer((request, response) => {
      request.resume().on('end', () => response.end());
    });
    await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
    await service.start();
    browser = await openBrowser();
    user = await ConsoleUser.open(browser, service);
    await user.signIn('newcomer@example.com');
    seller = await ConsoleUser.open(browser, service);
    await seller.signIn('seller@example.com');
  });

  afterAll(async () => {
    await browser?.close();
    hook?.close();
    await service.dispose();
  });

  it('names a next step on every empty page', async () => {
    for (const [path, heading, link] of [
      ['/keys', 'Keys', 'Create one and make your first call'],
      ['/activity', 'Activity', 'Make a call from your client'],
      ['/webhooks', 'Webhooks', 'the API reference'],
      ['/installed', 'Installed', 'Find an app or an agent'],
    ] as const) {
      await user.go(path, heading);
      await user.page.getByRole('link', { name: link }).waitFor();
    }
    for (const [path, heading, text] of [
      ['/market/apps/app_01M7Y9QKHRDYCBJK7FZH4N8FGP', 'Listing not found', 'There is no such listing.'],
      ['/webhooks/wh_1', 'Webhook not found', 'Your account has no such webhook.'],
    ] as const) {
      await user.go(path, heading);
      await user.page.getByText(text).waitFor();
      await user.page.getByRole('link', { name: 'Go to Home' }).waitFor();
    }
    await user.page.getByRole('navigation').getByRole('link', { name: 'API reference' }).waitFor();
    await user.page.getByRole('button', { name: 'Theme: auto' }).waitFor();
    await user.go('/settings', 'Settings');
    for (const sdk of ['OpenAI SDK: base URL', 'Anthropic SDK: base URL'])
      await user.page.getByRole('heading', { name: sdk }).waitFor();
  });

  it('says that what the service itself rejects is not recorded, in place of another request id', async () => {
    await user.page.goto(`${service.session.platform_url}/console#/activity/req_01M7Y9QKHRDYCBJK7FZH4N8FGP`);
    const answer = user.page.getByText('What the service itself rejects is not recorded');
    await answer.waitFor();
    expect(await answer.innerText()).not.toContain('request id');
  });

  it('keeps a message that the credit does not cover, with a link to Billing', async () => {
    await user.go('/playground', 'Playground');
    await user.page.getByLabel('Message').fill('Say hello.');
    await user.page.getByLabel('Message').press('Enter');
    await user.page.getByRole('alert').getByRole('link', { name: 'Add credit' }).waitFor();
    expect(await user.page.getByLabel('Message').inputValue()).toBe('Say hello.');
    await take('playground-no-credit');
  });

  it('asks for credit before a key that it would show only once', async () => {
    await user.go('/start', 'First call');
    await user.page.getByRole('heading', { name: '1. Add credit' }).waitFor();
    expect(await button('Create key').count()).toBe(0);
    await take('start-no-credit');
  });

  it.each(['0', '-5', '1.234', '10001'])(
    'rejects an amount of %s at the field, before any request',
    async (amount) => {
      const before = user.requests.filter((address) => address.endsWith('/api/create-order')).length;
      const field = user.page.getByLabel('Amount, USD');
      await field.fill(amount);
      await button('Continue to payment').click();
      expect(
        await field.evaluate(
          (input) => (input as unknown as { validationMessage: string }).validationMessage,
        ),
      ).not.toBe('');
      expect(user.requests.filter((address) => address.endsWith('/api/create-order'))).toHaveLength(before);
      await user.page.getByText('At least $0.50, at most $10,000').waitFor();
    },
  );

  it('says that a payment was canceled, whose order can still be paid, and then that it was received', async () => {
    await user.page.getByLabel('Amount, USD').fill('10');
    await button('Continue to payment').click();
    await user.page.getByRole('link', { name: 'Cancel' }).click();
    await user.page.getByText('Payment canceled: nothing was charged.').waitFor();
    await take('payment-canceled');
    await user.page.getByRole('link', { name: 'Pay', exact: true }).click();
    await button('Pay 10.00 USD').click();
    await user.page.getByText('$10.00 received.').waitFor();
    await take('payment-received');
    await user.page.getByRole('link', { name: 'Make your first call' }).click();
    await user.page.getByRole('heading', { name: '2. Create a key' }).waitFor();
  });

  it('believes the service, and not an address, of what was paid', async () => {
    await user.page.goto(
      `${service.session.platform_url}/console#/billing?order=ord_01M7Y9QKHRDYCBJK7FZH4N8FGP&outcome=paid`,
    );
    await user.page.getByRole('heading', { name: 'Billing', level: 1 }).waitFor();
    await user.settled();
    await user.page.getByText('paid', { exact: true }).waitFor();
    expect(await user.page.getByText('received').count()).toBe(0);
  });

  it('keeps a new key through a look at other pages, in the memory of the tab alone, until it is done', async () => {
    await user.go('/start', 'First call');
    await button('Create key').click();
    const key = await newKey();
    await user.page.getByRole('link', { name: 'Billing', exact: true }).click();
    await user.page.getByRole('heading', { name: 'Billing', level: 1 }).waitFor();
    expect(await user.stored()).not.toContain(key);
    expect(user.page.url()).not.toContain(key);
    // The browser asks before the tab goes elsewhere with it; this browser's answer is to stay.
    await user.page.reload({ timeout: 3_000 }).catch(() => {});
    expect(user.complaints.splice(0)).toEqual(['a dialog of the browser: ']);
    await user.page.getByRole('link', { name: 'Home', exact: true }).click();
    await user.page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    await user.go('/start', 'First call');
    expect(await newKey()).toBe(key);
    await user.page
      .getByText('A call that the service itself rejects costs nothing and is not recorded')
      .waitFor();
    await take('start-key');
    await button('Done').click();
    await user.page.getByText('put the key that you have copied in the place of the placeholder').waitFor();
    expect(await user.page.content()).not.toContain(key);
    const { status } = await service.chat(
      { model: 'sim/chat', messages: [{ role: 'user', content: 'Hello.' }] },
      { key },
    );
    expect(status).toBe(200);
    await user.page.getByText('Got it: sim/chat for').waitFor();
    await user.page.reload();
    await user.page.getByRole('heading', { name: '2. Create a key' }).waitFor();
  });

  it('says while it waits that no call succeeds without credit', async () => {
    await user.page.route(
      (url) => url.pathname.endsWith('/api/v1/credits'),
      async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, json: { ...(await response.json()), balance: 0 } });
      },
    );
    await button('Create key').click();
    await user.page
      .getByText('The balance is $0.00, so every call is rejected with 402.')
      .waitFor({ timeout: 20_000 });
    const link = user.page.getByRole('link', { name: 'Add credit in a new tab' });
    expect(await link.getAttribute('target')).toBe('_blank');
    await take('start-waiting-no-credit');
    await button('Done').click();
    await user.page.unrouteAll();
  });

  it('keeps a new key in its dialog at Escape, however often, until Done', async () => {
    await user.go('/keys', 'Keys');
    await button('Create key').click();
    expect(await user.page.getByLabel('Requests a minute').getAttribute('placeholder')).toBe('100');
    expect(await user.page.getByLabel('Tokens a minute').getAttribute('placeholder')).toBe('no limit');
    await user.page.getByLabel('Name').fill('phone');
    await button('Create').click();
    const key = await newKey();
    const focused = user.page.locator(':focus');
    expect(await focused.getAttribute('aria-label')).toBe('Copy: API key');
    for (let times = 0; times < 3; times += 1) {
      await user.page.keyboard.press('Escape');
      expect(await newKey()).toBe(key);
      expect(await user.page.locator('dialog:modal').count()).toBe(1);
    }
    await button('Done').click();
    await user.page.getByRole('dialog').waitFor({ state: 'detached' });
    await user.page.getByRole('link', { name: 'First call: snippets for your SDK' }).click();
    await user.page.getByRole('heading', { name: 'First call', level: 1 }).waitFor();
    await user.go('/keys', 'Keys');
    await user.page.getByRole('link', { name: 'phone' }).click();
    await user.page.getByRole('heading', { name: 'phone', level: 1 }).waitFor();
    const facts = user.page.getByRole('region', { name: 'Scope and rates' });
    expect((await facts.innerText()).replaceAll(/\s+/g, ' ')).toContain(
      'Requests a minute 100 Tokens a minute no limit',
    );
  });

  it('names the field of a rejected key by its label', async () => {
    await user.page.route(
      (url) => url.pathname.endsWith('/api-keys'),
      (route) =>
        route.request().method() === 'POST'
          ? route.fulfill({
              status: 400,
              json: {
                error: {
                  message: 'policy.daily_usd: is wrong.',
                  code: 'invalid_value',
                  param: 'policy.daily_usd',
                },
              },
            })
          : route.continue(),
    );
    await user.go('/keys', 'Keys');
    await button('Create key').click();
    await user.page.getByLabel('Name').fill('tablet');
    await button('Create').click();
    expect(await user.page.getByRole('alert').innerText()).toBe('Daily cap, USD: is wrong.');
    await button('Cancel').click();
    await user.page.unrouteAll();
  });

  it('follows a conversation, says where an answer was cut, and sends at Enter', async () => {
    await user.go('/playground', 'Playground');
    const isAtEnd = () =>
      chatBox().evaluate((box) => {
        const { scrollHeight, scrollTop, clientHeight } = box as unknown as Record<string, number>;
        return (
          (scrollHeight ?? 0) > (clientHeight ?? 0) &&
          (scrollHeight ?? 0) - (scrollTop ?? 0) - (clientHeight ?? 0) < 2
        );
      });
    await user.page.getByLabel('Message').fill('Write 600 words');
    await user.page.getByLabel('Message').press('Shift+Enter');
    expect(await chatBox().innerText()).toBe('Say something to the model.');
    await user.page.getByLabel('Message').press('Enter');
    await user.page.getByText('Whole after').waitFor();
    expect(await isAtEnd()).toBe(true);
    await user.page.getByLabel('Output limit, tokens').fill('16');
    await user.page.getByLabel('Message').fill('Write 400 words');
    await user.page.getByLabel('Message').press('Control+Enter');
    await user.page.getByText('Cut at the output limit of 16 tokens').waitFor();
    expect(await isAtEnd()).toBe(true);
    expect(await user.page.getByRole('tabpanel').innerText()).toContain('"max_tokens": 16');
    await take('playground-cut');
  });

  it('removes the result of a call when the next one fails', async () => {
    await user.page.getByRole('tab', { name: 'Speech' }).click();
    await user.page.waitForURL(/#\/playground\?kind=tts/);
    await button('Speak').click();
    await user.page.locator('audio').waitFor();
    await user.page.getByLabel('Text').fill('x'.repeat(5_000));
    await button('Speak').click();
    await user.page.getByRole('alert').waitFor();
    expect(await user.page.locator('audio').count()).toBe(0);
    expect(await user.page.getByText('Whole after').count()).toBe(0);
    await user.page.reload();
    await user.page.getByRole('tab', { name: 'Speech', selected: true }).waitFor();
  });

  it('shows the cost of every call, and the current page of the navigation, at 360 pixels', async () => {
    await user.page.setViewportSize({ width: 360, height: 780 });
    const inSight = async (locator: Locator): Promise<boolean> => {
      const box = await locator.boundingBox();
      return box !== null && box.x >= 0 && box.x + box.width <= 360;
    };
    await user.go('/activity', 'Activity');
    await user.settled();
    expect(await inSight(user.page.locator('td .money').first())).toBe(true);
    expect(await inSight(user.page.locator('td .badge').first())).toBe(true);
    await user.page.screenshot({ path: join(SCREENSHOTS, 'first-use-activity-small.png') });
    for (const [path, name] of [
      ['/billing', 'Billing'],
      ['/webhooks', 'Webhooks'],
      ['/market', 'Market'],
      ['/installed', 'Installed'],
      ['/settings', 'Settings'],
    ] as const) {
      await user.go(path, name);
      const current = user.page.locator('nav [aria-current="page"]');
      expect([await current.innerText(), await inSight(current)]).toEqual([name, true]);
    }
    // On Settings: the button that copies an address is above it.
    expect(await user.page.evaluate(IS_COPY_ABOVE_CODE)).toBe(true);
    await user.page.setViewportSize({ width: 1280, height: 900 });
  });

  it('explains each event, and shows figures that follow the deliveries', async () => {
    await user.go('/webhooks', 'Webhooks');
    await button('Add a webhook').click();
    await user.page.getByText('Somebody has bought one of your listings.').waitFor();
    await user.page.getByText('A payout settles to your account.').waitFor();
    await take('webhook-events');
    await user.page
      .getByLabel('Endpoint URL')
      .fill(`http://127.0.0.1:${(hook.address() as AddressInfo).port}/hook`);
    await button('Add').click();
    await button('Done').click();
    await user.page.getByRole('link', { name: '127.0.0.1' }).click();
    await button('Send a test').click();
    await user.page.getByRole('dialog').getByText('Somebody installs one of your listings.').waitFor();
    await button('Send').click();
    await user.page.getByRole('cell', { name: 'delivered' }).waitFor();
    await user.page.getByText('100.0 %').waitFor();
    await user.page.getByText(/^\d+ ms$/).waitFor();
    await button('Redeliver').click();
    await user.page.getByText('sent again').waitFor();
    await take('webhook');
    const { port } = hook.address() as AddressInfo;
    await button('Edit').click();
    expect(await user.page.getByLabel('Endpoint URL').inputValue()).toBe(`http://127.0.0.1:${port}/hook`);
    await user.page.getByLabel('Endpoint URL').fill(`http://127.0.0.1:${port}/moved`);
    await user.page.getByRole('checkbox', { name: /balance\.low/ }).check();
    await button('Save').click();
    await user.page.getByRole('dialog').waitFor({ state: 'detached' });
    await user.page.getByText('/moved').waitFor();
    await user.page.getByText('12 of 13', { exact: true }).waitFor();
  });

  it('sells in dollars, lists what was bought with the address to open, and takes one review', async () => {
    await seller.go('/market', 'Market');
    await seller.page.getByRole('button', { name: 'Publish a listing' }).click();
    await seller.page.getByLabel('Name').fill(LISTING);
    await seller.page.getByLabel('Summary').fill('A story each day.');
    await seller.page.getByRole('textbox', { name: 'Category' }).fill('stories');
    await seller.page.getByLabel('Price, USD').fill('1.50');
    await seller.page.getByLabel('URL').fill('https://example.com/stories');
    await seller.page.getByLabel('Seller').fill('Story House');
    await seller.page.getByLabel('Contact').fill('help@example.com');
    await seller.page.getByRole('button', { name: 'Publish', exact: true }).click();
    await seller.page.getByRole('heading', { name: LISTING, level: 1 }).waitFor();
    await user.page.goto(seller.page.url());
    await button('Buy for $1.50').waitFor();
    const contact = user.page.getByRole('link', { name: 'help@example.com' });
    expect(await contact.getAttribute('href')).toBe('mailto:help@example.com');
    await user.page.getByText('Story House').waitFor();
    await user.settled();
    expect(await button('Review').count()).toBe(0);
    await button('Buy for $1.50').click();
    await user.page.getByRole('dialog').getByRole('button', { name: 'Buy for $1.50' }).click();
    await user.page.getByText('Bought and installed', { exact: true }).waitFor();
    await button('Review').click();
    expect(await user.page.locator('select:invalid').count()).toBe(1);
    await user.page.getByLabel('Rating').selectOption('4');
    await button('Review').click();
    await user.page.getByText('yours', { exact: true }).waitFor();
    expect(await button('Review').count()).toBe(0);
    await take('listing-bought');
    await user.page.getByRole('link', { name: 'All installed' }).click();
    await user.page.getByRole('heading', { name: 'Installed', level: 1 }).waitFor();
    const open = user.page.getByRole('link', { name: `Open ${LISTING}` });
    expect(await open.getAttribute('href')).toBe('https://example.com/stories');
    expect(await open.getAttribute('rel')).toBe('noreferrer noopener');
    await take('installed');
    await user.go('/market', 'Market');
    await user.page.getByText('1 install', { exact: true }).waitFor();
    await seller.go('/installed', 'Installed');
    await seller.page.getByText('Nothing installed yet.').waitFor();
  });

  it("shows a model's other names, its default, and that a call does not fit", async () => {
    await user.go('/models', 'Models');
    await user.page.getByLabel('Search').fill('claude-sonnet-4-5');
    await user.page.getByText(/^also .*claude-sonnet-4-5/).waitFor();
    await user.page.getByLabel('Search').fill('');
    await user.page.getByText('default', { exact: true }).first().waitFor();
    await user.page.getByLabel('Search').fill('sim/embed-bedrock-batch');
    await user.page.getByText('does not fit').waitFor();
    await take('models');
  });

  it('raises no error in the browser and has no finding of axe on the whole way', () => {
    expect(user.faults).toEqual([]);
    expect([...user.complaints, ...seller.complaints]).toEqual([]);
    expect(user.requests.filter((address) => /uis_/.test(address))).toEqual([]);
  });
});
