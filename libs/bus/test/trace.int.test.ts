import { newContext, runInContext, span, startTelemetry } from '@cardinal/runtime';
import { eventually, startOtlpReceiver } from '@cardinal/testkit';
import { describe, expect, it } from 'vitest';
import { anyContract, useBroker } from './fixtures.ts';

const broker = useBroker();

describe('a request that passes through several services', () => {
  it('is one trace, in which each call is the parent of its consequences', async () => {
    const receiver = await startOtlpReceiver();
    const telemetry = await startTelemetry({ service: 'test', endpoint: receiver.endpoint });
    const [outer, inner] = [anyContract(), anyContract()];
    const [gateway, card, identifier] = [await broker.bus(), await broker.bus(), await broker.bus()];
    identifier.serve(inner, async ({ n }) => ({ n }));
    card.serve(outer, ({ n }) => identifierCall(n));
    const identifierCall = (n: number) => card.call(inner, { n });
    await Promise.all([identifier.ping(), card.ping()]);

    await Promise.all(
      ['first', 'second'].map((name, n) =>
        runInContext(newContext({ timeoutMs: 5_000 }), () => span(name, {}, () => gateway.call(outer, { n }))),
      ),
    );
    // A stop exports for 3 s at most, which a busy machine may exceed.
    await eventually(() => expect(receiver.spans()).toHaveLength(10));
    await telemetry.stop();
    await receiver.stop();

    const spans = receiver.spans();
    const chainTo = (name: string) => {
      const root = spans.find((one) => one.name === name);
      const chain = [];
      for (let next = root; next; next = spans.find((one) => one.parentSpanId === next?.spanId)) chain.push(next);
      return chain;
    };
    for (const name of ['first', 'second']) {
      const chain = chainTo(name);
      expect(chain.map((one) => one.name)).toEqual([name, outer.subject, outer.subject, inner.subject, inner.subject]);
      expect(new Set(chain.map((one) => one.traceId)).size).toBe(1);
    }
    expect(new Set(spans.map((one) => one.traceId)).size).toBe(2);
  });
});
