import type { ServiceName } from '@cardinal/contracts';
import { api, eventually, type MetricSample, scrape, sharedStack } from '@cardinal/testkit';

/** A service and its metrics. */
interface Told {
  service: ServiceName;
  text: string;
  samples: MetricSample[];
}

interface Upload {
  url: string;
  method: string;
  headers: Record<string, string>;
}

/**
 * Has a stack do a little of everything that it measures: read, write, be refused, grant, consume, check a file, follow a
 * stream, send to a webhook.
 */
export const useStack = async (): Promise<void> => {
  const stack = await sharedStack();
  const token = await stack.token();
  const client = api(stack.baseUrl, token);
  const made = async (path: string, body: object) => (await client.post(path, { body })).body.data;
  const board = await made('/boards', { name: 'Measured' });
  const column = await made(`/boards/${board.id}/columns`, { name: 'To do' });
  const cards = await Promise.all(['one', 'two'].map((title) => made(`/columns/${column.id}/cards`, { title })));
  await client.put(`/cards/${cards[0]?.id}/dependencies/${cards[1]?.id}`);
  await client.get(`/cards/${board.id}`);
  await client.get('/nothing');
  const file = await made('/files', { name: 'note.txt' });
  const { url, method, headers } = file.upload as Upload;
  await fetch(url, { method, headers, body: 'A note' });
  const webhook = await made('/webhooks', { url: 'https://127.0.0.1/' });
  await client.post(`/webhooks/${webhook.id}/ping`);
  const stream = await fetch(`${stack.baseUrl}/events/stream`, { headers: { authorization: `Bearer ${token}` } });
  await stream.body?.cancel();
};

/** The metrics of every service of the run's stack, once everything that `isWhole` waits for is there. */
export const toldByAll = async (isWhole: (told: Told[]) => void): Promise<Told[]> => {
  const { metricsUrls } = await sharedStack();
  const services = Object.entries(metricsUrls) as [ServiceName, string][];
  return eventually(
    async () => {
      const told = await Promise.all(services.map(async ([service, url]) => ({ service, ...(await scrape(url)) })));
      isWhole(told);
      return told;
    },
    { everyMs: 500 },
  );
};
