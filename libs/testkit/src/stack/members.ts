/** The services of a stack. */
export const serviceNames = ['identifier', 'card', 'dependency', 'attachment', 'gateway'] as const;
export type ServiceName = (typeof serviceNames)[number];

/** A process of a world: a service, the n-th further instance of one (`card-2`), its broker, its own Postgres. */
export type MemberName = ServiceName | `${ServiceName}-${number}` | 'nats' | 'postgres';

/** The service that a member is an instance of. */
export const serviceOf = (member: MemberName): ServiceName => {
  const name = serviceNames.find((service) => member === service || member.startsWith(`${service}-`));
  if (!name) throw new Error(`${member} is no service`);
  return name;
};
