/** Sells the app: receives the events of its listing on PORT, and gives each buyer a license once. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createReceiver } from '../webhook-receiver/receiver.mjs';

const { PORT, SECRET_FILE = 'webhook-secret' } = process.env;
if (!PORT) {
  console.error('Set PORT to the port to listen on, and run publish.mjs first, which writes SECRET_FILE.');
  process.exit(1);
}

/** Licenses by listing and buyer. In production, a table: this memory ends with the process. */
const licenses = new Map();

const HANDLERS = {
  'purchase.completed': ({ listing_id, buyer_id, amount, currency }) => {
    const buyer = `${listing_id} ${buyer_id}`;
    if (!licenses.has(buyer)) licenses.set(buyer, randomUUID());
    console.log(`Sold ${listing_id} to ${buyer_id} for ${amount / 100} ${currency}.`);
  },
  'listing.installed': ({ account_id }) => console.log(`Installed by ${account_id}.`),
  'release.created': ({ version }) => console.log(`Version ${version} is out.`),
  'review.created': ({ rating }) => console.log(`Reviewed with ${rating} of 5.`),
};

/** A test event reports no sale, and a type without a handler is acknowledged. */
function accept({ type, data }) {
  if (data.test) console.log(`A test of ${type}.`);
  else HANDLERS[type]?.(data);
}

const server = createReceiver(readFileSync(SECRET_FILE, 'utf8').trim(), accept);
server.listen(Number(PORT), () => console.log(`Listening on port ${server.address().port}.`));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => server.close());
