import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Browser } from 'playwright-core';
import Stripe from 'stripe';
import { until } from '../../tools/test-kit/waiting.ts';
import { Service } from '../system/service.ts';
import { openBrowser } from './chromium.ts';
import { ConsoleUser, SCREENSHOTS } from './console-user.ts';

jest.setTimeout(240_000);

/** Amounts in nano-USD by the names of the lines. */
type ShownLines = Readonly<Record<string, bigint>>;

/** `$1,234.5` or `-$0.01` as nano-USD. */
function nano(text: string): bigint {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)\$([\d,]+)\.(\d+)$/.exec(text.trim()) ?? [];
  const amount = BigInt(whole.replaceAll(',', '') + fraction.padEnd(9, '0'));
  return sign === '-' ? -amount : amount;
}

describe('the statements of the console', () => {
  const service = new Service({ MATURITY_SECONDS: '1' });
  let browser: Browser;
  let buyer: ConsoleUser;
  let seller: ConsoleUser;

  beforeAll(async () => {
    await service.start();
    browser = await openBrowser();
    [buyer, seller] = [await ConsoleUser.open(browser, service), await ConsoleUser.open(browser, service)];
    await buyer.signIn('statement-buyer@example.com');
    await seller.signIn('statement-seller@example.com');
  }, 180_000);

  afterAll(async () => {
    await browser?.close();
    await service.dispose();
  }, 30_000);

  /** A request in the session of the page. */
  const send = async (user: ConsoleUser, path: string, body?: object) => {
    const text = await user.page.evaluate(
      async ([url, json]) => {
        const init = {
          method: json === undefined ? 'GET' : 'POST',
          headers: { 'x-requested-with': 'console', 'content-type': 'application/json' },
          ...(json === undefined ? {} : { body: json }),
        };
        const response = await fetch(url as string, init);
        return response.text();
      },
      [path, body === undefined ? undefined : JSON.stringify(body)] as const,
    );
    const json = JSON.parse(text);
    if (json.error !== undefined) throw new Error(text);
    return json;
  };
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

  it('add up on Billing and Home after each kind of movement, for a buyer and a seller', async () => {
    await expectLines(buyer, []);
    const order = await send(buyer, '/api/create-order', { amount: 10 });
    await fetch(order.checkout_url, { method: 'POST', redirect: 'manual' });
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

    await send(seller, '/api/v1/refunds', { charge, amount: 50 });
    seen.push('Refunds of purchases');
    await expectLines(buyer, seen);

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
    for (const [scheme, width] of [
      ['light', 1280],
      ['dark', 1280],
      ['light', 360],
    ] as const) {
      await seller.page.emulateMedia({ colorScheme: scheme });
      await seller.page.setViewportSize({ width, height: 900 });
      expect(await seller.findings()).toEqual([]);
      const path = join(SCREENSHOTS, `statements-${scheme}-${width}.png`);
      await seller.page.screenshot({ path, fullPage: true });
    }
    expect([...buyer.complaints, ...seller.complaints]).toEqual([]);
  });
});
