import { gauge, histogram } from './registry.ts';

const sizes = histogram({
  name: 'cardinal_batch_size',
  help: 'Requests that were handled together, by what they were about',
  labels: ['queue'],
  buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
});
const queues = new Map<string, { waiting: number }>();
gauge(
  {
    name: 'cardinal_queue_waiting',
    help: 'Requests that wait to be handled with others, by what they are about',
    labels: ['queue'],
  },
  (one) => {
    for (const [queue, { waiting }] of queues) one.set({ queue }, waiting);
  },
);

/** Measures a queue out of which batches are taken; queues of one name count together. */
export const queueMeter = (name: string) => {
  const size = sizes.labels(name);
  const queue = queues.get(name) ?? { waiting: 0 };
  queues.set(name, queue);
  return {
    came() {
      queue.waiting += 1;
    },
    left(batch: number) {
      queue.waiting -= batch;
      size.observe(batch);
    },
  };
};
