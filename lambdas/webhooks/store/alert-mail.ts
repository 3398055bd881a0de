/**
 * Mails an alert of money to the address of its account, through Amazon SES: the amount, the threshold and a link.
 *
 * SES assembles the headers from the parts of the request (Amazon SES API v2 reference, SendEmail, `Simple`). Recipient and
 * sender are single addresses, and the name of the service has no control characters.
 */
import { SignatureV4 } from '@smithy/signature-v4';
import * as z from 'zod';
import { readAccount } from '../../access/store/accounts/account-item.ts';
import type { DynamoClients } from '../../platform/aws/clients.ts';
import { domainOf } from '../../platform/aws/json-service.ts';
import { requireVariable, VARIABLES } from '../../platform/contract/environment.ts';
import { requireTable } from '../../platform/contract/tables.ts';
import { formatUsd, parseUsd } from '../../platform/core/money.ts';
import type { Log } from '../../platform/core/ports.ts';
import type { PlatformEvent } from '../core/event.ts';

const REQUEST_MS = 5_000;

const PATH = '/v2/email/outbound-emails';

const SUBJECTS: Readonly<Partial<Record<PlatformEvent['type'], string>>> = {
  'balance.low': 'your credit is low',
  'credit.exhausted': 'your credit does not cover your calls',
};

const dataSchema = z.object({
  balance: z.number(),
  threshold: z.enum(['balance_low_usd', 'balance_low_days']).optional(),
  value: z.number().default(0),
});

interface AlertMailOptions {
  readonly clients: Pick<DynamoClients, 'client'>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: Pick<Log, 'warn'>;
  readonly onRejected: () => void;
}

const usd = (amount: number) => `${formatUsd(parseUsd(amount) ?? 0n)} USD`;

function textOf(
  subject: string,
  { balance, threshold, value }: z.infer<typeof dataSchema>,
  link: string,
): string {
  const limit = threshold === 'balance_low_usd' ? usd(value) : `the cost of ${value} days at the recent pace`;
  const facts = `Balance: ${usd(balance)}\n${threshold === undefined ? '' : `Threshold: ${limit}\n`}`;
  return `${subject}.\n${facts}\n${link}\n`;
}

/**
 * Returns the sender, which does nothing for other events and for accounts without an address; undefined where the operator
 * has no mails sent. It throws if SES may take the mail later; what SES rejects for good is counted. A mail may arrive twice.
 */
export function createAlertMail({ clients: { client }, environment, log, onRejected }: AlertMailOptions) {
  const from = environment[VARIABLES.alertMail];
  if (from === undefined) return undefined;
  const service = requireVariable(environment, VARIABLES.serviceName);
  const link = new URL(requireVariable(environment, VARIABLES.paymentReturnUrl));
  link.hash = '#/billing';
  const accounts = requireTable(environment, 'accounts');
  const { region, credentials, sha256 } = client.config;
  const signer = new SignatureV4({ service: 'ses', region, credentials, sha256 });

  async function send(body: string): Promise<Response> {
    const base =
      environment.AWS_ENDPOINT_URL ?? `https://email.${await region()}.${domainOf(await region())}`;
    const url = new URL(PATH, base);
    const { protocol, hostname, host } = url;
    const request = { method: 'POST', protocol, hostname, path: PATH, body };
    const headers = { host, 'content-type': 'application/json' };
    const signed = await signer.sign({ ...request, headers });
    const signal = AbortSignal.timeout(REQUEST_MS);
    return fetch(url, { method: 'POST', headers: signed.headers, body, signal });
  }

  return async ({ accountId, type, data }: PlatformEvent): Promise<void> => {
    const subject = SUBJECTS[type];
    const parsed = dataSchema.safeParse(data);
    if (subject === undefined || !parsed.success) return;
    const address = z.email().safeParse((await readAccount(client, accounts, accountId))?.email);
    if (!address.success) return;
    const title = `${service}: ${subject}`;
    const Content = {
      Simple: { Subject: { Data: title }, Body: { Text: { Data: textOf(title, parsed.data, link.href) } } },
    };
    const mail = { FromEmailAddress: from, Destination: { ToAddresses: [address.data] }, Content };
    const { ok, status, headers, body } = await send(JSON.stringify(mail));
    await body?.cancel();
    if (ok) return;
    if (status === 429 || status >= 500) throw new Error(`SES answered ${status}`);
    onRejected();
    const name = headers.get('x-amzn-errortype')?.slice(0, 64);
    log.warn('a mail was rejected', { accountId, status, name });
  };
}
