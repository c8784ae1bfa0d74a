import { randomUUID } from 'node:crypto';
import { defineRequest } from '@cardinal/contracts';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { signal, useBroker } from './fixtures.ts';

const broker = useBroker();
const aProjection = () => {
  const verb = `project-${randomUUID()}`;
  return defineRequest(`test.${verb}`, z.object({ id: z.uuid() }), z.object({}));
};

it('the projecting service has the event before the writer continues', async () => {
  const contract = aProjection();
  const [server, writer] = [await broker.bus(), await broker.bus()];
  // Like every call it may arrive twice on a busy machine.
  const received = new Set<string>();
  server.serve(contract, async ({ id }) => {
    received.add(id);
    return {};
  });
  await server.ping();
  const id = randomUUID();
  await writer.callBestEffort(contract, { id });
  expect(received).toEqual(new Set([id]));
});

it('a projection that is away, refuses or does not answer delays no writer for long', async () => {
  const [away, refusing, silent] = [aProjection(), aProjection(), aProjection()];
  const [server, writer] = [await broker.bus(), await broker.bus()];
  const over = signal();
  server.serve(refusing, () => Promise.reject(new Error('broken')));
  server.serve(silent, async () => {
    await over.sent;
    return {};
  });
  await server.ping();
  for (const contract of [away, refusing, silent]) {
    await expect(writer.callBestEffort(contract, { id: randomUUID() })).resolves.toBeUndefined();
  }
  over.send();
});
