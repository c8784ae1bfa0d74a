import { createLogger, lifecycle } from '../../src/index.ts';

const logger = createLogger({ service: 'test' });
const life = lifecycle({ logger, stopTimeoutMs: 2_000 });
const part = (name: string, stop: () => unknown = () => {}) =>
  life.add({
    name,
    start: () => logger.info(`start ${name}`),
    stop: () => {
      logger.info(`stop ${name}`);
      return stop();
    },
  });

await part('pool');
await part('bus', () => Promise.reject(new Error('stuck')));
await part('http');
if (process.argv[2] === 'hang') await part('hanging', () => new Promise(() => {}));
if (process.argv[2] === 'slow') void life.add({ name: 'slow', start: () => new Promise(() => {}), stop: () => {} });
const busy = setInterval(() => {}, 1_000);
logger.info('up');
if (process.argv[2] === 'throw')
  setTimeout(() => {
    throw new Error('unexpected');
  });
if (process.argv[2] === 'reject') void Promise.reject(new Error('unexpected'));
if (process.argv[2] === 'start')
  await life.add({
    name: 'broken',
    start: () => {
      throw new Error('port taken');
    },
    stop: () => {},
  });
void busy;
