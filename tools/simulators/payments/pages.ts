/** The pages that a payer sees in the sandbox. */
import type { CheckoutSession } from './books.ts';

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const page = (title: string, body: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title>
<style>body{font:16px system-ui;max-width:24rem;margin:15vh auto;padding:0 1rem}button{font:inherit;padding:.6rem 1.2rem}</style>
<h1>${escapeHtml(title)}</h1>${body}</html>`;

/** The checkout: one button, and no card. */
export function checkoutPage({
  id,
  amount_total: cents,
  status,
  cancel_url: cancel,
}: CheckoutSession): string {
  const amount = `${(cents / 100).toFixed(2)} USD`;
  if (status !== 'open') return page('Nothing to pay', `<p>This checkout is ${escapeHtml(status)}.</p>`);
  const back = cancel === null ? '' : `<p><a href="${escapeHtml(cancel)}">Cancel</a></p>`;
  return page(
    `Pay ${amount}`,
    `<p>A sandbox: no money moves.</p><form method="post" action="/pay/${escapeHtml(id)}"><button>Pay ${amount}</button></form>${back}`,
  );
}
