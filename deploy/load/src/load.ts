import { createHistogram, type Histogram } from 'node:perf_hooks';
import autocannon from 'autocannon';
import { v7 } from 'uuid';
import type { System } from './systems.ts';

export interface Shot {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT';
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

/** Sends one request. @returns the body of its answer @throws Error where that is no success */
export const send = async <Answer>(system: System, shot: Shot): Promise<Answer> => {
  const { method, path, body } = shot;
  const sent = body ? { body: JSON.stringify(body) } : {};
  const response = await fetch(system.baseUrl + path, { method, headers: headersOf(system, shot), ...sent });
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Answer;
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
  /** Requests a second of all clients together; left out: as many as are answered. */
  rate?: number;
}

/** Sends requests as fast as they are answered, one at a time on each connection. */
export const fire = async (system: System, { clients, seconds, next, rate }: Load): Promise<Leg> => {
  const times: Histogram & { record(value: number): void } = createHistogram();
  const failures: Record<string, number> = {};
  const fail = (reason: string) => {
    failures[reason] = (failures[reason] ?? 0) + 1;
  };
  const [began, cpu] = [performance.now(), process.cpuUsage()];
  const options: autocannon.Options = {
    url: new URL(system.baseUrl).origin,
    connections: clients,
    duration: seconds,
    timeout: 10,
    ...(rate !== undefined && { overallRate: rate }),
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
          if (status >= 300) fail(String(status));
          const etag = (headers as Record<string, string> | undefined)?.etag;
          (context as { shot: Shot }).shot.done?.(etag);
        },
      },
    ],
  };
  await new Promise<void>((resolve, reject) => {
    const running = autocannon(options, (error) => (error ? reject(error) : resolve()));
    running.on('response', (_client, _status, _bytes, milliseconds) => {
      times.record(Math.max(1, Math.round(milliseconds * nanosecondsAMillisecond)));
    });
    running.on('reqError', () => fail('connection'));
  });
  const elapsed = (performance.now() - began) / 1000;
  const { user, system: kernel } = process.cpuUsage(cpu);
  return {
    requests: times.count,
    perSecond: times.count / elapsed,
    p50: times.percentile(50) / nanosecondsAMillisecond,
    p99: times.percentile(99) / nanosecondsAMillisecond,
    failures,
    generatorMs: (user + kernel) / 1_000,
  };
};
