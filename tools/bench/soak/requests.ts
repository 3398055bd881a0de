/** The requests of a call, and their expected ends. */
import type { SoakService } from './service.ts';

export interface Surroundings {
  readonly service: SoakService;
  /** Takes the events of webhooks. */
  readonly receiverUrl: string;
  /** Counts the calls of this kind. */
  readonly turn: number;
}

interface SentCall {
  readonly method?: string;
  readonly credential?: string;
  readonly body?: object | string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export function send({ service }: Surroundings, path: string, { credential, body, ...init }: SentCall = {}) {
  const isForm = body instanceof FormData;
  return fetch(`${service.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    ...init,
    headers: {
      ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
      ...(credential === undefined ? {} : { authorization: `Bearer ${credential}` }),
      ...init.headers,
    },
    ...(body === undefined ? {} : { body: isForm || typeof body === 'string' ? body : JSON.stringify(body) }),
  });
}

/** Makes a call, reads its response to the end, and returns that; throws for any other status. */
export async function expectStatus(
  statuses: number | readonly number[],
  surroundings: Surroundings,
  path: string,
  call?: SentCall,
): Promise<string> {
  const response = await send(surroundings, path, call);
  const text = await response.text();
  if (![statuses].flat().includes(response.status))
    throw new Error(`${call?.method ?? ''} ${path}: ${response.status} ${text.slice(0, 300)}`);
  return text;
}
