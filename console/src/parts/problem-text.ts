/** The text of an error, in the words of the form that it is about. */

/** The labels of a form's fields, by their names in the API. */
export type FieldLabels = Readonly<Record<string, string>>;

interface NamedProblem {
  readonly message: string;
  /** The field that the service names, as `policy.daily_usd`; only its own errors have it. */
  readonly param?: string | null;
}

/** Returns the message of the service; a field that it begins with is named as its form names it. */
export function problemText({ message, param }: NamedProblem, labels: FieldLabels): string {
  if (param == null || !message.startsWith(param)) return message;
  const label = Object.hasOwn(labels, param) ? labels[param] : undefined;
  return label === undefined ? message : label + message.slice(param.length);
}
