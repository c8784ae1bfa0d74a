import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** What an attacker knows: where, as whom, and what of his own to ask for. */
export interface Target {
  port: number;
  token: string;
  /** Of twenty users of his workspace, himself among them. */
  tokens: string[];
  board: string;
  card: string;
}

const api = '/api/kanban/v1';
const connections = 20;

/** Sends a request and throws its answer away. */
const ask = (
  agent: Agent,
  { port, token }: Target,
  { method = 'GET', path, headers = {}, body }: { method?: string; path: string; headers?: object; body?: string },
) =>
  new Promise<number>((resolve, reject) => {
    const authorization = `Bearer ${token}`;
    const sent = request(
      { agent, port, host: '127.0.0.1', method, path, headers: { authorization, ...headers } },
      (answer) => {
        answer.resume().once('end', () => resolve(answer.statusCode ?? 0));
      },
    );
    sent.once('error', reject).end(body);
  });

/** Does something again and again on twenty connections, for ever, counting what was answered. */
const onEach = (
  counts: Map<number | string, number>,
  act: (agent: Agent, connection: number) => Promise<number | string>,
) => {
  const loop = async (connection: number) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (;;) {
      const answer = await act(agent, connection).catch((error: { code?: string }) => error.code ?? 'error');
      counts.set(answer, (counts.get(answer) ?? 0) + 1);
    }
  };
  for (let count = 0; count < connections; count += 1) void loop(count);
};

const json = { 'content-type': 'application/json' };
const listPath = ({ board }: Target) => `${api}/boards/${board}/cards?limit=100`;

/** Asks for a large page on a connection and takes nothing of it, until the other side closes. */
const askAndIgnore = (target: Target) =>
  new Promise<string>((resolve) => {
    const socket = connect(target.port, '127.0.0.1');
    socket.pause();
    const head = `GET ${listPath(target)} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${target.token}\r\n\r\n`;
    socket.write(head.repeat(8));
    socket.once('error', () => {});
    socket.once('close', () => resolve('closed'));
  });

/** By name, each for ever. */
export const attacks: Record<string, (target: Target, counts: Map<number | string, number>) => void> = {
  'lists of large cards': (target, counts) => onEach(counts, (agent) => ask(agent, target, { path: listPath(target) })),
  'lists of large cards by twenty users': (target, counts) =>
    onEach(counts, (agent, connection) => {
      const token = target.tokens[connection % target.tokens.length] ?? target.token;
      return ask(agent, { ...target, token }, { path: listPath(target) });
    }),
  'documents that nobody reads': ({ port }, counts) => {
    // Who reads nothing does not notice that he was closed.
    const askAhead = async () => {
      const socket = connect(port, '127.0.0.1').pause();
      socket.on('error', () => {});
      socket.write('GET /openapi.json HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(200));
      await pause(1_000);
      socket.destroy();
    };
    const loop = async () => {
      for (;;) {
        await askAhead();
        counts.set('connections', (counts.get('connections') ?? 0) + 1);
      }
    };
    for (let count = 0; count < 300; count += 1) void loop();
  },
  'forged tokens': ({ port, board }, counts) =>
    onEach(counts, (agent, connection) => {
      const token = `eyJhbGciOiJFZERTQSJ9.${Buffer.from(String(connection + Math.random())).toString('base64url')}.AAAA`;
      return ask(agent, { port, token, tokens: [], board, card: '' }, { path: `${api}/boards/${board}` });
    }),
  'lists that nobody reads': (target, counts) => onEach(counts, () => askAndIgnore(target)),
  'If-Match of 15,000 blanks': (target, counts) =>
    onEach(counts, (agent) =>
      ask(agent, target, {
        method: 'PATCH',
        path: `${api}/cards/${target.card}`,
        headers: { ...json, 'if-match': `,${' '.repeat(15_000)}x` },
        body: '{}',
      }),
    ),
  'bodies of 80,000 unknown fields': (target, counts) => {
    const body = JSON.stringify(Object.fromEntries(Array.from({ length: 80_000 }, (_, at) => [`${at} `, 1])));
    onEach(counts, (agent) =>
      ask(agent, target, {
        method: 'PATCH',
        path: `${api}/cards/${target.card}`,
        headers: { ...json, 'if-match': '"1"' },
        body,
      }),
    );
  },
};
