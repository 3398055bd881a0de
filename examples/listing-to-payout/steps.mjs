/** The steps between the listing of an app and the payout of its earnings. */
import { createHash } from 'node:crypto';
import { run, waitFor } from './platform.mjs';

/** Time has to pass first: a subscription's period, or the maturity of a sale. */
const DUE = { isDue: true };

const digestOf = (bytes) => createHash('sha256').update(bytes).digest('hex');

/** Uploads this folder as a build, and releases it once its scan has found nothing. */
export async function release(publisher, app, event) {
  const file = await run('git', ['-C', import.meta.dirname, 'archive', '--format=zip', 'HEAD'], 'buffer');
  const fields = { filename: 'quiet-notes.zip', size: file.length, sha256: digestOf(file) };
  const build = await publisher('POST', `${app}/builds`, fields);
  const { url, method, headers } = build.upload;
  const uploaded = await fetch(url, { method, headers, body: file });
  if (!uploaded.ok) throw new Error(`The upload failed: ${uploaded.status}.`);
  const { verdict, engine } = await event('app.build.scanned', (data) => data.build_id === build.id);
  if (verdict !== 'clean') throw new Error(`The build is ${verdict}.`);
  const notes = { version: '1.1.0', notes: 'Works offline.', build_id: build.id };
  const { version } = await publisher('POST', `${app}/releases`, notes);
  await event('release.created', (data) => data.version === version);
  console.log(`Released ${version} with ${file.length} bytes, scanned by ${engine.name}.`);
}

/** Pays for credit on the page of the checkout, which is simulated. */
export async function buyCredit(buyer, amount) {
  const order = await buyer('POST', '/api/create-order', { amount, currency: 'USD' });
  await fetch(order.checkout_url, { method: 'POST', redirect: 'manual' });
  await waitFor(
    'credit',
    async () => (await buyer('GET', `/api/orders/${order.order_id}`)).status === 'paid',
  );
}

/** Subscribes, downloads what this entitles to, and cancels after the first renewal. */
export async function subscribe(buyer, app, plan, event) {
  const { id } = await buyer('POST', `${app}/subscribe`, { plan: plan.id, amount: plan.amount });
  const isOf = (data) => data.subscription_id === id;
  await event('subscription.created', isOf);
  const { url, digest } = await buyer('GET', `${app}/releases/1.1.0/artifact`);
  const downloaded = `sha256:${digestOf(Buffer.from(await (await fetch(url)).arrayBuffer()))}`;
  if (downloaded !== digest) throw new Error(`The download has the digest ${downloaded}, not ${digest}.`);
  console.log(`Subscribed as ${id}, and downloaded ${digest}.`);
  await event('subscription.updated', (data) => data.charge_id === `${id}#2`, DUE);
  await buyer('PATCH', `/api/v1/subscriptions/${id}`, { cancel_at_period_end: true });
  await event('subscription.canceled', isOf, DUE);
  console.log('Renewed, and canceled.');
}

/** Pays out all earnings, once they are available and the payout account is open. */
export async function payOut(publisher, event) {
  const account = await publisher('POST', '/api/v1/payout-account', { country: 'DE' });
  // Stripe's pages are simulated: this is the button that finishes them.
  await fetch(`${account.onboarding_url}/finish`, { method: 'POST', redirect: 'manual' });
  const isReady = ({ pending, payouts }) => pending === 0 && payouts.status === 'active';
  await waitFor('earnings', async () => isReady(await publisher('GET', '/api/v1/earnings')), DUE);
  const { id, amount } = await publisher('POST', '/api/v1/payouts', {});
  await event('payout.paid', (data) => data.payout_id === id, DUE);
  console.log(`Paid out ${amount / 100} USD as ${id}.`);
}
