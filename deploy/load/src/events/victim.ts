/**
 * A workspace beside others whose webhooks hang, in a process of its own: it reads and creates cards slowly, and has a webhook
 * that takes everything at once. After the message `{ seconds }` it measures for so long and answers with the waiting times.
 */
import { createHistogram, type Histogram } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { serveHttp, waitFor } from '@cardinal/servers';
import { create, send } from '../load.ts';
import type { System } from '../systems.ts';
import { openStreams } from './streams.ts';

/** Waiting times of one kind, ms. */
export interface Waits {
  count: number;
  p50: number;
  p99: number;
}
export interface Measured {
  /** From the request of a create until its event was received, and until it was on a stream. */
  webhook: Waits;
  stream: Waits;
  read: Waits;
  create: Waits;
}

/** Pause between two creates, ms. */
const everyMs = 100;
/** Until the last event has come, ms. */
const patienceMs = 60_000;
const nanosecondsAMillisecond = 1e6;

const system = JSON.parse(process.argv[2] ?? '') as System;
const arrived = new Map<string, number>();
const { url } = await serveHttp(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { type, subject } = JSON.parse(Buffer.concat(chunks).toString()) as { type: string; subject: { id: string } };
  if (type === 'card.created') arrived.set(subject.id, performance.now());
  response.writeHead(204).end();
});
const board = await create(system, '/boards', { name: 'Beside others' });
const column = await create(system, `/boards/${board}/columns`, { name: 'To do' });
await create(system, '/webhooks', { url });
const streamed = new Map<string, number>();
await openStreams(system, {
  tokens: [system.token],
  count: 1,
  read: (text) => {
    const { type, subject } = JSON.parse(text) as { type: string; subject: { id: string } };
    if (type === 'card.created') streamed.set(subject.id, performance.now());
  },
});

const newWaits = () => {
  const times: Histogram & { record(value: number): void } = createHistogram();
  return {
    record: (ms: number) => times.record(Math.max(1, Math.round(ms * nanosecondsAMillisecond))),
    waits: (): Waits => ({
      count: times.count,
      p50: times.percentile(50) / nanosecondsAMillisecond,
      p99: times.percentile(99) / nanosecondsAMillisecond,
    }),
  };
};

const measure = async (seconds: number): Promise<Measured> => {
  const [webhook, stream, read, creates] = [newWaits(), newWaits(), newWaits(), newWaits()];
  const sentAt = new Map<string, number>();
  const one = async () => {
    const began = performance.now();
    const id = await create(system, `/columns/${column}/cards`, { title: 'Beside others' });
    creates.record(performance.now() - began);
    sentAt.set(id, began);
    const asked = performance.now();
    await send(system, { method: 'GET', path: `/cards/${id}` });
    read.record(performance.now() - asked);
  };
  const end = performance.now() + seconds * 1_000;
  const all: Promise<void>[] = [];
  for (; performance.now() < end; await pause(everyMs)) all.push(one());
  await Promise.all(all);
  const isThere = async () => [...sentAt.keys()].every((id) => arrived.has(id) && streamed.has(id)) || undefined;
  if (!(await waitFor(isThere, { timeoutMs: patienceMs }))) throw new Error('some events never came');
  for (const [id, began] of sentAt) {
    webhook.record((arrived.get(id) ?? 0) - began);
    stream.record((streamed.get(id) ?? 0) - began);
  }
  return { webhook: webhook.waits(), stream: stream.waits(), read: read.waits(), create: creates.waits() };
};

process.on('message', async ({ seconds }: { seconds: number }) => void process.send?.(await measure(seconds)));
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
