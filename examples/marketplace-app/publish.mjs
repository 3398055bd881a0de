/** Puts an app on the market: subscribes to its events, lists it with a price, and releases a version. */
import { existsSync, writeFileSync } from 'node:fs';

const { PLATFORM_URL, SESSION_TOKEN, RECEIVER_URL, SECRET_FILE = 'webhook-secret' } = process.env;
if (!PLATFORM_URL || !SESSION_TOKEN || !RECEIVER_URL) {
  console.error(
    'Set PLATFORM_URL to the address of the platform, SESSION_TOKEN to the access_token of your sign-in, and RECEIVER_URL to the address of sell.mjs.',
  );
  process.exit(1);
}

/** Sends a request as the publisher. Throws if the response is an error. */
async function call(method, path, body, headers = {}) {
  const response = await fetch(`${PLATFORM_URL}${path}`, {
    method,
    headers: { authorization: `Bearer ${SESSION_TOKEN}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const json = await response.json();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${json.error.message}`);
  return { json, etag: response.headers.get('etag') };
}

/** Subscribes once. The secret is shown only now, so it goes into a file that nobody else can read. */
async function subscribe() {
  if (existsSync(SECRET_FILE)) return;
  const events = ['listing.installed', 'purchase.completed', 'release.created', 'review.created'];
  const { json } = await call('POST', '/api/v1/webhooks', { url: RECEIVER_URL, events });
  writeFileSync(SECRET_FILE, json.secret, { mode: 0o600, flag: 'wx' });
  console.log(`Subscribed as ${json.id}; its secret is in ${SECRET_FILE}.`);
}

/** Lists the app. The slug is unique, so a repetition of this call fails with 409 instead of listing it twice. */
async function list() {
  const listing = {
    name: 'Quiet Notes',
    slug: 'quiet-notes',
    summary: 'Notes that sort themselves.',
    category: 'productivity',
    tags: ['notes'],
    version: '1.0.0',
    price: { amount: 199, currency: 'USD' }, // In cents.
    url: 'https://example.com/quiet-notes',
  };
  const { json, etag } = await call('POST', '/apps', listing);
  console.log(`Listed ${json.id} for ${json.price.amount / 100} ${json.price.currency}.`);
  return { id: json.id, etag };
}

async function main() {
  await subscribe();
  const { id, etag } = await list();
  // If-Match: the change fails with 409 if somebody else has changed the listing in the meantime.
  await call('PUT', `/apps/${id}`, { tags: ['notes', 'offline'] }, { 'if-match': etag });
  const { json } = await call('POST', `/apps/${id}/releases`, { version: '1.1.0', notes: 'Works offline.' });
  console.log(`Released ${json.version}.`);
}

await main().catch((failure) => {
  console.error(failure.message);
  process.exitCode = 1;
});
