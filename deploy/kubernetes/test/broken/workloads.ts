import { type BrokenFor, containerOf, one, podOf, without } from './change.ts';

export const brokenWorkloads: BrokenFor<'deploymentsAreWhole' | 'podsAreHardened'> = {
  deploymentsAreWhole: [
    [
      'liveness that asks the database',
      (all) => Object.assign(containerOf(all, 'card').livenessProbe.httpGet, { path: '/readyz' }),
      'Deployment card: its liveness must be /healthz',
    ],
    [
      'no startup probe',
      (all) => Object.assign(containerOf(all, 'card'), { startupProbe: undefined }),
      'Deployment card: its startup must be /healthz',
    ],
    [
      'readiness that asks nothing',
      (all) => Object.assign(containerOf(all, 'gateway').readinessProbe.httpGet, { path: '/' }),
      'Deployment gateway: its readiness must be /readyz',
    ],
    [
      'readiness that asks the services',
      (all) => Object.assign(containerOf(all, 'gateway').readinessProbe.httpGet, { path: '/readyz' }),
      'Deployment gateway: its readiness hangs on a service: all gateways would go at once',
    ],
    [
      'readiness that does not wait',
      (all) => Object.assign(containerOf(all, 'card').readinessProbe, { timeoutSeconds: 1 }),
      'Deployment card: its readiness waits less than its checks take',
    ],
    [
      'a startup of a second',
      (all) => Object.assign(containerOf(all, 'card').startupProbe, { failureThreshold: 1 }),
      'Deployment card: its startup gives up before the service does',
    ],
    [
      'no budget',
      (all) => without(all, 'PodDisruptionBudget', 'card'),
      'Deployment card: it needs one PodDisruptionBudget',
    ],
    [
      'a budget that lets no node be drained',
      (all) => Object.assign(one(all, 'PodDisruptionBudget', 'card').spec, { maxUnavailable: 0 }),
      'Deployment card: its budget must let one pod go',
    ],
    [
      'no scaling',
      (all) => without(all, 'HorizontalPodAutoscaler', 'gateway'),
      'Deployment gateway: it needs a HorizontalPodAutoscaler',
    ],
    [
      'a single pod',
      (all) => Object.assign(one(all, 'HorizontalPodAutoscaler', 'card').spec, { minReplicas: 1 }),
      'Deployment card: it needs 2 pods at least',
    ],
    [
      'replicas that undo the scaling',
      (all) => Object.assign(one(all, 'Deployment', 'card').spec, { replicas: 2 }),
      'Deployment card: its replicas are the HorizontalPodAutoscaler’s to say',
    ],
    [
      'a rollout that takes pods away',
      (all) => Object.assign(one(all, 'Deployment', 'card').spec.strategy.rollingUpdate, { maxUnavailable: 1 }),
      'Deployment card: a rollout must not take pods away first',
    ],
    [
      'a grace as long as the drain',
      (all) => Object.assign(podOf(all, 'gateway'), { terminationGracePeriodSeconds: 20 }),
      'Deployment gateway: 20 s are too few to stop in',
    ],
    [
      'an end that nobody hears of in time',
      (all) => Object.assign(containerOf(all, 'gateway'), { lifecycle: undefined }),
      'Deployment gateway: what is behind a Service must serve on while that learns of its end',
    ],
    [
      'no request of CPU, which scaling goes by',
      (all) => Object.assign(containerOf(all, 'card').resources.requests, { cpu: undefined }),
      'Deployment card: it must request CPU and memory',
    ],
    [
      'no limit',
      (all) => Object.assign(containerOf(all, 'identifier').resources, { limits: { cpu: '1' } }),
      'Deployment identifier: it needs a limit of memory',
    ],
  ],
  podsAreHardened: [
    [
      'a token',
      (all) => Object.assign(podOf(all, 'card'), { automountServiceAccountToken: true }),
      'Deployment card: it gets a token of the API server',
    ],
    [
      'service links',
      (all) => Object.assign(podOf(all, 'card'), { enableServiceLinks: undefined }),
      'Deployment card: its environment names every Service',
    ],
    [
      'the default account',
      (all) => Object.assign(podOf(all, 'card'), { serviceAccountName: undefined }),
      'Deployment card: it runs as the default ServiceAccount',
    ],
    [
      'the network of the node',
      (all) => Object.assign(podOf(all, 'card'), { hostNetwork: true }),
      'Deployment card: it shares namespaces of its node',
    ],
    [
      'root',
      (all) => Object.assign(podOf(all, 'card').securityContext, { runAsUser: 0 }),
      'Deployment card: it may run as root',
    ],
    [
      'root in a container',
      (all) => Object.assign(containerOf(all, 'card').securityContext, { runAsUser: 0 }),
      'Deployment card: a container has it its own way',
    ],
    [
      'a user who is nobody in the image',
      (all) => Object.assign(podOf(all, 'card').securityContext, { runAsUser: 1000 }),
      'Deployment card: our images run as 65532',
    ],
    [
      'no seccomp profile in a Job',
      (all) =>
        Object.assign(one(all, 'Job', 'migrate-card').spec.template.spec.securityContext, { seccompProfile: {} }),
      'Job migrate-card-1.0.0: it has no seccomp profile',
    ],
    [
      'privileges to gain in the doctor',
      (all) =>
        Object.assign(one(all, 'CronJob', 'doctor').spec.jobTemplate.spec.template.spec.containers[0].securityContext, {
          allowPrivilegeEscalation: undefined,
        }),
      'CronJob doctor: it may gain privileges',
    ],
    [
      'a root file system that can be written',
      (all) => Object.assign(containerOf(all, 'card').securityContext, { readOnlyRootFilesystem: false }),
      'Deployment card: its root file system can be written',
    ],
    [
      'capabilities',
      (all) => Object.assign(containerOf(all, 'card').securityContext.capabilities, { add: ['NET_ADMIN'] }),
      'Deployment card: it keeps capabilities',
    ],
    [
      'a tag that moves',
      (all) => Object.assign(containerOf(all, 'card'), { image: 'cardinal/card:latest' }),
      'Deployment card: "cardinal/card:latest" has no exact tag',
    ],
    [
      'a major version alone',
      (all) => Object.assign(containerOf(all, 'card'), { image: 'cardinal/card:1' }),
      'Deployment card: "cardinal/card:1" has no exact tag',
    ],
    [
      'a folder of the node',
      (all) => Object.assign(podOf(all, 'card'), { volumes: [{ name: 'logs', hostPath: { path: '/var/log' } }] }),
      'Deployment card: volume logs is a folder of its node',
    ],
  ],
};
