import { statfs } from 'node:fs/promises';
import { type Broker, declareRegisters } from '@cardinal/bus';
import { readLog, sizeOf } from '@cardinal/servers';
import { watch } from './watch.ts';

const lookEveryMs = 5_000;
/** Less room than this is none, bytes. */
const leastRoom = 32 * 1024 * 1024;

/**
 * Watches for a nats-server that missed the moment when its full disk had room again: a stream that once could not be
 * written takes nothing more until the server is restarted.
 * @param options.logFile of the server, which complains of each message that it does not take
 * @param options.folder of its store
 * @param options.onStuck called where it complains of a full disk although there is room
 */
export const watchForRoom = (options: { logFile: string; folder: string; onStuck: () => Promise<void> }) => {
  const { logFile, folder, onStuck } = options;
  const hasRoom = async () => {
    const room = await statfs(folder).catch(() => undefined);
    return room !== undefined && room.bavail * room.bsize >= leastRoom;
  };
  let [roomBefore, from] = [hasRoom(), sizeOf(logFile)];
  return watch(async () => {
    const complains = /JetStream failed to store .*no space left on device/.test(readLog(logFile, from));
    if ((await roomBefore) && complains && (await hasRoom())) await onStuck();
    [roomBefore, from] = [hasRoom(), sizeOf(logFile)];
  }, lookEveryMs);
};

/**
 * Restores what the broker lost meanwhile, until it is stopped: services fill the registers again, but they may not create
 * them.
 * @param report receives a line for each loss
 */
export const keepRegisters = (broker: Broker, report: (line: string) => void) =>
  watch(async () => {
    // A broker that does not answer is reported elsewhere.
    const made = await declareRegisters({ ...broker, onlyMissing: true }).catch(() => []);
    if (made.length > 0) report(`the broker lacked ${made.join(', ')}: declared again`);
  }, lookEveryMs);
