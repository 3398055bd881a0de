/** The shipped models of Amazon Polly and Amazon Transcribe, if the region of the stage has them. */
import * as z from 'zod';
import type { JsonObject } from '../../../lambdas/platform/core/json/lossless-json.ts';
import type { RouteAccess } from '../../calls/route-access.ts';
import { readSigned } from './control-plane.ts';
import type { ShippedModel } from './prices.ts';

/** Polly has about 100 voices, and a page some of them. */
const MAX_PAGES = 50;

/** Amazon Polly API reference, DescribeVoices. */
const voicePage = z.object({
  Voices: z.array(z.object({ Id: z.string() })),
  NextToken: z.string().nullish(),
});

interface AudioModels {
  readonly models: readonly ShippedModel[];
  readonly leftOut: readonly { readonly model: string; readonly reason: string }[];
}

/** Returns the models that the region serves, with its voices, and the others with the reason. */
export async function readAudioModels(
  routes: RouteAccess,
  shipped: readonly ShippedModel[],
): Promise<AudioModels> {
  const region = await routes.region();
  const models: ShippedModel[] = [];
  const leftOut: { model: string; reason: string }[] = [];
  for (const model of shipped) {
    try {
      const [route] = model.routes;
      if (route?.protocol === 'polly') models.push(await withVoices(routes, model, region));
      if (route?.protocol === 'transcribe') {
        await requireTranscribe(routes);
        models.push(model);
      }
    } catch (failure) {
      leftOut.push({ model: model.id, reason: (failure as Error).message });
    }
  }
  return { models, leftOut };
}

async function withVoices(routes: RouteAccess, model: ShippedModel, region: string): Promise<ShippedModel> {
  const engine = model.routes[0]?.upstream_model ?? '';
  const ids = new Set<string>();
  let token = '';
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const path = `/v1/voices?Engine=${engine}${token}`;
    const read = voicePage.parse(await readSigned(routes, { path, region, service: 'polly' }));
    for (const { Id } of read.Voices) ids.add(Id);
    if (read.NextToken === undefined || read.NextToken === null) break;
    token = `&NextToken=${encodeURIComponent(read.NextToken)}`;
  }
  if (ids.size === 0) throw new Error(`Polly has no ${engine} voice in ${region}`);
  const namesOf = ({ voice_names: names = {} }: JsonObject) =>
    Object.entries(names as Record<string, string>).filter(([, voice]) => ids.has(voice));
  const voices = [...new Set(model.routes.flatMap((route) => namesOf(route).map(([name]) => name))), ...ids];
  const { default_voice: usual, ...fields } = model;
  return {
    ...fields,
    voices,
    default_voice: voices.includes(String(usual)) ? usual : voices[0],
    routes: model.routes.map((route) => ({ ...route, voice_names: Object.fromEntries(namesOf(route)) })),
  };
}

/** Throws if the service does not answer in the region (Amazon Transcribe API reference, ListTranscriptionJobs). */
export const requireTranscribe = async (routes: RouteAccess): Promise<unknown> =>
  readSigned(routes, {
    path: '/',
    region: await routes.region(),
    service: 'transcribe',
    target: 'Transcribe.ListTranscriptionJobs',
    body: '{"MaxResults":1}',
  });
