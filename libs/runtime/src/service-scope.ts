import { AsyncLocalStorage } from 'node:async_hooks';

const storage = new AsyncLocalStorage<string>();

/**
 * Runs `fn` as a part of a service that shares its process with others. What it starts (timers, connections, listeners)
 * stays a part of it, and what it measures has the label `service`.
 */
export const inService = <T>(name: string, fn: () => T): T => storage.run(name, fn);

/** The service that the present work belongs to; undefined in a process of one service. */
export const currentService = (): string | undefined => storage.getStore();
