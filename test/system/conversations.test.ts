/** Conversations over both API formats and every protocol of a route, on one service. */
import './conversations/chat.ts';
import './conversations/messages.ts';
import './conversations/matrix.ts';
import './conversations/reasoning.ts';
import './conversations/receipts.ts';
import './conversations/unpaid.ts';
