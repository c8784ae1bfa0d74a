import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a test file may ask the run for, by name. Each makes its thing when first asked, once. */
export type Offers = Record<string, () => Promise<unknown>>;

/** Serves the run's shared things to its test files, which live in other processes. */
export const openDesk = async (offers: Offers): Promise<{ url: string; server: Server }> => {
  const server = createServer(async (request, response) => {
    const name = (request.url ?? '/').slice(1);
    const make = offers[name];
    try {
      if (!make) throw new Error(`the run offers no ${name}`);
      response.end(JSON.stringify({ thing: await make() }));
    } catch (error) {
      response.end(JSON.stringify({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
};

/**
 * Asks the run's desk.
 * @throws Error with the run's own error where it could not be made
 */
export const askDesk = async <Thing>(desk: string, name: string): Promise<Thing> => {
  const response = await fetch(`${desk}/${name}`);
  const answer = (await response.json()) as { thing?: Thing; error?: string };
  if (answer.error !== undefined) throw new Error(answer.error);
  return answer.thing as Thing;
};
