/** What callers must not do, see or send, on one service. */
import './boundaries/errors.ts';
import './boundaries/long-prompts.ts';
import './boundaries/bad-input.ts';
import './boundaries/body-sizes.ts';
