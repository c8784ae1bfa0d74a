import { serviceConfig } from '@cardinal/service/config';

/** The service's environment variables: none of its own. */
export const configSchema = serviceConfig({});
