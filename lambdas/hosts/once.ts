/** What the handlers of one process have in common: a function has one handler, the shared host those of many routes. */

/** Makes it once for each environment; tests give a process another one. */
export function oncePerEnvironment<T>(
  make: (environment: Readonly<Record<string, string | undefined>>) => T,
): () => T {
  const made = new WeakMap<object, T>();
  return () => {
    const { env } = process;
    const known = made.get(env);
    if (known !== undefined) return known;
    const fresh = make(env);
    made.set(env, fresh);
    return fresh;
  };
}
