/** The name of the topic of critical alarms, for the stack that creates it and the command that reads its recipients. */
export const alarmTopicName = (stage: string): string => `${stage}-alarms`;
