import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { serveHttp } from '@cardinal/servers';
import { v7 } from 'uuid';
import { counting } from '../cost.ts';
import { create, fireEvenly, type Shot } from '../load.ts';
import type { Environment, System } from '../systems.ts';
import type { Measured } from './victim.ts';

/** What hanging webhooks of others cost a workspace. */
export type HangingCost = Awaited<ReturnType<typeof measureHanging>>[number];

/** Webhooks that a workspace may have. */
const ofOneWorkspace = 20;
/** Creates a second in the workspaces whose webhooks hang, of all together. */
const createsASecond = 20;
const warmUpSeconds = 20;

const newWorkspace = async ({ sign }: Environment, system: System): Promise<System> => {
  const token = await sign({ workspace: v7(), user: v7(), scope: 'kanban:admin', expiresIn: 12 * 3_600 });
  return { ...system, token };
};

const startVictim = async (system: System) => {
  const { baseUrl, token } = system;
  const child = fork(join(import.meta.dirname, 'victim.ts'), [JSON.stringify({ baseUrl, token })]);
  const answer = async () => {
    const [message] = await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(() => Promise.reject(new Error('the workspace beside the others ended'))),
    ]);
    return message as Measured;
  };
  await answer();
  return {
    measure: (seconds: number) => {
      child.send({ seconds });
      return answer();
    },
    stop: () => child.disconnect(),
  };
};

/**
 * Measures what a workspace waits for its webhook, reads and creates: alone, beside creates in other workspaces, beside the
 * same with webhooks that hang, and after those creates have ended.
 * @param sizes numbers of hanging webhooks
 */
export const measureHanging = async (
  environment: Environment,
  system: System,
  { sizes, seconds }: { sizes: readonly number[]; seconds: number },
  log: (line: string) => void,
) => {
  const costs = [];
  for (const webhooks of sizes) {
    // It takes requests and answers none.
    const silent = await serveHttp((request) => request.resume());
    const victim = await startVictim(await newWorkspace(environment, system));
    try {
      const others: { own: System; column: string }[] = [];
      for (let count = 0; count < webhooks; count += ofOneWorkspace) {
        const own = await newWorkspace(environment, system);
        const board = await create(own, '/boards', { name: 'Hanging' });
        others.push({ own, column: await create(own, `/boards/${board}/columns`, { name: 'To do' }) });
      }
      let turn = 0;
      const next = (): Shot => {
        const { own, column } = others[turn++ % others.length] as (typeof others)[0];
        const headers = { 'idempotency-key': v7(), authorization: `Bearer ${own.token}` };
        return { method: 'POST', path: `/columns/${column}/cards`, headers, body: { title: 'Hanging' } };
      };
      const load = { seconds, next, rate: createsASecond };
      await victim.measure(2);
      log('a workspace alone');
      const quiet = await victim.measure(seconds);
      // The first creates of a workspace cost more than later ones.
      await fireEvenly(system, { ...load, seconds: warmUpSeconds });
      log(`beside ${createsASecond} creates a second in ${others.length} others`);
      const measureBeside = () =>
        Promise.all([victim.measure(seconds), counting(environment, system, () => fireEvenly(system, load))]);
      const [creates, ofCreates] = await measureBeside();
      for (const { own } of others) {
        for (let at = 0; at < Math.min(ofOneWorkspace, webhooks); at += 1) {
          await create(own, '/webhooks', { url: `${silent.url}${at}` });
        }
      }
      log(`the same with ${webhooks} webhooks that hang`);
      await fireEvenly(system, { ...load, seconds: warmUpSeconds });
      const [during, ofHanging] = await measureBeside();
      log('and after it');
      const after = await victim.measure(seconds);
      const cpuMs = { creates: ofCreates.cpuMs, during: ofHanging.cpuMs };
      costs.push({ webhooks, quiet, creates, during, after, cpuMs });
    } finally {
      victim.stop();
      silent.stop();
    }
  }
  return costs;
};
