import { release } from '@cardinal/contracts';
import { afterEach, describe, expect, it } from 'vitest';
import { serveHealth } from './health.ts';
import { createLogger } from './logger.ts';

const lines: string[] = [];
const logger = createLogger({ service: 'card', destination: { write: (line) => lines.push(line) } });
let server: Awaited<ReturnType<typeof serveHealth>> | undefined;

afterEach(() => server?.close());

const start = async (checks: Record<string, () => Promise<void>>) => {
  server = await serveHealth({ port: 0, host: '127.0.0.1', checks, logger });
  const { port } = server;
  return async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return { status: response.status, body: await response.json() };
  };
};

describe('serveHealth', () => {
  it('logs its port', async () => {
    await start({});
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ msg: 'listening', port: server?.port });
  });

  it('is ready when every check passes and names those that fail', async () => {
    let broken = false;
    const get = await start({
      database: async () => {},
      bus: () => {
        if (broken) throw new Error('away');
        return Promise.resolve();
      },
    });
    expect(await get('/readyz')).toEqual({ status: 200, body: { status: 'ok' } });
    broken = true;
    expect(await get('/readyz?x=1')).toEqual({ status: 503, body: { failed: ['bus'] } });
    expect(await get('/healthz')).toEqual({ status: 200, body: { status: 'ok', version: release } });
  });

  it('is not ready while it stops', async () => {
    const get = await start({});
    server?.setStopping();
    expect(await get('/readyz')).toEqual({ status: 503, body: { failed: ['stopping'] } });
    expect((await get('/healthz')).status).toBe(200);
  });

  it('answers 404 to other paths', async () => {
    const get = await start({});
    expect((await get('/constructor')).status).toBe(404);
  });
});
