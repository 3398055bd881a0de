/** Names of fields in public lists of prices that are no words of this project. */

/** models.dev: what a model takes and gives: text, image, audio, video, pdf. */
export const KINDS_OF_CONTENT = 'modalities';
