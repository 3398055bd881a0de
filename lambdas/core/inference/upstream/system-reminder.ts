/** A system text as a user's message has it, where a route takes none amid the conversation. */
export const systemReminder = (text: string): string => `<system-reminder>\n${text}\n</system-reminder>`;
