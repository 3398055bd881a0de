/** Clients as their authors ship them, and what the specification of `POST /v1/responses` asks, on one service. */
import './ai-sdk.ts';
import './programs.ts';
import './openai-python.ts';
import './speech.ts';
import './transcription.ts';
import './first-contact.ts';
import './codex.ts';
import './claude-code.ts';
import './opencode.ts';
import './aider.ts';
import './snippets.ts';
import './pages.ts';
import './zed.ts';
import './specification.ts';

// The AI SDK prints what it thinks of calls that these tests make on purpose.
globalThis.AI_SDK_LOG_WARNINGS = false;
