/** Conversations over every API format and every protocol of a route, on one service: what they say, cost and leave. */
import './conversations/chat.ts';
import './conversations/messages.ts';
import './conversations/matrix.ts';
import './conversations/reasoning.ts';
import './conversations/receipts.ts';
import './conversations/unpaid.ts';
import './conversations/leaving.ts';
import './conversations/another-catalog.ts';
import './conversations/discovered-models.ts';
import './conversations/traces.ts';
import './conversations/money.ts';
import './conversations/fidelity.ts';
import './conversations/idempotency.ts';
import './conversations/sybils.ts';
import './conversations/signed-media.ts';
