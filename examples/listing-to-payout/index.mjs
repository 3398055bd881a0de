/**
 * Sells an app on a local service, from its listing to the payout: a publisher lists it and releases a scanned build, a
 * buyer subscribes, downloads and renews, and the publisher is paid. Fails unless each event arrives with a valid signature.
 */
import { openAccount, receiveEvents } from './platform.mjs';
import { buyCredit, payOut, release, subscribe } from './steps.mjs';

const PLAN = { id: 'pro', name: 'Pro', interval: 'month', amount: 1200, currency: 'USD', trial_days: 0 };

const TYPES = [
  'app.build.scanned',
  'release.created',
  'subscription.created',
  'subscription.updated',
  'subscription.canceled',
  'payout.paid',
];

async function main() {
  const [publisher, buyer] = await Promise.all([openAccount(), openAccount()]);
  const { server, event } = await receiveEvents(publisher, TYPES);
  try {
    const name = `Quiet Notes ${Date.now()}`;
    const fields = { name, summary: 'Notes that sort themselves.', category: 'productivity', plans: [PLAN] };
    const { id } = await publisher('POST', '/apps', fields);
    console.log(`Listed ${id} with the plan ${PLAN.name}, ${PLAN.amount / 100} USD a ${PLAN.interval}.`);
    await release(publisher, `/apps/${id}`, event);
    // Enough for many periods, which are seconds here.
    await buyCredit(buyer, 480);
    await subscribe(buyer, `/apps/${id}`, PLAN, event);
    await payOut(publisher, event);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

await main().catch((failure) => {
  console.error(failure.message);
  process.exitCode = 1;
});
