/**
 * The upstream of the comparisons: answers at once or after a pause, never computes, and counts its calls, so that a
 * contestant that did not ask it is found out. The model's name says what to answer.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { completeResponse, EMBEDDING, eventsOf } from './answers.ts';
import { answerNamed } from './model-name.ts';

/** Longer than contestants keep idle connections, so that no call meets one that is just closing. */
const KEEP_ALIVE_MS = 120_000;

export function createUpstreamServer(): Server {
  let calls = 0;
  const server = createServer((request, response) => {
    if (request.url === '/calls') {
      response.end(JSON.stringify({ calls }));
      return;
    }
    calls += 1;
    respond(request, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  return server;
}

/** Answers are made once: the events of a stream, or a whole answer. */
const answers = new Map<string, readonly Buffer[]>();

function answerOf(name: string, make: () => readonly Buffer[]): readonly Buffer[] {
  const answer = answers.get(name) ?? make();
  answers.set(name, answer);
  return answer;
}

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { model, stream } = JSON.parse(await text(request)) as { model: string; stream?: boolean };
  const { chunks, pauseMs, everyMs, isOneWrite } = answerNamed(model);
  const protocol = request.url?.endsWith('/messages') ? 'anthropic' : 'openai';
  if (pauseMs > 0) await sleep(pauseMs);
  if (!stream) {
    const [body] = request.url?.endsWith('/embeddings')
      ? [EMBEDDING]
      : answerOf(`whole ${chunks}`, () => [completeResponse(chunks)]);
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body?.length });
    response.end(body);
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  if (isOneWrite) {
    response.end(
      answerOf(`${protocol} ${chunks} in one`, () => [Buffer.concat(eventsOf(protocol, chunks))])[0],
    );
    return;
  }
  for (const [at, event] of answerOf(`${protocol} ${chunks}`, () => eventsOf(protocol, chunks)).entries()) {
    // One write an event, as providers do; a contestant that is slower than this is waited for.
    if (!response.write(event)) await new Promise((resolve) => response.once('drain', resolve));
    if (response.destroyed) return;
    if (everyMs > 0 && at > 0) await sleep(everyMs);
  }
  response.end();
}
