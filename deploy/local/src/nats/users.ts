import { type Access, accessOf, type BusUserName, busUserNames } from '@cardinal/bus';

/** A user of the broker. */
export interface BusUser {
  name: string;
  password: string;
  /** Everything is allowed where this is left out. */
  access?: Access;
}

/** The user of each service and of the deploy step, with only the subjects that it needs (architecture, "Bus"). */
export const busUsers = (passwords: Record<BusUserName, string>): BusUser[] =>
  busUserNames.map((name) => ({ name, password: passwords[name], access: accessOf(name) }));
