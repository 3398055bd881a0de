/** The kinds of call beside conversations, on one service. */
import './kinds/embeddings.ts';
import './kinds/images.ts';
import './kinds/speech.ts';
import './kinds/transcriptions.ts';
