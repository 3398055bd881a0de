import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Locator } from 'playwright-core';
import Stripe from 'stripe';
import { zip } from '../../lambdas/marketplace/testing/archives.ts';
import { EICAR } from '../../lambdas/marketplace/testing/hostile-archives.ts';
import { until } from '../../tools/test-kit/waiting.ts';
import { Service } from '../system/service.ts';
import { openBrowser } from './chromium.ts';
import { ConsoleUser } from './console-user.ts';

/** Amounts in nano-USD by the names of the lines. */
type ShownLines = Readonly<Record<string, bigint>>;

/** `$1,234.5` or `-$0.01` as nano-USD. */
function nano(text: string): bigint {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)\$([\d,]+)\.(\d+)$/.exec(text.trim()) ?? [];
  const amount = BigInt(whole.replaceAll(',', '') + fraction.padEnd(9, '0'));
  return sign === '-' ? -amount : amount;
}

const service = new Service({ MATURITY_SECONDS: '1' });
let browser: Browser;

beforeAll(async () => {
  await service.start();
  browser = await openBrowser();
});

afterAll(async () => {
  await browser?.close();
  await service.dispose();
});

async function signIn(email: string): Promise<ConsoleUser> {
  const user = await ConsoleUser.open(browser, service);
  await user.signIn(email);
  return user;
}

/** A request in the session of the page. */
async function send(user: ConsoleUser, path: string, body?: object, method = 'POST') {
  const text = await user.page.evaluate(
    async ([url, json, verb]) => {
      const init = {
        method: json === undefined ? 'GET' : (verb as string),
        headers: { 'x-requested-with': 'console', 'content-type': 'application/json' },
        ...(json === undefined ? {} : { body: json }),
      };
      const response = await fetch(url as string, init);
      return response.text();
    },
    [path, body === undefined ? undefined : JSON.stringify(body), method] as const,
  );
  const json = JSON.parse(text);
  if (json.error !== undefined) throw new Error(text);
  return json;
}

