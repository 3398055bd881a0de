/** Names that chat completions and Responses share (OpenAI API reference). */

/** The roles of messages that instruct the model; the second is the newer name. */
export const SYSTEM_ROLES = ['system', 'developer'] as const;

/** Why the id of an uploaded file is refused. */
export const FILE_KEPT_NOWHERE = 'names a file, and this service keeps none: send its URL or its bytes';

/** Choices of a tool that name none. */
export const PLAIN_TOOL_CHOICES = ['none', 'auto', 'required'] as const;
