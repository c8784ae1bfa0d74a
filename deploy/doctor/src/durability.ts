import { type DatabaseOwner, databaseOwners } from '@cardinal/contracts';
import { readDurability } from '@cardinal/db';
import { reasonOf, type Sources } from './sources.ts';

/** The name of the rule in the report. */
export const durability = 'every database keeps what it acknowledges';

const complaintsOf = async (sources: Sources, service: DatabaseOwner): Promise<string[]> => {
  const found = await sources.of(service).read(readDurability);
  if (!found) return [];
  const { unsafe, standbys, awaited, lag } = found;
  return [
    ...(unsafe ? [`off: ${unsafe}; a crash of the server loses what was acknowledged`] : []),
    ...(standbys > 0 && awaited === 0
      ? [
          `no commit waits for its standby (${standbys} there); a failover loses the last commits, now ${lag ?? '?'} bytes`,
        ]
      : []),
    ...(awaited > standbys ? [`commits wait for ${awaited} standbys, and ${standbys} are there`] : []),
  ];
};

/**
 * Warns of settings with which a database may lose acknowledged writes; services with the same warning share a line. These are
 * warnings, not differences: no data disagrees yet, and the doctor cannot repair settings. Alerts watch them.
 */
export const durabilityWarnings = async (sources: Sources): Promise<string[]> => {
  const services = new Map<string, DatabaseOwner[]>();
  for (const service of databaseOwners) {
    const complaints = await complaintsOf(sources, service).catch((error) => [`cannot be asked: ${reasonOf(error)}`]);
    for (const complaint of complaints) services.set(complaint, [...(services.get(complaint) ?? []), service]);
  }
  return [...services].map(([complaint, of]) => `${of.join(', ')}: ${complaint}`);
};