/** Drops a file of this machine on a field, as a person does. */
async function dropFile(user: ConsoleUser, label: string, name: string, content: Buffer): Promise<void> {
  const file = join(service.directory, name);
  await writeFile(file, content);
  const field = user.page.getByLabel(label);
  await field.scrollIntoViewIfNeeded();
  const { x, y, width, height } = (await field.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  const browserSession = await user.context.newCDPSession(user.page);
  const data = { items: [], files: [file], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await browserSession.send('Input.dispatchDragEvent', {
      type,
      data,
      x: x + width / 2,
      y: y + height / 2,
    });
}

async function topUp(user: ConsoleUser, amount: number) {
  const order = await send(user, '/api/create-order', { amount });
  await fetch(order.checkout_url, { method: 'POST', redirect: 'manual' });
  return order;
}

describe('the statements of the console', () => {
  let buyer: ConsoleUser;
  let seller: ConsoleUser;

  beforeAll(async () => {
    [buyer, seller] = [
      await signIn('statement-buyer@example.com'),
      await signIn('statement-seller@example.com'),
    ];
  });

  const accountOf = async (user: ConsoleUser): Promise<string> => (await send(user, '/api/v1/auth/me')).id;

  /** Returns the lines of a statement on the current page; undefined if the page has no such statement. */
  async function linesOf(user: ConsoleUser, name: RegExp): Promise<ShownLines | undefined> {
    const panel = user.page.getByRole('region', { name });
    if ((await panel.count()) === 0) return undefined;
    const cells = await panel.locator('tbody td, tfoot td').allInnerTexts();
    const rows = cells.flatMap((cell, index) =>
      index % 2 === 0 ? [[cell, nano(cells[index + 1] ?? '')]] : [],
    );
    return Object.fromEntries(rows) as ShownLines;
  }

  /** Fails unless the page adds up; returns the lines between opening and closing balance. */
  function added(lines: ShownLines): ShownLines {
    const { 'Opening balance': opening = 0n, 'Closing balance': closing, ...between } = lines;
    expect(opening).toBe(0n);
    expect(Object.values(between).reduce((sum, amount) => sum + amount, opening)).toBe(closing);
    return between;
  }

  /** Reads both pages of a user until they show these lines of credit; checks that each adds up to the balance. */
  async function expectLines(user: ConsoleUser, names: readonly string[]): Promise<void> {
    for (const [path, heading] of [
      ['/billing', 'Billing'],
      ['/', 'Home'],
    ] as const) {
      await user.page.reload();
      await user.go(path, heading);
      await user.settled();
      const shown = await until(
        () => linesOf(user, /^Credit /),
        (lines) => lines !== undefined && names.every((name) => name in lines),
      );
      expect(Object.keys(added(shown ?? {})).sort()).toEqual([...names].sort());
      const { balance, held, owed } = await send(user, '/api/v1/credits');
      expect(shown?.['Closing balance']).toBe(BigInt(Math.round((balance + held - owed) * 1e9)));
    }
  }

  /** Fails unless Billing shows the balance that its statement ends with, also while the balance alone cannot be read. */
  async function expectOneMoment(change: () => Promise<unknown>): Promise<void> {
    const shown = () =>
      buyer.page.evaluate<readonly string[]>(
        `['[title=Balance]', '[aria-label=Balance] .money', '[aria-label^=Credit] tfoot .money']
          .map((place) => document.querySelector(place)?.textContent)`,
      );
    await buyer.go('/billing', 'Billing');
    await buyer.settled();
    const [before] = await shown();
    const isBalance = ({ pathname, search }: URL) => pathname.endsWith('/api/v1/credits') && search === '';
    await buyer.page.route(isBalance, (route) => route.abort());
    await change();
    const after = await until(shown, (amounts) => amounts[2] !== before);
    expect(after).toEqual([after[2], after[2], after[2]]);
    await buyer.page.unroute(isBalance);
  }

  it('add up on Billing and Home after each kind of movement, for a buyer and a seller', async () => {
    await expectLines(buyer, []);
    const order = await topUp(buyer, 10);
    const seen = ['Payments'];
    await expectLines(buyer, seen);

    await service.admin('credit', 'grant', '--account', await accountOf(buyer), '--amount', '5');
    seen.push('Granted credit');
    await expectLines(buyer, seen);

    const { key } = await send(buyer, '/api-keys', { name: 'statement' });
    const messages = [{ role: 'user', content: 'Say hello in five words.' }];
    expect((await service.chat({ model: 'sim/chat', messages }, { key })).status).toBe(200);
    seen.push('Usage');
    await expectLines(buyer, seen);

    const price = { amount: 150, currency: 'USD' };
    const fields = { name: 'Sea stories', summary: 'Stories.', category: 'reading', price };
    const { id } = await send(seller, '/apps', fields);
    const { id: charge } = await send(buyer, `/apps/${id}/purchase`, price);
    seen.push('Purchases');
    await expectLines(buyer, seen);
    await expectLines(seller, []);
    expect(added((await linesOf(seller, /^Earnings /)) ?? {})).toEqual({
      'Sales, less the fee': 1_500_000_000n,
    });

    await expectOneMoment(() => send(seller, '/api/v1/refunds', { charge, amount: 50 }));
    seen.push('Refunds of purchases');
    await expectLines(buyer, seen);
    await buyer.go('/billing', 'Billing');
    const charges = buyer.page.getByRole('region', { name: 'Purchases and subscriptions' });
    for (const [type, amount] of [
      ['Refund', '$0.50'],
      ['Purchase', '-$1.50'],
    ] as const) {
      const row = charges.getByRole('row').filter({ has: buyer.page.getByText(type, { exact: true }) });
      await row.getByRole('link', { name: 'Sea stories' }).waitFor();
      expect(await row.locator('.money').innerText()).toBe(amount);
    }
    await buyer.take('billing-purchases');

    await until(
      async () => {
        await service.admin('market', 'run');
        return send(seller, '/api/v1/earnings');
      },
      ({ available }) => available === 1,
    );
    await send(seller, '/api/v1/earnings/transfer', { amount: '0.4' });
    await expectLines(seller, ['Earnings that became credit']);
    const earnings = added((await linesOf(seller, /^Earnings this/)) ?? {});
    expect(earnings).toEqual({
      'Sales, less the fee': 1_500_000_000n,
      'Refunds to buyers': -500_000_000n,
      'Became credit': -400_000_000n,
    });

    const url = new URL(order.checkout_url);
    const stripe = new Stripe('sk_test', { host: url.hostname, port: url.port, protocol: 'http' });
    const session = await stripe.checkout.sessions.retrieve(url.pathname.split('/').at(-1) ?? '');
    await stripe.refunds.create({ payment_intent: String(session.payment_intent), amount: 300 });
    seen.push('Refunds and disputes of payments');
    await expectLines(buyer, seen);
  });

  it('continue from one span to the next, without a finding of axe in either theme and at 360 pixels', async () => {
    await seller.go('/billing', 'Billing');
    await seller.page.getByLabel('From (UTC)').fill('2020-01-01');
    await seller.page.getByLabel('To (UTC)').fill('2020-12-31');
    const nothing = { 'Opening balance': 0n, 'Closing balance': 0n };
    await until(
      () => linesOf(seller, /^Credit /),
      (lines) => lines !== undefined && Object.keys(lines).length === 2,
    );
    expect(await linesOf(seller, /^Credit /)).toEqual(nothing);
    await seller.page.getByLabel('To (UTC)').fill('2019-12-31');
    await seller.page.getByText('Choose a first day and a last day').waitFor();
    await seller.page.getByLabel('To (UTC)').fill('2099-12-31');
    await seller.page.getByText('Earnings that became credit').waitFor();
    await seller.take('statements');
    expect(seller.faults).toEqual([]);
    expect([...buyer.complaints, ...seller.complaints]).toEqual([]);
  });
});

const PLANS = [
  { id: 'basic', name: 'Basic', interval: 'month', amount: 400, currency: 'USD', trial_days: 0 },
  { id: 'trial', name: 'Trial', interval: 'year', amount: 4_000, currency: 'USD', trial_days: 14 },
];

describe('the market of the console', () => {
  let buyer: ConsoleUser;
  let seller: ConsoleUser;
  let listing: string;

  beforeAll(async () => {
    [buyer, seller] = [await signIn('market-buyer@example.com'), await signIn('market-seller@example.com')];
    const fields = { name: 'Tide tables', summary: 'Tides.', category: 'reading', plans: PLANS };
    ({ id: listing } = await send(seller, '/apps', fields));
    await topUp(buyer, 60);
  });

  const openListing = (user: ConsoleUser) => user.go(`/market/apps/${listing}`, 'Tide tables');
  const button = ({ page }: ConsoleUser, name: string): Locator =>
    page.getByRole('button', { name, exact: true });
  /** Opens a dialog, returns its text, and confirms it. */
  async function confirm(user: ConsoleUser, name: string, screenshot?: string): Promise<string> {
    await button(user, name).click();
    const dialog = user.page.getByRole('dialog');
    await dialog.getByRole('button', { name, exact: true }).waitFor();
    const text = await dialog.innerText();
    if (screenshot !== undefined) await user.take(screenshot);
    await dialog.getByRole('button', { name, exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    return text;
  }
  const subscriptionOf = async (user: ConsoleUser) => {
    const { data } = await send(user, `/api/v1/subscriptions?listing_id=${listing}`);
    return send(user, `/api/v1/subscriptions/${data[0]?.id}`);
  };

  it('lets the owner edit the plans of a listing', async () => {
    await openListing(seller);
    await button(seller, 'Edit the plans').click();
    await button(seller, 'Add a plan').click();
    const plan = seller.page.getByRole('group', { name: 'Plan 3' });
    await plan.getByLabel('Name').fill('Pro & more');
    await plan.getByLabel('Price, USD').fill('9');
    await seller.take('listing-plan-editor');
    await button(seller, 'Save the plans').click();
    await seller.page.getByText('Pro & more').waitFor();
    const pro = { ...PLANS[0], id: 'pro-more', name: 'Pro & more', amount: 900 };
    expect((await send(seller, `/apps/${listing}`)).plans).toEqual([...PLANS, pro]);
  });

  it('publishes a listing with its plans, so that it is free at no time', async () => {
    await seller.go('/market', 'Market');
    await button(seller, 'Publish a listing').click();
    const dialog = seller.page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Star charts');
    await dialog.getByLabel('Summary').fill('Stars.');
    await dialog.getByLabel('Category').fill('reading');
    await button(seller, 'Add a plan').click();
    const plan = dialog.getByRole('group', { name: 'Plan 1' });
    await plan.getByLabel('Name').fill('Basic');
    await plan.getByLabel('Price, USD').fill('4');
    await seller.take('listing-form');
    await button(seller, 'Publish').click();
    await seller.page.getByRole('heading', { name: 'Star charts', level: 1 }).waitFor();
    const id = seller.page.url().split('/').at(-1);
    expect(await send(seller, `/apps/${id}`)).toMatchObject({ price: null, plans: [PLANS[0]] });
  });

  it('states the amount of a subscription, of its change and of its next charge before it is agreed to', async () => {
    await openListing(buyer);
    await button(buyer, 'Subscribe to Trial').waitFor();
    await buyer.page.getByText('14-day free trial').waitFor();
    await buyer.page.getByText('Days are in your time zone').waitFor();
    await buyer.settled();
    expect(await buyer.page.getByRole('button', { name: /^(Buy|Install)/ }).count()).toBe(0);
    await button(buyer, 'Subscribe to Trial').click();
    await buyer.page.getByText('Nothing is charged now. $40.00 is charged').waitFor();
    await button(buyer, 'Cancel').click();
    const text = await confirm(buyer, 'Subscribe to Basic', 'listing-subscribe');
    expect(text).toMatch(/\$4\.00 is charged from your balance now\. The next charge of \$4\.00 is on \w+/);
    expect(text).toContain('Balance now: $60.00, then: $56.00.');
    await buyer.page.getByText('Next charge: $4.00').waitFor();
    expect(await buyer.page.getByText('14-day free trial').count()).toBe(0);
    expect(await subscriptionOf(buyer)).toMatchObject({ status: 'active', plan: 'basic' });
    await button(buyer, 'Install').waitFor();

    await send(seller, `/apps/${listing}`, { price: { amount: 250, currency: 'USD' } }, 'PUT');
    await buyer.page.reload();
    await button(buyer, 'Buy for $2.50').click();
    const asked = (await buyer.page.getByRole('dialog').textContent()) ?? '';
    expect(asked).toMatch(/You subscribe to it already.*Balance now: \$[\d.]+, then: \$[\d.]+\./);
    await button(buyer, 'Cancel').click();
    await send(seller, `/apps/${listing}`, { price: null }, 'PUT');

    const change = await confirm(buyer, 'Change to Pro & more', 'listing-change-plan');
    const [, due = ''] = /Due now: (\$[\d.]+)/.exec(change) ?? [];
    expect(change).toMatch(/Balance now: \$56\.00, then: \$\d+\.\d\d\./);
    await buyer.page.getByText('Next charge: $9.00').waitFor();
    const { charges, plan } = await subscriptionOf(buyer);
    expect([plan, charges.length]).toEqual(['pro-more', 2]);
    expect(BigInt(charges[0].amount) * 10_000_000n).toBe(nano(due));

    expect(await confirm(buyer, 'Change to Basic')).toMatch(
      /Nothing is due now. From .* on, \$4\.00 is charged/,
    );
    await buyer.page.getByText('Next charge: $4.00').waitFor();
    expect(await confirm(buyer, 'Cancel subscription')).toMatch(
      /nothing more is charged\.\s+Keep subscription/,
    );
    await buyer.page.getByText(/Ends on \w+/).waitFor();
    expect(await subscriptionOf(buyer)).toMatchObject({ cancel_at_period_end: true });
    expect(await buyer.page.getByText('from the next charge').count()).toBe(0);
    await buyer.take('listing-subscribed');

    await send(seller, `/apps/${listing}`, { price: { amount: 99_900, currency: 'USD' } }, 'PUT');
    await buyer.page.reload();
    await button(buyer, 'Buy for $999.00').click();
    const dialog = buyer.page.getByRole('dialog');
    expect(await dialog.innerText()).toMatch(
      /the subscription ends on \w+[\s\S]*Balance now: \$[\d.]+\. \$9\d\d\.\d\d is missing\./,
    );
    await dialog.getByRole('link', { name: 'Add credit' }).waitFor();
    expect(await dialog.getByRole('button', { name: 'Buy for $999.00' }).isDisabled()).toBe(true);
    await buyer.take('listing-buy-missing');
    await button(buyer, 'Cancel').click();
    await send(seller, `/apps/${listing}`, { price: null }, 'PUT');
    await button(buyer, 'Change to Trial').click();
    await buyer.page.getByText('This takes your cancellation back.').waitFor();
    await button(buyer, 'Cancel').click();
    await confirm(buyer, 'Continue the subscription');
    await button(buyer, 'Cancel subscription').waitFor();
  });

  it('lists subscriptions, with the amount that is missing for a renewal', async () => {
    await buyer.page.route(
      ({ pathname }) => pathname.endsWith('/api/v1/subscriptions'),
      async (route) => {
        const response = await route.fetch();
        const { data, ...page } = await response.json();
        const late = { ...data[0], id: 'sub_late', status: 'past_due', amount: 99_900, pending_plan: null };
        await route.fulfill({ response, json: { ...page, data: [late, ...data] } });
      },
    );
    await buyer.go('/installed', 'Installed');
    await buyer.page.getByText('past due').waitFor();
    const { balance } = await send(buyer, '/api/v1/credits');
    const missing = buyer.page.getByRole('cell', { name: 'is missing.' });
    const [shown = ''] = (await missing.innerText()).match(/\$[\d.,]+/) ?? [];
    expect(nano(shown)).toBe(999_000_000_000n - BigInt(Math.round(balance * 1e9)));
    await missing.getByRole('link', { name: 'Add credit' }).waitFor();
    await buyer.page.getByRole('link', { name: 'Tide tables' }).first().waitFor();
    await buyer.take('subscriptions');
    await buyer.page.unrouteAll();
  });

  it('uploads a dropped build to a verdict, releases a clean one, and downloads the same bytes', async () => {
    await openListing(buyer);
    await buyer.page.getByText('The current release has no download').waitFor();
    await openListing(seller);
    await seller.page.getByText('Buyers receive nothing until a build is released').waitFor();
    const upload = (name: string, buffer: Buffer) =>
      seller.page.getByLabel('Archive').setInputFiles({ name, mimeType: 'application/zip', buffer });
    const rowOf = (name: string): Locator => seller.page.getByRole('row').filter({ hasText: name });
    await upload('bad.zip', zip([{ name: 'eicar.com', content: EICAR }]));
    await rowOf('bad.zip').getByText('infected').waitFor();
    expect(await rowOf('bad.zip').innerText()).toMatch(/Found: .*eicar[\s\S]*Scanned/i);
    const file = zip([{ name: 'index.js', content: Buffer.from('console.log(1);\n') }]);
    await dropFile(seller, 'Archive', 'good.zip', file);
    await rowOf('good.zip').getByText('clean').waitFor();
    const build = seller.page.getByLabel('Build', { exact: true });
    expect(await build.locator('option').count()).toBe(2);
    await upload('notes.txt', file);
    await seller.page.getByRole('alert').filter({ hasText: 'filename' }).waitFor();
    expect(await build.inputValue()).toMatch(/^build_/);
    expect(await seller.page.getByLabel('Version').inputValue()).toBe('1.0.1');
    await seller.page.getByText('Taken: 1.0.0.').waitFor();
    await seller.page.getByLabel('Version').fill('1.1.0');
    await seller.take('listing-builds');
    await button(seller, 'Publish the release').click();
    await button(seller, 'Download 1.1.0').waitFor();
    await seller.page.getByText('Buyers receive nothing').waitFor({ state: 'detached' });
    expect(await confirm(seller, 'Roll back to 1.0.0')).toContain('It has no build');
    await seller.page.getByText('Buyers receive nothing').waitFor();
    expect(await confirm(seller, 'Make 1.1.0 current')).not.toContain('It has no build');
    await seller.page.getByText('Buyers receive nothing').waitFor({ state: 'detached' });
    const current = seller.page.getByRole('listitem').filter({ hasText: 'current' });
    expect(await current.innerText()).toMatch(/^1\.1\.0/);
    await button(seller, 'Delete').click();
    await seller.page.getByRole('dialog').getByText('held for up to 90 days').waitFor();
    await button(seller, 'Cancel').click();

    // The buyer has seen the page without the release.
    await buyer.page.reload();
    await buyer.page.getByText(`sha256:${createHash('sha256').update(file).digest('hex')}`).waitFor();
    const [download] = await Promise.all([
      buyer.page.waitForEvent('download'),
      button(buyer, 'Download 1.1.0').click(),
    ]);
    expect(download.suggestedFilename()).toBe('good.zip');
    expect(await readFile(await download.path())).toEqual(file);
    await buyer.page.getByRole('heading', { name: 'Tide tables', level: 1 }).waitFor();
  });

  /** Runs the worker until the seller has another balance. */
  const runUntil = (isReached: (earnings: Readonly<Record<string, number>>) => boolean) =>
    until(async () => {
      await service.admin('market', 'run');
      return send(seller, '/api/v1/earnings');
    }, isReached);

  it('offers a listing again whose price was returned to its buyer', async () => {
    const price = { amount: 100, currency: 'USD' };
    const fields = { name: 'Maps', summary: 'Maps.', category: 'reading', price };
    const { id } = await send(seller, '/apps', fields);
    await buyer.go(`/market/apps/${id}`, 'Maps');
    await confirm(buyer, 'Buy for $1.00');
    await buyer.page.getByText('Bought and installed').waitFor();
    const { data } = await send(seller, '/api/v1/earnings/transactions');
    await send(seller, '/api/v1/refunds', { charge: data[0].charge });
    await buyer.page.reload();
    await buyer.page.getByText('Installed, not bought').waitFor();
    await buyer.take('listing-refunded');
    await buyer.go('/installed', 'Installed');
    await buyer.page.getByRole('link', { name: 'Buy Maps' }).click();
    await confirm(buyer, 'Buy for $1.00');
    await buyer.page.getByText('Bought and installed').waitFor();
  });

  it('shows sales, returns one to its buyer, and turns available earnings into credit', async () => {
    const price = { amount: 2_500, currency: 'USD' };
    const fields = { name: 'Charts', summary: 'Charts.', category: 'reading', price };
    const { id } = await send(seller, '/apps', fields);
    await seller.go('/earnings', 'Earnings');
    await seller.settled();
    const { id: charge } = await send(buyer, `/apps/${id}/purchase`, price);
    const sale = seller.page.getByRole('row').filter({ hasText: charge });
    await sale.getByRole('button', { name: 'Refund' }).click();
    const dialog = seller.page.getByRole('dialog');
    expect(await dialog.getByLabel('Amount, USD').inputValue()).toBe('25');
    expect(await dialog.innerText()).toMatch(/Charts, \$25\.00\.[\s\S]*everything ends the purchase\./);
    await dialog.getByLabel('Amount, USD').fill('5.50');
    await seller.take('earnings-refund');
    await dialog.getByRole('button', { name: 'Refund' }).click();
    await seller.page.getByText('Refunded: $5.50 of $25.00').waitFor();
    const { available } = await runUntil(({ pending }) => pending === 0);
    await seller.page.reload();
    await seller.page
      .getByTestId('available')
      .getByText(`$${Math.floor(available ?? 0)}.`)
      .waitFor();
    await sale.getByText('matured').waitFor();
    await button(seller, 'Turn into credit').click();
    await dialog.getByLabel('Amount, USD').fill('3.25');
    await dialog.getByRole('button', { name: 'Turn into credit' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await send(seller, '/api/v1/earnings')).toMatchObject({ transferred: 3.25 });
    expect(await send(seller, '/api/v1/credits')).toMatchObject({ balance: 3.25 });
    expect((await send(buyer, '/api/v1/earnings')).received).toBe(0);
  });

  it('sets up payouts at the payment provider, and pays out to the bank', async () => {
    await seller.page.getByLabel('Country').selectOption('DE');
    await seller.take('earnings-payout-setup');
    await button(seller, 'Continue at the payment provider').click();
    await button(seller, 'Leave').click();
    await seller.page.getByText('needs to know more').waitFor();
    await seller.take('earnings-payout-onboarding');
    await button(seller, 'Continue there').click();
    await button(seller, 'Finish').click();
    await seller.page.getByText('can pay you').waitFor();
    await seller.page.getByLabel('Schedule').selectOption('weekly');
    await seller.page.getByLabel('Minimum, USD').fill('50');
    await button(seller, 'Save the schedule').click();
    await until(
      () => send(seller, '/api/v1/earnings'),
      ({ payouts }) => payouts.schedule === 'weekly' && payouts.minimum === 5_000,
    );
    await button(seller, 'Pay out').click();
    const dialog = seller.page.getByRole('dialog');
    await dialog.getByLabel('Amount, USD').fill('12');
    await dialog.getByRole('button', { name: 'Pay out' }).click();
    await dialog.waitFor({ state: 'detached' });
    await button(seller, 'Cancel the payout').waitFor();
    expect(await seller.page.getByTestId('in-transit').innerText()).toBe('$12.00');
    await seller.take('earnings-payout-pending');
    await runUntil(({ paid_out: paid = 0 }) => paid === 12);
    await seller.page.reload();
    await seller.page.getByText('paid', { exact: true }).waitFor();
    expect(await seller.page.getByTestId('paid-out').innerText()).toBe('$12.00');
    await seller.take('earnings');
    let available = 9.99;
    await seller.page.route(
      ({ pathname }) => pathname.endsWith('/api/v1/earnings'),
      async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, json: { ...(await response.json()), available } });
      },
    );
    await seller.page.reload();
    await seller.page.getByText('At least $10 must be available').waitFor();
    expect(await button(seller, 'Pay out').isDisabled()).toBe(true);
    available = 0;
    await seller.page.reload();
    await seller.page.getByText('No earnings are available for a refund').first().waitFor();
    await seller.page.unrouteAll();
    expect(await service.admin('audit', '--whole')).toMatchObject({ exact: true, drift: 0 });
  });

  it('raises no error in the browser, and has no finding of axe on any page', () => {
    expect([...buyer.faults, ...seller.faults]).toEqual([]);
    expect([...buyer.complaints, ...seller.complaints]).toEqual([]);
  });
});
