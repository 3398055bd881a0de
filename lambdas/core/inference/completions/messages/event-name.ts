/** Names of the events of a Messages stream. */

const EVENT_NAME = /^[a-z_]{1,64}$/;

/** Whether a route's text can be an event's name: no other text may stand outside the data of an event. */
export const isEventName = (type: unknown): type is string =>
  typeof type === 'string' && EVENT_NAME.test(type);
