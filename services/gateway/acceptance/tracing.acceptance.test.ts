import { randomUUID } from 'node:crypto';
import { eventually, startOtlpReceiver, startWorld } from '@cardinal/testkit';
import { describe, expect, it } from 'vitest';
import { workspaceWithBoard } from './workspace.ts';

describe('one request', () => {
  it('is one trace through gateway, card and identifier, and its id is in every log line', async () => {
    const receiver = await startOtlpReceiver();
    const tracing = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint };
    const world = await startWorld({
      env: { gateway: tracing, card: tracing, identifier: tracing },
    });
    try {
      const { client, column } = await workspaceWithBoard(world);
      const pay = await client.createWorkstream('PAY');
      const card = await client.createCard(column.id, 'followed');
      const traceId = randomUUID().replaceAll('-', '');
      const answer = await client.transfer(card, pay.id, {
        headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` },
      });
      expect(answer.status).toBe(200);

      await eventually(() => {
        const services = receiver
          .spans()
          .filter((span) => span.traceId === traceId)
          .map((span) => span.service);
        expect(new Set(services)).toEqual(new Set(['gateway', 'card', 'identifier']));
      });
      const spans = receiver.spans().filter((span) => span.traceId === traceId);
      const ids = new Set(spans.map((span) => span.spanId));
      const orphans = spans.filter((span) => !ids.has(span.parentSpanId ?? ''));
      expect(orphans.map((span) => span.parentSpanId)).toEqual(['00f067aa0ba902b7']);
    } finally {
      await world.stop();
      await receiver.stop();
    }
  });
});
