import Sequencer from '@jest/test-sequencer';

/** Starts with the tests of whole services: jest orders a new checkout by size, and the longest of all are small files. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const isSystem = ({ context }) => context.config.displayName?.name === 'system';
    return super.sort(tests).sort((a, b) => Number(isSystem(b)) - Number(isSystem(a)));
  }
}
