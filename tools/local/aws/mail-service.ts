/** Amazon SES, as far as the service sends mails: nothing leaves the machine. Source: Amazon SES API v2 reference, SendEmail. */
import { randomUUID } from 'node:crypto';
import { regionalArn } from '../assembly/identities.ts';
import type { AwsServiceHandler } from './endpoint.ts';
import { AwsError, parseBody, unknownCall } from './errors.ts';

interface SendEmail {
  readonly FromEmailAddress?: string;
  readonly Destination?: { readonly ToAddresses?: readonly string[] };
  readonly Content?: { readonly Simple?: { readonly Body?: { readonly Text?: { readonly Data?: string } } } };
}

/** Prints each mail on one line. */
export const createMailService =
  (log: (line: string) => void): AwsServiceHandler =>
  async ({ method, path, body, authorize }) => {
    if (method !== 'POST' || path !== '/v2/email/outbound-emails')
      throw unknownCall(`SES call ${method} ${path}`);
    const { FromEmailAddress: from = '', Destination, Content } = parseBody<SendEmail>(body);
    const [to] = Destination?.ToAddresses ?? [];
    const text = Content?.Simple?.Body?.Text?.Data;
    if (to === undefined || text === undefined)
      throw new AwsError('BadRequestException', 'Destination and Content are required.');
    authorize('ses:SendEmail', regionalArn('ses', `identity/${from}`), { 'ses:FromAddress': from });
    log(`mail from ${from} to ${to}: ${text.replaceAll('\n', ' ').trim()}`);
    return { MessageId: randomUUID() };
  };
