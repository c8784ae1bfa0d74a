import { serviceConfig } from '@cardinal/service/config';

/** What the service reads from its environment: nothing of its own. */
export const configSchema = serviceConfig({});
