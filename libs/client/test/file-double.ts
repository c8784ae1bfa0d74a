import { createClient } from '../src/index.ts';
import { type Script, serve } from './serve.ts';

/** A file as far as the client looks at it. */
export const fileThatIs = (status: string, rejection: string | null = null) => ({
  id: 'f1',
  name: 'plan.png',
  status,
  rejection,
});

/** What the double answers. */
interface Answers {
  /** Where the bytes go; or how a server of its own answers them. */
  bytes?: string | Script;
  /** The file at each read; the last one repeats. */
  states?: ReturnType<typeof fileThatIs>[];
  /** Whether the creation counts as a replay. */
  replayed?: boolean;
}

const taken: Script = () => ({ status: 200, body: { data: fileThatIs('scanning') } });

/** An API of one file and, on another origin, what takes its bytes and gives them out. */
export const fileDouble = async ({ bytes = taken, states = [fileThatIs('clean')], replayed = false }: Answers = {}) => {
  const other = typeof bytes === 'string' ? { url: bytes, seen: [] } : await serve(bytes);
  const upload = { method: 'PUT', url: `${other.url}/up?signature=s`, headers: { 'x-named': 'yes' } };
  let looks = 0;
  const api = await serve(({ method, url }) => {
    if (method === 'POST') {
      const headers: Record<string, string> = replayed ? { 'idempotent-replayed': 'true' } : {};
      return { status: 201, headers, body: { data: { ...fileThatIs('pending'), upload } } };
    }
    if (url.endsWith('/content')) return { status: 302, headers: { location: `${other.url}/down` } };
    looks += 1;
    return { status: 200, body: { data: states[Math.min(looks, states.length) - 1] } };
  });
  const client = createClient({ baseUrl: api.url, token: 'secret', retry: { baseMs: 1, capMs: 2 } });
  return { client, asked: api.seen, sent: other.seen, bytesUrl: other.url };
};
