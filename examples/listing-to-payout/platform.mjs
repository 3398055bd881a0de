/** Accounts on the platform, and what happens there by itself or by an operator. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createReceiver } from '../webhook-receiver/receiver.mjs';

const { PLATFORM_URL, PORT = '9000', EVENT_SECONDS = '60' } = process.env;
if (!PLATFORM_URL) {
  console.error(
    'Set PLATFORM_URL to the address of the platform of a local service, which npm start prints.',
  );
  process.exit(1);
}

/** Runs a program; returns its output. */
export const run = async (program, words, encoding = 'utf8') =>
  (await promisify(execFile)(program, words, { encoding })).stdout;

/** Runs an operator's command; npm starts it with the Node.js of this repository, which may be newer than this one. */
const operate = async (...words) =>
  JSON.parse(await run('npm', ['run', '-s', 'admin', '--', ...words, '--json']));

/** Opens an account; returns a function that sends its requests, and throws if the response is an error. */
export async function openAccount() {
  const { session_token: token } = await operate('account', 'create');
  return async (method, path, body) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const init = { method, headers, body: JSON.stringify(body) };
    const response = await fetch(`${PLATFORM_URL}${path}`, init);
    const json = await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${json.error.message}`);
    return json;
  };
}

/** Processes what is due in the market, as a schedule does every five minutes. */
const runMarket = () => operate('market', 'run');

/** Returns the first value that is true. */
export async function waitFor(name, read, { isDue = false } = {}) {
  const end = Date.now() + Number(EVENT_SECONDS) * 1000;
  for (;;) {
    const value = await read();
    if (value) return value;
    if (Date.now() > end) throw new Error(`No ${name} within ${EVENT_SECONDS} seconds.`);
    if (isDue) await runMarket();
    await sleep(50);
  }
}

/** Subscribes this process to events; returns its server, and a function that waits for one. */
export async function receiveEvents(publisher, types) {
  const url = `http://127.0.0.1:${PORT}/`;
  const { id, secret } = await publisher('POST', '/api/v1/webhooks', { url, events: types });
  const events = [];
  // The receiver verifies each message, and responds with 400 to one without a valid signature.
  const server = createReceiver(secret, (event) => void events.push(event));
  await once(server.listen(Number(PORT), '127.0.0.1'), 'listening');
  console.log(`Subscribed to ${types.length} types of events as ${id}.`);
  const event = async (type, isIt, options) => {
    const find = () => events.find((each) => each.type === type && isIt(each.data));
    const { data } = await waitFor(`verified ${type}`, find, options);
    console.log(`Verified ${type}.`);
    return data;
  };
  return { server, event };
}
