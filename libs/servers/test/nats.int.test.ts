import { declareRegisters } from '@cardinal/bus';
import { scratchFolder } from '@cardinal/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { commandOf, lastStartedNats, type Nats, startNats } from '../src/index.ts';

const running: Nats[] = [];
const start = async (dir: string, port?: number) => {
  const nats = await startNats({ dir, ...(port ? { port } : {}) });
  running.push(nats);
  return nats;
};

afterEach(async () => {
  for (const nats of running.splice(0)) await nats.stop('SIGKILL');
});

describe('startNats', () => {
  it('keeps passwords and port over a kill', async () => {
    const dir = scratchFolder('nats');
    const first = await start(dir);
    await first.stop('SIGKILL');
    const second = await start(dir, first.port);
    expect(second.urls).toEqual(first.urls);
    await declareRegisters({ url: second.url });
  });

  it('can be found again, by who may inspect it', async () => {
    const dir = scratchFolder('nats');
    expect(lastStartedNats(dir)).toBeUndefined();
    const { urls } = await start(dir);
    expect(lastStartedNats(dir)).toBe(urls.deploy);
  });

  it('ends the server that a killed run left on its store', async () => {
    const dir = scratchFolder('nats');
    const leftover = await start(dir);
    const next = await start(dir);
    expect(commandOf(leftover.pid)).toBeUndefined();
    await declareRegisters({ url: next.url });
  });
});
