import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { release } from '@cardinal/contracts';
import { eventually, startOtlpReceiver, startWorld, type World } from '@cardinal/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { workspaceWithBoard } from './workspace.ts';

let world: World;
let receiver: Awaited<ReturnType<typeof startOtlpReceiver>>;
beforeAll(async () => {
  receiver = await startOtlpReceiver();
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint, LOG_LEVEL: 'trace', OTEL_BSP_SCHEDULE_DELAY: '100' };
  world = await startWorld({ apart: true, env: { gateway: env, card: env, identifier: env } });
  return async () => {
    await world.stop();
    await receiver.stop();
  };
});

const newTraceId = () => randomUUID().replaceAll('-', '');

/** A workspace with a card in it, and a workstream that it can move to. */
const withCard = async (title: string) => {
  const { client, column } = await workspaceWithBoard(world);
  const pay = await client.createWorkstream('PAY');
  return { client, pay, card: await client.createCard(column.id, title) };
};

it('records no probe, and every span with the release', async () => {
  const ready = await fetch(`${new URL(world.baseUrl).origin}/readyz`);
  expect(ready.status).toBe(200);
  const { card } = await withCard('after a probe');
  // Spans are exported in the order in which they end: those of the probe would be there.
  await eventually(() => {
    expect(receiver.spans().map((span) => span.name)).toContain('POST /api/kanban/v1/columns/:column_id/cards');
  });
  expect(card.identifier).toBeDefined();
  const probes = receiver.spans().filter((span) => /\.ping$|\/(readyz|healthz)$/.test(span.name));
  expect(probes).toEqual([]);
  expect(new Set(receiver.spans().map((span) => span.version))).toEqual(new Set([release]));
});

describe('one request', () => {
  it('is one trace through gateway, card and identifier', async () => {
    const { client, pay, card } = await withCard('followed');
    const traceId = newTraceId();
    const answer = await client.transfer(card, pay.id, {
      headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` },
    });
    expect(answer.status).toBe(200);

    const spansOfTransfer = () => receiver.spans().filter((span) => span.traceId === traceId);
    await eventually(() => {
      expect(new Set(spansOfTransfer().map((span) => span.service))).toEqual(
        new Set(['gateway', 'card', 'identifier']),
      );
      const ids = new Set(spansOfTransfer().map((span) => span.spanId));
      const roots = spansOfTransfer().filter((span) => !ids.has(span.parentSpanId ?? ''));
      expect(roots.map((span) => span.parentSpanId)).toEqual(['00f067aa0ba902b7']);
    });
    expect(spansOfTransfer().map((span) => span.name)).toContainEqual(expect.stringMatching(/^pg\.query/));
  });

  it('names itself in the log of its failure, and leaves no secret in any', async () => {
    const { client, pay, card } = await withCard('hush-hush title');
    const [traceId, requestId, key] = [newTraceId(), `request-${newTraceId()}`, `key-${newTraceId()}`];
    await world.kill('identifier');
    const answer = await client.transfer(card, pay.id, {
      key,
      headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01`, 'x-request-id': requestId },
    });
    expect(answer.status).toBe(503);

    const logs = (['gateway', 'card', 'identifier'] as const).map((name) => readFileSync(world.logOf(name), 'utf8'));
    const lines = logs.join('').split('\n').filter(Boolean);
    const mine = lines.filter((line) => line.includes(traceId)).map((line) => JSON.parse(line));
    expect(new Set(mine.map((line) => line.service))).toContain('gateway');
    for (const line of mine) expect(line).toMatchObject({ trace_id: traceId, request_id: requestId });
    // Each line names a span that the collector has, or gets.
    await eventually(() => {
      const spans = receiver.spans().filter((span) => span.traceId === traceId);
      expect(spans.map((span) => span.spanId)).toEqual(expect.arrayContaining(mine.map((line) => line.span_id)));
    });
    for (const secret of [client.token, key, 'hush-hush']) expect(logs.join('')).not.toContain(secret);
  });
});
