import { type BrokenFor, containerOf, one, variable, without } from './change.ts';

export const brokenProcesses: BrokenFor<
  'environmentsAreRead' | 'jobsAreOfARevision' | 'connectionsSuffice' | 'podsFindRoom'
> = {
  environmentsAreRead: [
    [
      'a variable that nobody reads',
      (all) => containerOf(all, 'card').env.push({ name: 'LOGLEVEL', value: 'debug' }),
      'Deployment card: nobody reads LOGLEVEL',
    ],
    [
      'a variable of another service',
      (all) => containerOf(all, 'card').env.push({ name: 'URL_SECRET', value: 'x' }),
      'Deployment card: nobody reads URL_SECRET',
    ],
    [
      'credentials of a bucket where there is none',
      (all) => Object.assign(one(all, 'ConfigMap', 'attachment-settings'), { data: { STORAGE_URL: 'file:///files' } }),
      'Deployment attachment: nobody reads AWS_ACCESS_KEY_ID',
    ],
    [
      'a missing variable',
      (all) => containerOf(all, 'identifier').env.splice(3, 1),
      'Deployment identifier: DATABASE_URL: Invalid input: expected string, received undefined',
    ],
    [
      'a missing setting',
      (all) => Object.assign(one(all, 'ConfigMap', 'gateway-settings'), { data: { TOKEN_ISSUER: 'https://a' } }),
      'Deployment gateway: TOKEN_AUDIENCE: is missing; it must be what the issuer writes into "aud" of the tokens for this API',
    ],
    [
      'a value that it refuses',
      (all) => Object.assign(one(all, 'ConfigMap', 'gateway-settings').data, { TRUST_PROXY: 'everybody' }),
      'Deployment gateway: TRUST_PROXY: must be addresses or networks like 10.0.0.0/8, or loopback or uniquelocal',
    ],
    [
      'a migration without a database',
      (all) => Object.assign(one(all, 'Job', 'migrate-card').spec.template.spec.containers[0], { env: [] }),
      'Job migrate-card-1.0.0: DATABASE_URL: Invalid input: expected string, received undefined',
    ],
    [
      'a program that is none',
      (all) => Object.assign(one(all, 'Job', 'declare').spec.template.spec.containers[0], { args: ['stream'] }),
      'Job declare-streams-1.0.0: nothing is known of registry.example.com/cardinal/deploy:1.0.0 stream',
    ],
    [
      'a service that nothing reaches',
      (all) => Object.assign(variable(all, 'card', 'HOST'), { value: '127.0.0.1' }),
      'Deployment card: nothing outside of its pod reaches it, HOST is 127.0.0.1',
    ],
  ],
  jobsAreOfARevision: [
    [
      'a Job of another revision',
      (all) => Object.assign(one(all, 'Job', 'migrate-card').metadata, { name: 'migrate-card-0.9.0' }),
      'Job migrate-card-0.9.0: it must end with -1.0.0, or the next revision meets a Job that was done',
    ],
    [
      'settings in a Job',
      (all) =>
        Object.assign(one(all, 'Job', 'migrate-card').spec.template.spec.containers[0], {
          envFrom: [{ configMapRef: { name: 'gateway-settings' } }],
        }),
      'Job migrate-card-1.0.0: it reads settings that change',
    ],
    [
      'a schema that nobody migrates',
      (all) => without(all, 'Job', 'migrate-dependency'),
      'no Job does: dependency service/src/migrate.ts',
    ],
  ],
  connectionsSuffice: [
    [
      'more pods than Postgres has connections for',
      (all) => Object.assign(one(all, 'HorizontalPodAutoscaler', 'card').spec, { maxReplicas: 20 }),
      'the services open 350 connections, others 21: more than the 300 of Postgres',
    ],
  ],
  podsFindRoom: [
    [
      'a pod that no node has room for',
      (all) => Object.assign(containerOf(all, 'card').resources.requests, { cpu: '1' }),
      'the pods request 6450m of CPU: more than the 5 cores there are',
    ],
  ],
};
