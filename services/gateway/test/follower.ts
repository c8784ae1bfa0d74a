import { once } from 'node:events';
import { request } from 'node:http';
import { apiPrefix } from '@cardinal/contracts';
import { atEndOfFile, eventually } from '@cardinal/testkit';
import { v7 } from 'uuid';
import { expect } from 'vitest';
import { startGateway } from './gateway.ts';
import { serveLog } from './log.ts';

/** A block of a stream: its fields, and its comment under ''. */
type Block = Record<string, string>;

const blockOf = (text: string): Block =>
  Object.fromEntries(
    text.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  );

interface Asked {
  token: string;
  query?: string;
  headers?: Record<string, string>;
  method?: string;
}

export type Follower = Awaited<ReturnType<typeof follow>>;

/** Opens a stream, whose answer has come when this resolves. */
const follow = async (port: number, { token, query = '', headers = {}, method = 'GET' }: Asked) => {
  const path = `${apiPrefix}/events/stream${query}`;
  const authorization = `Bearer ${token}`;
  const outgoing = request({
    host: '127.0.0.1',
    port,
    method,
    path,
    agent: false,
    headers: { authorization, ...headers },
  });
  outgoing.end();
  const [response] = await once(outgoing, 'response');
  outgoing.on('error', () => {});
  const blocks: Block[] = [];
  let rest = '';
  let ended: 'whole' | 'cut' | undefined;
  response.on('data', (chunk: Buffer) => {
    const parts = (rest + chunk).split('\n\n');
    rest = parts.pop() ?? '';
    blocks.push(...parts.map(blockOf));
  });
  response.on('error', () => {});
  response.on('close', () => {
    ended = response.complete ? 'whole' : 'cut';
  });
  const told = () => blocks.filter(({ data, id }) => data !== undefined && id !== undefined);
  return {
    status: response.statusCode as number,
    headers: response.headers as Record<string, string | undefined>,
    /** All blocks so far. */
    blocks,
    /** The bytes after the last block; everything, where the answer is no stream. */
    rest: () => rest,
    /** The numbers of the events so far. */
    seqs: () => told().map(({ id }) => Number(id)),
    /** The events so far, parsed. */
    events: () => told().map(({ data = '' }) => JSON.parse(data)),
    /** Resolves when that many events have come. */
    until: async (count: number) => {
      while (told().length < count) await once(response, 'data');
    },
    /** How it ended; undefined while it has not. */
    ended: () => ended,
    close: () => outgoing.destroy(),
  };
};

interface Opened extends Omit<Asked, 'token'> {
  /** Default: a token of the user. */
  token?: string;
  user?: string;
  expiresIn?: number;
}

/** A gateway with a log behind it, and the streams that a test opens there. */
export const startStreams = async (environment: Record<string, string> = {}) => {
  const gateway = await startGateway(environment);
  const log = await serveLog(gateway);
  const opened: Follower[] = [];
  const closeAll = () => {
    for (const follower of opened.splice(0)) follower.close();
  };
  atEndOfFile(closeAll);
  const open = async ({ user = v7(), expiresIn = 3600, token, ...asked }: Opened = {}) => {
    const credential = token ?? (await gateway.tokenFor({ user, expiresIn }));
    const follower = await follow(gateway.port, { ...asked, token: credential });
    opened.push(follower);
    return follower;
  };
  const refusal = async (asked: Opened) => {
    const { status, headers, rest, ended } = await open(asked);
    await eventually(() => expect(ended()).toBe('whole'));
    return { status, headers, error: JSON.parse(rest()).error };
  };
  return { gateway, log, open, refusal, closeAll };
};
