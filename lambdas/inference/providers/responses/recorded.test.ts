import { describeRecordings } from '../../testing/providers/recordings/replay.ts';

describeRecordings('openai-responses');
