import { createHistogram, type Histogram } from 'node:perf_hooks';
import { waitFor } from '@cardinal/servers';
import { fire, fireEvenly, type Shot } from '../load.ts';
import type { Paths } from '../paths.ts';
import type { System } from '../systems.ts';
import { openStreams } from './streams.ts';

const nanosecondsAMillisecond = 1e6;
/** Until the last event has come, ms. */
const patienceMs = 30_000;

/**
 * How long after its answer a change is on a stream, ms, at half of the rate of which the system is capable; and how long
 * after its request. It is committed between the two.
 */
export const measureLatency = async (
  { system, paths }: { system: System; paths: Paths },
  { seconds, clients }: { seconds: number; clients: number },
) => {
  const edit = paths.next['edit (PATCH)'];
  const { perSecond } = await fire(system, { clients, seconds, next: edit });
  const answered = new Map<string, { at: number; sentAt: number }>();
  const arrived = new Map<string, number>();
  const read = (text: string) => {
    const { subject } = JSON.parse(text) as { subject: { id: string; version: number } };
    arrived.set(`${subject.id} ${subject.version}`, performance.now());
  };
  const streams = await openStreams(system, { tokens: [system.token], count: 1, read });
  const next = (): Shot => {
    const shot = edit();
    const [, , id] = shot.path.split('/');
    const sentAt = performance.now();
    const done = (etag: string | undefined) => {
      shot.done?.(etag);
      if (etag) answered.set(`${id} ${etag.replaceAll('"', '')}`, { at: performance.now(), sentAt });
    };
    return { ...shot, done };
  };
  const leg = await fireEvenly(system, { seconds, next, rate: Math.max(1, Math.round(perSecond / 2)) });
  const all = async () => [...answered.keys()].every((one) => arrived.has(one)) || undefined;
  const isComplete = await waitFor(all, { timeoutMs: patienceMs });
  streams.close();
  if (!isComplete) throw new Error('some changes never came over the stream');
  const waitsSince = (began: (one: { at: number; sentAt: number }) => number) => {
    const waits: Histogram & { record(value: number): void } = createHistogram();
    for (const [one, times] of answered) {
      waits.record(Math.max(1, Math.round(((arrived.get(one) ?? 0) - began(times)) * nanosecondsAMillisecond)));
    }
    return (percent: number) => waits.percentile(percent) / nanosecondsAMillisecond;
  };
  const [ms, msOfRequest] = [waitsSince(({ at }) => at), waitsSince(({ sentAt }) => sentAt)];
  return {
    perSecond: leg.perSecond,
    changes: answered.size,
    answerP50: leg.p50,
    p50: ms(50),
    p99: ms(99),
    requestP99: msOfRequest(99),
  };
};
