/** The services, each of which has a user of its own on the bus. */
export const serviceNames = ['gateway', 'card', 'identifier', 'dependency', 'attachment'] as const;
export type ServiceName = (typeof serviceNames)[number];
/** Those that own data, and tell of its changes. */
export type OwnerName = Exclude<ServiceName, 'gateway'>;
