import { request } from 'node:http';
import { connect } from 'node:net';

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the wire brings
  json: any;
}

export interface Sent {
  method?: string;
  path: string;
  headers?: Record<string, string | string[] | undefined>;
  /** Several pieces are sent chunked. */
  body?: string | Buffer | (string | Buffer)[];
}

const jsonOf = (text: string) => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Sends one request on a connection of its own, exactly as given. */
export const send = (port: number, { method = 'GET', path, headers = {}, body }: Sent): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const given = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
    const outgoing = request({ host: '127.0.0.1', port, method, path, headers: given, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json: jsonOf(text) });
      });
    });
    outgoing.once('error', reject);
    if (Array.isArray(body)) {
      outgoing.setHeader('transfer-encoding', 'chunked');
      for (const chunk of body) outgoing.write(chunk);
      outgoing.end();
    } else {
      if (body !== undefined) outgoing.setHeader('content-length', Buffer.byteLength(body));
      outgoing.end(body);
    }
  });

/**
 * Sends bytes that need not be HTTP. @returns everything that comes back until the connection ends
 * @param options.thenEnd sends no more after them
 */
export const sendRaw = (port: number, bytes: string, options: { thenEnd?: boolean } = {}): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => (options.thenEnd ? socket.end(bytes) : socket.write(bytes)));
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(received));
  });
