/** Receives webhooks on PORT, and prints each event once. */
import { createReceiver } from './receiver.mjs';

const { WEBHOOK_SECRET, PORT } = process.env;
if (!WEBHOOK_SECRET || !PORT) {
  console.error(
    'Set WEBHOOK_SECRET to the secret of the webhook (whsec_...), and PORT to the port to listen on.',
  );
  process.exit(1);
}

/** The response waits for this function, and must be sent within 5 seconds: it only takes note of the event. */
function accept(event) {
  setImmediate(handle, event);
}

function handle({ id, type, data }) {
  console.log(`Received ${type} ${id}: ${JSON.stringify(data)}`);
}

const server = createReceiver(WEBHOOK_SECRET, accept);
server.listen(Number(PORT), () => console.log(`Listening on port ${server.address().port}.`));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => server.close());
