/** Every kind of call beside conversations, and the shared host, on one service. */
import './kinds/every-kind.ts';
import './kinds/embeddings.ts';
import './kinds/images.ts';
import './kinds/speech.ts';
import './kinds/polly.ts';
import './kinds/transcriptions.ts';
import './kinds/transcribe.ts';
import './kinds/uploads.ts';
import './kinds/host.ts';
import './kinds/slow-bodies.ts';
