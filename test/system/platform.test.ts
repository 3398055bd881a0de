/** The actions of owners, publishers, visitors and operators, each function by itself, on one service. */
import './platform/provider-costs.ts';
import './platform/listings.ts';
import './platform/earnings.ts';
import './platform/subscriptions.ts';
import './platform/payouts.ts';
import './platform/builds.ts';
import './platform/examples.ts';
import './platform/smoke.ts';
import './platform/shipped-catalog.ts';
import './platform/console-session.ts';
import './platform/operator-view.ts';
import './platform/usage-exports.ts';
import './platform/isolation.ts';
// The last: it stops the service, and reads what it has left.
import './platform/accounts.ts';
