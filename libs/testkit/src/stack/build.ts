import type { DatabaseOwner, ServiceName } from '@cardinal/contracts';
import type { Stack } from '@cardinal/servers';
import { rounds } from '../environment.ts';

export interface StackOptions {
  /** Each service is a process of its own, for tests of what happens to one of them; false: all of them are one. */
  apart?: boolean;
  /** How many processes of a service run, or of `all`; one where left out. */
  instances?: Partial<Record<ServiceName | 'all', number>>;
  /** Further configuration by service, e.g. `{ gateway: { RATE_LIMIT_MAX: '5' } }`. */
  env?: Partial<Record<ServiceName, Record<string, string>>>;
  /** The checkout that everything starts from: this one where left out. */
  build?: string;
}

interface Places {
  keys: string;
  databaseUrls: Record<DatabaseOwner, string>;
}

const gatewayOfTests = { CHECK_REPLIES: 'true', MAX_EVENT_LOOP_DELAY_MS: '30000' };

/** Starts a broker and every service; all of them are ready when it returns, and what runs is stopped where it fails. */
export const buildStack = async (stack: Stack, places: Places, { env = {}, apart, ...options }: StackOptions) => {
  try {
    const { urls: natsUrls } = (await stack.nats()).process();
    await stack.services({
      ...places,
      ...options,
      // Where loops have their full length, what does not mind runs apart.
      together: !(apart ?? rounds(1, 0) === 1),
      natsUrls,
      env: ({ service }, usual) => ({
        LOG_LEVEL: 'info',
        ...usual,
        ...(service === 'gateway' && gatewayOfTests),
        ...env[service],
      }),
    });
    return natsUrls;
  } catch (error) {
    await stack.stop();
    throw error;
  }
};
