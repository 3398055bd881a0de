/** The length of a recording by its own headers, through music-metadata. */
import { parseBlob } from 'music-metadata';
import type { MeasureAudio } from '../core/inference/transcriptions/ports.ts';

/** Reads the file's headers and never the whole file; what they do not say stays unknown. */
export const measureAudio: MeasureAudio = async (content, mimeType) => {
  try {
    const typed = new Blob([content], { type: mimeType });
    const { format } = await parseBlob(typed, { duration: false, skipCovers: true });
    const { duration } = format;
    return duration !== undefined && Number.isFinite(duration) && duration > 0 ? duration : undefined;
  } catch {
    return undefined;
  }
};
