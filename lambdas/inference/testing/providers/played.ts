/** Whole calls: a vendor's answer through a provider and a format, read by the caller's SDK. */
import type { ChatProtocol } from '../../core/catalog/route-document.ts';
import { type FormatName, type ReceivedResponse, receive, receiveFailure } from '../completions/received.ts';
import { formatCases, serve } from '../completions/served-call.ts';
import { framesOf, type WireEvent } from './bedrock/frames.ts';
import { wire } from './streams.ts';

export type RouteProtocol = ChatProtocol;

export const ROUTES = ['openai', 'openai-responses', 'anthropic', 'bedrock', 'gemini'] as const;

/** An answer of a vendor: a whole body, or the data of its events. */
export type Wire = { readonly body: unknown } | { readonly events: readonly unknown[] };

export interface PlayedCall {
  readonly caller: FormatName;
  readonly route: RouteProtocol;
  /** Fields of the caller's request. */
  readonly request?: object;
}

function upstreamOf(route: RouteProtocol, answer: Wire) {
  if ('body' in answer)
    return { contentType: 'application/json', reads: [Buffer.from(JSON.stringify(answer.body))] };
  return route === 'bedrock'
    ? {
        contentType: 'application/vnd.amazon.eventstream',
        reads: [framesOf(answer.events as readonly WireEvent[])],
      }
    : { contentType: 'text/event-stream', reads: [wire(...answer.events)] };
}

/** The errors of a call whose route failed, and for which another route may be tried. */
const ROUTE_FAILED =
  /^ServiceError: (No route of this model could serve|The route that served this call failed)/;

/** Returns the response that the caller receives. Undefined if the call fails; the SDK of a stream reports it. */
export async function play(
  { caller, route, request }: PlayedCall,
  answer: Wire,
): Promise<ReceivedResponse | undefined> {
  const isStream = 'events' in answer;
  const { format, body } = formatCases(isStream)[caller];
  const upstream = { protocol: route, ...upstreamOf(route, answer) };
  const { text, failure } = await serve({ format, body: { ...body, ...request } }, upstream);
  if (failure === undefined) return receive(caller, text, isStream);
  if (!ROUTE_FAILED.test(failure)) throw new Error(failure);
  if (isStream && !(await receiveFailure(caller, text)))
    throw new Error(`the caller sees no failure: ${text}`);
  return undefined;
}
