/** The tests of the actions, data and requests that callers must not have, all on one service. */
import './boundaries/errors.ts';
import './boundaries/long-prompts.ts';
import './boundaries/bad-input.ts';
import './boundaries/body-sizes.ts';
