/** Loaded before `up`: a request to the hostname of an API in AWS goes to the emulator that has this API. */
const emulator = process.env.AWS_ENDPOINT_URL ?? '';
const send = globalThis.fetch;

/** `https://<id>.execute-api.<region>.amazonaws.com/<path>`, as the emulator serves it. */
export const emulatedAddress = (url: string, at: string): string =>
  url.replace(/^https:\/\/(\w+)\.execute-api\.[\w-]+\.amazonaws\.com/, `${at}/_aws/execute-api/$1`);

globalThis.fetch = async (input, init) => {
  const url = typeof input === 'string' || input instanceof URL ? String(input) : input.url;
  return send(emulatedAddress(url, emulator), init);
};
