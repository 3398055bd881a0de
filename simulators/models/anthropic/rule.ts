/** What a rule about a conversation is made of. */
import type { Message } from './content.ts';
import type { ApiVersion } from './protocol.ts';
import type { AnyRequest } from './request.ts';

/** Says in the API's words how a request breaks the rule. */
export type Rule = (request: AnyRequest, version: ApiVersion) => string | undefined;

/** The first complaint about a message, with its number. */
export function firstComplaint(
  messages: readonly Message[],
  complaint: (message: Message, index: number) => string | undefined,
): string | undefined {
  for (const [index, message] of messages.entries()) {
    const found = complaint(message, index);
    if (found !== undefined) return found;
  }
  return undefined;
}
