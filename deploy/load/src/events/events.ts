import { v7 } from 'uuid';
import { counting, fireCounting, memoryOf } from '../cost.ts';
import { fire, fireEvenly, type Shot } from '../load.ts';
import type { Paths } from '../paths.ts';
import type { Environment, System } from '../systems.ts';
import { lastOfLog, measureBacklog } from './backlog.ts';
import { measureLatency } from './latency.ts';
import { openStreams } from './streams.ts';

/** What following costs. */
export type EventCosts = Awaited<ReturnType<typeof measureEvents>>;

interface Subject {
  system: System;
  paths: Paths;
}

interface Plan {
  /** Changes that come at once. */
  backlog: number;
  streams: number;
  seconds: number;
  clients: number;
}

/** So many streams a user may have. */
const ofOneUser = 20;
/** Changes a second while many follow: each is sent to every one of them. */
const slowly = 10;

const tokensFor = ({ workspace, sign }: Environment, streams: number) =>
  Promise.all(
    Array.from({ length: Math.ceil(streams / ofOneUser) }, () =>
      sign({ workspace, user: v7(), scope: 'kanban:read', expiresIn: 12 * 3_600 }),
    ),
  );

/** What streams cost the gateway: memory of each, and CPU of each event that is sent over one. */
const measureStreams = async (environment: Environment, { system, paths }: Subject, { streams, seconds }: Plan) => {
  const before = memoryOf(system).gateway ?? 0;
  const open = await openStreams(system, { tokens: await tokensFor(environment, streams), count: streams });
  const opened = memoryOf(system).gateway ?? 0;
  const load = { seconds, next: paths.next['edit (PATCH)'], rate: slowly };
  const { requests, cpuMs } = await counting(environment, system, () => fireEvenly(system, load));
  const [after, events] = [memoryOf(system).gateway ?? 0, open.events()];
  open.close();
  return {
    streams,
    openedKiB: (opened - before) / streams / 1_024,
    servedKiB: (after - before) / streams / 1_024,
    events,
    gatewayCpuMs: ((cpuMs.gateway ?? 0) * requests) / Math.max(events, 1),
  };
};

/** Pages of the log from anywhere in it, and filters that find next to nothing. */
const measurePages = async (environment: Environment, { system, paths }: Subject, { seconds, clients }: Plan) => {
  const last = await lastOfLog(environment, system);
  const [, , card] = paths.next['read a card']().path.split('/');
  const get = (path: () => string) => (): Shot => ({ method: 'GET', path: path() });
  const measured = {
    'a page of 100 from anywhere': get(() => `/events?limit=100&after=${Math.floor(Math.random() * last)}`),
    'of one card': get(() => `/cards/${card}/events?limit=100`),
    'a type that never happened': get(() => '/events?limit=100&types=subtask.deleted'),
  };
  const costs = [];
  for (const [path, next] of Object.entries(measured)) {
    await fire(system, { clients, seconds: 1, next });
    const leg = await fireCounting(environment, system, { clients, seconds, next });
    costs.push({ path, perSecond: leg.perSecond, p50: leg.p50, p99: leg.p99, failures: leg.failures });
  }
  return { events: last, costs };
};

/**
 * Measures what follows from events: how soon a change is on a stream, what many streams cost, how fast a backlog goes
 * into the log and out to a webhook, and what a page costs before and after it.
 */
export const measureEvents = async (
  environment: Environment,
  subject: Subject,
  plan: Plan,
  log: (line: string) => void,
) => {
  log('from an answer to a stream, at half load');
  const latency = await measureLatency(subject, plan);
  log(`${plan.streams} streams`);
  const streams = await measureStreams(environment, subject, plan);
  log('pages of the log');
  const small = await measurePages(environment, subject, plan);
  const backlog = await measureBacklog(environment, subject.system, { count: plan.backlog }, log);
  const large = await measurePages(environment, subject, plan);
  return { latency, streams, backlog, pages: { small, large } };
};
