import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { v7 } from 'uuid';
import { bombs } from './bombs.ts';
import { type Attack, api, type Target } from './target.ts';

const connections = 20;
const busyMs = 60_000;

/** Sends a request and throws its answer away. */
const ask = (
  agent: Agent,
  { port, token }: { port: number; token: string },
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

/** Does something again and again on each connection, for ever, counting what was answered. */
const onEach = (
  { count }: Attack,
  act: (agent: Agent, connection: number) => Promise<number | string>,
  many = connections,
) => {
  const loop = async (connection: number) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (;;) count(await act(agent, connection).catch((error: { code?: string }) => error.code ?? 'error'));
  };
  for (let connection = 0; connection < many; connection += 1) void loop(connection);
};

const json = { 'content-type': 'application/json' };
const listPath = ({ board }: Target) => `${api}/boards/${board}/cards?limit=100`;
const patch = ({ card }: Target, headers: object, body: string) => ({
  method: 'PATCH',
  path: `${api}/cards/${card}`,
  headers: { ...json, ...headers },
  body,
});

/** Without a valid signature. */
const forged = () =>
  `eyJhbGciOiJFZERTQSJ9.${Buffer.from(String(Math.random())).toString('base64url')}.${'A'.repeat(86)}`;

/** Writes at once and reads nothing; who reads nothing does not notice that he was closed. */
const writeAndIgnore = async (port: number, text: string) => {
  const socket = connect(port, '127.0.0.1').pause();
  socket.on('error', () => {});
  socket.write(text);
  await pause(1_000);
  socket.destroy();
  return 'connections';
};

/** Does something so many times a second, whether it succeeds or not. */
const atRate = (perSecond: () => number, act: () => void) => {
  let due = 0;
  let last = performance.now();
  setInterval(() => {
    const now = performance.now();
    due += (perSecond() * (now - last)) / 1_000;
    last = now;
    for (; due >= 1; due -= 1) act();
  }, 10);
};

const usersOfAddress = 161;
const junkRates = [110, 500, 998];
const junkRateMs = 2_000;

const titlesWord = '中';
/** Looks like the word to an index of ASCII letters, and is not in it. */
export const titleToSearch = titlesWord.repeat(240);
const almostTitle = `${titlesWord.repeat(200)}乇`;

/** By name, each for ever. */
export const attacks: Record<string, (attack: Attack) => void> = {
  'a busy loop, of no harm to us': () => {
    const until = performance.now() + busyMs;
    while (performance.now() < until);
  },
  'searches of 10,000 titles': (attack) =>
    onEach(
      attack,
      (agent) => {
        const path = `${api}/boards/${attack.target.searched}/cards?q=${encodeURIComponent(almostTitle)}`;
        return ask(agent, attack.target, { path });
      },
      16,
    ),
  'documents that nobody reads': (attack) =>
    onEach(
      attack,
      () => writeAndIgnore(attack.target.port, 'GET /openapi.json HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(200)),
      300,
    ),
  'junk beside 161 users of its address': ({ target: { port }, count, freshToken }) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 400 });
    const began = performance.now();
    const rate = () => junkRates[Math.floor((performance.now() - began) / junkRateMs) % junkRates.length] ?? 0;
    const visit = (whose: string, token: string) =>
      ask(agent, { port, token }, { path: `${api}/boards` }).then(
        (status) => count(`${whose} ${status}`),
        (error: { code?: string }) => count(`${whose} ${error.code}`),
      );
    const users = Array.from({ length: usersOfAddress }, () => v7());
    let turn = 0;
    atRate(rate, () => void visit('junk', forged()));
    atRate(
      () => usersOfAddress,
      () => {
        turn += 1;
        void freshToken(users[turn % usersOfAddress] ?? '').then((token) => visit('fresh', token));
      },
    );
  },
  'lists of large cards by twenty users': (attack) =>
    onEach(attack, (agent, connection) => {
      const { tokens, token, port } = attack.target;
      const one = tokens[connection % tokens.length] ?? token;
      return ask(agent, { port, token: one }, { path: listPath(attack.target) });
    }),
  'lists of large cards': (attack) =>
    onEach(attack, (agent) => ask(agent, attack.target, { path: listPath(attack.target) })),
  'lists that nobody reads': (attack) => {
    const { port, token } = attack.target;
    const head = `GET ${listPath(attack.target)} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${token}\r\n\r\n`;
    onEach(attack, () => writeAndIgnore(port, head.repeat(8)));
  },
  '24 images of 392 MB in 0.4': bombs,
  'paths of 15 kB': (attack) =>
    onEach(attack, (agent) =>
      ask(agent, { ...attack.target, token: forged() }, { path: `${api}/${'x'.repeat(15_000)}` }),
    ),
  'forged tokens': (attack) =>
    onEach(attack, (agent) =>
      ask(agent, { ...attack.target, token: forged() }, { path: `${api}/boards/${attack.target.board}` }),
    ),
  'If-Match of 15,000 blanks': (attack) =>
    onEach(attack, (agent) =>
      ask(agent, attack.target, patch(attack.target, { 'if-match': `,${' '.repeat(15_000)}x` }, '{}')),
    ),
  'bodies of 80,000 unknown fields': (attack) => {
    const body = JSON.stringify(Object.fromEntries(Array.from({ length: 80_000 }, (_, at) => [`${at} `, 1])));
    onEach(attack, (agent) => ask(agent, attack.target, patch(attack.target, { 'if-match': '"1"' }, body)));
  },
};
