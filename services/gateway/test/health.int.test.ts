import { rmSync } from 'node:fs';
import { type Bus, connectBus } from '@cardinal/bus';
import {
  createApiKey,
  createFile,
  getCard,
  listDependencies,
  listEvents,
  listWorkstreams,
  type RequestContract,
  release,
} from '@cardinal/contracts';
import { createLogger } from '@cardinal/runtime';
import { afterEach, describe, expect, it } from 'vitest';
import { type Gateway, startGateway } from './gateway.ts';
import { publish } from './keys.ts';

const contracts: Record<string, RequestContract> = {
  card: getCard,
  identifier: listWorkstreams,
  dependency: listDependencies,
  attachment: createFile,
  event: listEvents,
  access: createApiKey,
};

let gateway: Gateway;
const services = new Map<string, Bus>();

const startService = async (name: string) => {
  const bus = await connectBus({
    url: gateway.nats.url,
    name,
    logger: createLogger({ service: name, level: 'silent' }),
  });
  bus.serve(contracts[name] as RequestContract, () => new Promise(() => {}));
  services.set(name, bus);
};

const start = async (environment?: Record<string, string>) => {
  gateway = await startGateway(environment);
  await Promise.all(Object.keys(contracts).map(startService));
};
afterEach(async () => {
  await Promise.all([...services.values()].map((bus) => bus.drain()));
  services.clear();
  await gateway.stop();
});

const ready = async () => (await gateway.root({ path: '/readyz' })).status;
const failed = async () => {
  const { json } = await gateway.root({ path: '/readyz?verbose' });
  return Object.keys(json.checks).filter((name) => json.checks[name] !== 'ok');
};
const patiently = { interval: 100 };

describe('/readyz', () => {
  it('is 200 while everything behind the gateway answers, and 503 while one service does not', async () => {
    await start();
    await expect
      .poll(async () => (await gateway.root({ path: '/readyz?verbose' })).json, patiently)
      .toEqual({
        status: 'ok',
        checks: {
          bus: 'ok',
          keys: 'ok',
          card: 'ok',
          identifier: 'ok',
          dependency: 'ok',
          attachment: 'ok',
          event: 'ok',
          access: 'ok',
        },
      });

    await services.get('dependency')?.drain();
    await expect.poll(failed, patiently).toEqual(['dependency']);
    const answer = await gateway.root({ path: '/readyz' });
    expect(answer.json).toEqual({
      error: { code: 'unavailable', message: 'Not ready', request_id: answer.headers['x-request-id'] },
    });
    expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });

    await startService('dependency');
    await expect.poll(ready, patiently).toBe(200);
  });

  it('is 503 while the broker is away, and comes back with it; the process lives all the time', async () => {
    await start();
    await expect.poll(ready, patiently).toBe(200);
    await gateway.nats.kill();
    await expect.poll(failed, patiently).toContain('bus');
    expect(await ready()).toBe(503);
    expect(await gateway.root({ path: '/healthz' })).toMatchObject({
      status: 200,
      json: { status: 'ok', version: release },
    });
    await gateway.nats.restart();
    await expect.poll(ready, patiently).toBe(200);
  });

  it('is 503 while no keys can be had from a key server', async () => {
    await start({ JWKS_URL: 'http://127.0.0.1:1/keys' });
    await expect.poll(failed, patiently).toEqual(['keys']);
    expect(await ready()).toBe(503);
  });

  it('is 503 until the key file can be read', async () => {
    gateway = await startGateway();
    rmSync(gateway.jwksFile);
    await Promise.all(Object.keys(contracts).map(startService));
    await expect.poll(failed, patiently).toEqual(['keys']);
    publish(gateway.jwksFile, [gateway.key]);
    await expect.poll(ready, patiently).toBe(200);
  });
});
