import { createHistogram, type Histogram } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import autocannon from 'autocannon';
import { v7 } from 'uuid';
import type { System } from './systems.ts';

export interface Shot {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Below the API's prefix. */
  path: string;
  headers?: Record<string, string>;
  body?: object;
  /** Called when the answer is there, so that the next request may build on it. */
  done?: (etag: string | undefined) => void;
}

/** What a leg showed: one path on one system with a number of clients for some seconds. */
export interface Leg {
  requests: number;
  perSecond: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** Answers that were no success, by status, and connections that broke. */
  failures: Record<string, number>;
  /** CPU milliseconds of what sent the requests. */
  generatorMs: number;
}

export const prefix = '/api/kanban/v1';
const nanosecondsAMillisecond = 1e6;

export const headersOf = ({ token }: System, { body, headers }: Shot) => ({
  authorization: `Bearer ${token}`,
  ...(body ? { 'content-type': 'application/json' } : {}),
  ...headers,
});

/** Sends one request and reads its answer to the end. */
const respond = async (system: System, shot: Shot) => {
  const { method, path, body } = shot;
  const sent = body ? { body: JSON.stringify(body) } : {};
  const response = await fetch(system.baseUrl + path, { method, headers: headersOf(system, shot), ...sent });
  const { ok, status, headers } = response;
  return { ok, status, headers, text: await response.text() };
};

/** Sends one request. @returns the body of its answer @throws Error where that is no success */
export const send = async <Answer>(system: System, shot: Shot): Promise<Answer> => {
  const { ok, status, text } = await respond(system, shot);
  if (!ok) throw new Error(`${shot.method} ${shot.path} answered ${status}: ${text}`);
  return JSON.parse(text) as Answer;
};

export const create = async (system: System, path: string, body: object): Promise<string> => {
  const shot = { method: 'POST', path, headers: { 'idempotency-key': v7() }, body } as const;
  return (await send<{ data: { id: string } }>(system, shot)).data.id;
};

/** How a system is fired at; `next` makes the next request, asked by every connection. */
export interface Load {
  clients: number;
  seconds: number;
  next: () => Shot;
  /** No request depends on the answer to another one, so all can be made before. */
  isAhead?: boolean;
}

/** Counts what a leg shows. */
const newTally = () => {
  const times: Histogram & { record(value: number): void } = createHistogram();
  const failures: Record<string, number> = {};
  const [began, cpu] = [performance.now(), process.cpuUsage()];
  return {
    answered: (milliseconds: number) => times.record(Math.max(1, Math.round(milliseconds * nanosecondsAMillisecond))),
    fail: (reason: string) => {
      failures[reason] = (failures[reason] ?? 0) + 1;
    },
    end: (): Leg => {
      const { user, system: kernel } = process.cpuUsage(cpu);
      return {
        requests: times.count,
        perSecond: times.count / ((performance.now() - began) / 1_000),
        p50: times.percentile(50) / nanosecondsAMillisecond,
        p99: times.percentile(99) / nanosecondsAMillisecond,
        failures,
        generatorMs: (user + kernel) / 1_000,
      };
    },
  };
};

/**
 * Sends so many requests a second, evenly spaced, however long the answers take; autocannon sends those of a second at its
 * beginning.
 */
export const fireEvenly = async (
  system: System,
  { seconds, next, rate }: Pick<Load, 'seconds' | 'next'> & { rate: number },
): Promise<Leg> => {
  const tally = newTally();
  const one = async (shot: Shot) => {
    const began = performance.now();
    try {
      const { ok, status, headers } = await respond(system, shot);
      tally.answered(performance.now() - began);
      if (!ok) tally.fail(String(status));
      shot.done?.(headers.get('etag') ?? undefined);
    } catch {
      tally.fail('connection');
    }
  };
  const began = performance.now();
  const sent: Promise<void>[] = [];
  for (let count = 0; count < seconds * rate; ) {
    await pause(1_000 / rate);
    const due = Math.min(Math.floor(((performance.now() - began) * rate) / 1_000), seconds * rate);
    for (; count < due; count += 1) sent.push(one(next()));
  }
  await Promise.all(sent);
  return tally.end();
};

/** Sends requests as fast as they are answered, one at a time on each connection. */
export const fire = async (system: System, { clients, seconds, next }: Load): Promise<Leg> => {
  const tally = newTally();
  const options: autocannon.Options = {
    url: new URL(system.baseUrl).origin,
    connections: clients,
    duration: seconds,
    timeout: 10,
    requests: [
      {
        setupRequest: (request, context) => {
          const shot = next();
          Object.assign(context as object, { shot });
          return {
            ...request,
            method: shot.method,
            path: prefix + shot.path,
            headers: headersOf(system, shot),
            ...(shot.body ? { body: JSON.stringify(shot.body) } : {}),
          };
        },
        onResponse: (status, _body, context, headers) => {
          if (status >= 300) tally.fail(String(status));
          const etag = (headers as Record<string, string> | undefined)?.etag;
          (context as { shot: Shot }).shot.done?.(etag);
        },
      },
    ],
  };
  await new Promise<void>((resolve, reject) => {
    const running = autocannon(options, (error) => (error ? reject(error) : resolve()));
    running.on('response', (_client, _status, _bytes, milliseconds) => tally.answered(milliseconds));
    running.on('reqError', () => tally.fail('connection'));
  });
  return tally.end();
};
