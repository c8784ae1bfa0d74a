import { databaseOwners } from '@cardinal/contracts';
import { ofKind, ourImage, type Rule } from '../manifest.ts';

const owners: readonly string[] = databaseOwners;

/**
 * What must be done before a revision's services start is done by a Job of its own, named after a hash of its spec
 * (chart.int.test.ts has the hash change with what the Job does).
 */
export const jobsAreOfARevision: Rule = (all) => {
  const jobs = ofKind(all, 'Job').map(({ metadata: { name }, spec }) => {
    const { args = [], image, envFrom = [] } = spec?.template.spec?.containers[0] ?? {};
    return { name, does: `${ourImage(image)} ${args.join(' ')}`, envFrom };
  });
  return [
    ...jobs
      .filter(({ name }) => !/-[0-9a-f]{10}$/.test(name) || name.length > 63)
      .map(({ name }) => `Job ${name}: it must end with a hash, or the next revision meets a Job that was done`),
    // Its template may not change: what is read by a name that stays may.
    ...jobs.filter(({ envFrom }) => envFrom.length > 0).map(({ name }) => `Job ${name}: it reads settings that change`),
    ...[
      ...owners.map((owner) => [`${owner} service/src/migrate.ts`, `all services/${owner}/src/migrate.ts`]),
      ['deploy service/src/registers.ts'],
    ]
      .filter((ways) => !jobs.some(({ does }) => ways.includes(does)))
      .map(([task]) => `no Job does: ${task}`),
  ];
};

/** All services with as many pods as they may have, one more each in a rollout, and the Jobs find room at Postgres. */
export const connectionsSuffice: Rule = (all, { maxConnections }) => {
  /** Connections of one pod: of each service with a database that it runs. */
  const connectionsOf = (name: string) => {
    const { image, env } =
      ofKind(all, 'Deployment').find(({ metadata }) => metadata.name === name)?.spec?.template.spec?.containers[0] ??
      {};
    const pool = Number(env?.find((one) => one.name === 'DATABASE_POOL_SIZE')?.value ?? 10);
    if (ourImage(image) === 'all') return owners.length * pool;
    return owners.includes(name) ? pool : 0;
  };
  const wanted = ofKind(all, 'HorizontalPodAutoscaler')
    .map(({ metadata, spec }) => ((spec?.maxReplicas ?? 0) + 1) * connectionsOf(metadata.name))
    .reduce((sum, one) => sum + one, 0);
  // Two of each migration, some of the doctor, and those that Postgres keeps for superusers.
  const others = owners.length * 2 + 10 + 3;
  const [, own] = /max_connections=(\d+)/.exec(JSON.stringify(ofKind(all, 'StatefulSet'))) ?? [];
  const most = Number(own ?? maxConnections);
  return wanted + others <= most
    ? []
    : [`the services open ${wanted} connections, others ${others}: more than the ${most} of Postgres`];
};
