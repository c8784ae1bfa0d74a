import { AsyncResource } from 'node:async_hooks';
import { unavailable } from '@cardinal/contracts';
import { afterMicrotasks, currentContext, withoutCaller } from './context.ts';
import { gauge, histogram, inEach } from './metrics.ts';

interface CoalesceOptions<Item, Result> {
  /** The name of its queue and batches in metrics. */
  name: string;
  /** Handles a batch. Returns one result or one Error per member, in the order of members. */
  run: (items: Item[]) => Promise<(Result | Error)[]>;
  /** Most batches of one lane that run at once; default 1. */
  concurrency?: number;
  /** Most members of a batch; default 256. */
  maxBatch?: number;
  /** Most members that wait in one lane; further ones are `unavailable`; default 4,096. */
  maxWaiting?: number;
  /**
   * Items of different lanes never share a batch nor wait for each other. Use it for items of different workspaces;
   * default one lane.
   */
  laneOf?: (item: Item) => string | number;
}

interface Member<Item, Result> {
  item: Item;
  /** The async context of this member's `submit`. A hundred times cheaper than `AsyncLocalStorage.snapshot()`. */
  scope: AsyncResource;
  /** epoch ms */
  deadline: number | undefined;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

interface Lane<Item, Result> {
  waiting: Member<Item, Result>[];
  running: number;
  scheduled: boolean;
}

/**
 * Makes one call out of many (ARCHITECTURE, "Batching"). Items that one run of code submits to an idle lane share a
 * batch. Items of one tick, or that arrive while the lane's batches run, form the next one. There is no timer. An Error
 * in the results rejects its member alone. A batch that throws is retried member by member, each in its own context. A
 * member whose deadline passed while it waited is `unavailable` and does not run.
 */
export const coalesce = <Item, Result>(options: CoalesceOptions<Item, Result>) => {
  const { name, concurrency = 1, maxBatch = 256, maxWaiting = 4_096, laneOf = () => 0 } = options;
  // In a shared lane no batch may wait for the quota of one caller's workspace: the batches behind it would wait too.
  const run: typeof options.run = options.laneOf ? options.run : (items) => withoutCaller(() => options.run(items));
  const lanes = new Map<string | number, Lane<Item, Result>>();
  const size = sizes().labels(name);
  const waiting = waitingHere();
  const count = (change: number) => waiting.set(name, (waiting.get(name) ?? 0) + change);
  count(0);

  const begin = (key: string | number, lane: Lane<Item, Result>): void => {
    while (lane.running < concurrency && lane.waiting.length > 0) {
      lane.running += 1;
      const batch = lane.waiting.splice(0, maxBatch);
      count(-batch.length);
      size.observe(batch.length);
      void runBatch(batch, run).finally(() => {
        lane.running -= 1;
        if (lane.waiting.length > 0) schedule(key, lane);
        else if (lane.running === 0 && !lane.scheduled) lanes.delete(key);
      });
    }
  };

  const schedule = (key: string | number, lane: Lane<Item, Result>): void => {
    if (lane.scheduled) return;
    lane.scheduled = true;
    const due = () => {
      lane.scheduled = false;
      begin(key, lane);
    };
    // A lone item does not wait for the end of the tick.
    if (lane.running === 0) afterMicrotasks(due);
    else setImmediate(due);
  };

  const submit = (item: Item): Promise<Result> =>
    new Promise((resolve, reject) => {
      const key = laneOf(item);
      let lane = lanes.get(key);
      if (!lane) {
        lane = { waiting: [], running: 0, scheduled: false };
        lanes.set(key, lane);
      }
      if (lane.waiting.length >= maxWaiting) {
        reject(unavailable('Too many requests wait for the same work'));
        return;
      }
      const deadline = currentContext()?.deadline;
      lane.waiting.push({ item, scope: new AsyncResource('coalesce'), deadline, resolve, reject });
      count(1);
      if (lane.running < concurrency) schedule(key, lane);
    });

  return { submit };
};

const runBatch = async <Item, Result>(
  members: Member<Item, Result>[],
  run: CoalesceOptions<Item, Result>['run'],
): Promise<void> => {
  const live = members.filter(isInTime);
  const [first] = live;
  if (!first) return;
  try {
    const results = await first.scope.runInAsyncScope(() => run(live.map((member) => member.item)));
    if (results.length !== live.length) throw new Error(`${results.length} results for a batch of ${live.length}`);
    results.forEach((result, index) => {
      if (result instanceof Error) live[index]?.reject(result);
      else live[index]?.resolve(result);
    });
  } catch (error) {
    if (live.length === 1) first.reject(error);
    else for (const member of live) await runBatch([member], run);
  }
};

const isInTime = <Item, Result>(member: Member<Item, Result>): boolean => {
  if (member.deadline === undefined || Date.now() < member.deadline) return true;
  member.reject(unavailable('The deadline passed before the work began'));
  return false;
};

const sizes = histogram({
  name: 'cardinal_batch_size',
  help: 'Requests that were handled in batches, by subject',
  labels: ['queue'],
  buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
});
/** Waiting members by queue, for the gauge of each service. Queues of one name count together. */
const waitingHere = inEach(() => {
  const waiting = new Map<string, number>();
  gauge(
    {
      name: 'cardinal_queue_waiting',
      help: 'Requests that wait for a batch, by subject',
      labels: ['queue'],
    },
    (one) => {
      for (const [queue, count] of waiting) one.set({ queue }, count);
    },
  );
  return waiting;
});
