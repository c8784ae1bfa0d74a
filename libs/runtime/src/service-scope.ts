import { AsyncLocalStorage } from 'node:async_hooks';

const storage = new AsyncLocalStorage<string>();

/**
 * Runs `fn` as part of a service that shares its process. What it starts (timers, connections, listeners) belongs to
 * the service, and its metrics have the label `service`.
 */
export const inService = <T>(name: string, fn: () => T): T => storage.run(name, fn);

/** The current service; undefined in a process of one service. */
export const currentService = (): string | undefined => storage.getStore();
