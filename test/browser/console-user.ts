/** Somebody at the console, in a browser window of their own. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { Service } from '../system/service.ts';

export const SCREENSHOTS = join(import.meta.dirname, '..', '..', 'test-results');

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeFinding {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

export class ConsoleUser {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly #address: string;
  /** The errors that the browser reported. */
  readonly complaints: string[] = [];
  /** The findings of axe on the pages that were taken, and pages that do not fit. */
  readonly faults: string[] = [];
  /** Every address that was asked. */
  readonly requests: string[] = [];

  private constructor(context: BrowserContext, page: Page, address: string) {
    this.context = context;
    this.page = page;
    this.#address = address;
    page.setDefaultTimeout(120_000);
    page.on('request', (request) => this.requests.push(request.url()));
    page.on('pageerror', ({ message }) => this.complaints.push(message));
    page.on('dialog', (dialog) => {
      this.complaints.push(`a dialog of the browser: ${dialog.message()}`);
      dialog.dismiss().catch(() => {});
    });
    page.on('console', (message) => {
      // A refusal is an answer, which the page shows.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        this.complaints.push(message.text());
    });
  }

  static async open(browser: Browser, service: Service, scheme: 'light' | 'dark' = 'light') {
    const context = await browser.newContext({
      viewport: { width: 1280, height: 900 },
      colorScheme: scheme,
      locale: 'en-US',
    });
    return new ConsoleUser(context, await context.newPage(), `${service.session.platform_url}/console`);
  }

  /** Signs in at the local identity provider; ends on the page that was asked for. */
  async signIn(email: string): Promise<void> {
    await this.page.goto(this.#address);
    await this.page.getByRole('button', { name: /^Continue with/ }).click();
    await this.page.getByLabel('Email').fill(email);
    await this.page.getByRole('button', { name: 'Sign in' }).click();
    await this.page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
  }

  async go(path: string, heading: string | RegExp): Promise<void> {
    await this.page.goto(`${this.#address}#${path}`);
    await this.page.getByRole('heading', { name: heading, level: 1 }).waitFor();
  }

  /** Waits until everything that the page asked for has come. */
  async settled(): Promise<void> {
    await this.page.waitForSelector('main .waiting', { state: 'detached' });
  }

  /** Returns the findings of axe on the current page. */
  async findings(): Promise<readonly string[]> {
    // By the protocol's own evaluation: the page's policy lets no script of a test in.
    const violations = await this.page.evaluate<readonly AxeFinding[]>(
      `${AXE}; axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)`,
    );
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  }

  /**
   * Takes the page in both themes and on a small screen. Notes what axe finds, and what does not fit.
   */
  async take(name: string): Promise<void> {
    for (const [scheme, width] of [
      ['light', 1280],
      ['dark', 1280],
      ['light', 360],
      ['dark', 360],
    ] as const) {
      await this.page.emulateMedia({ colorScheme: scheme });
      await this.page.setViewportSize({ width, height: 900 });
      const size = width === 360 ? `small-${scheme}` : scheme;
      this.faults.push(...(await this.findings()).map((finding) => `${name} ${size}: ${finding}`));
      const scrollWidth = await this.page.evaluate('document.documentElement.scrollWidth');
      if (scrollWidth !== width) this.faults.push(`${name} is ${scrollWidth} wide on a screen of ${width}`);
      await this.page.screenshot({ path: join(SCREENSHOTS, `${name}-${size}.png`), fullPage: true });
    }
    await this.page.emulateMedia({ colorScheme: 'light' });
    await this.page.setViewportSize({ width: 1280, height: 900 });
  }

  /** Returns the data that the browser stores for the console and that scripts can read. */
  stored(): Promise<string> {
    return this.page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    );
  }

  close(): Promise<void> {
    return this.context.close();
  }
}
