import { askedBy } from '@cardinal/contracts';
import { stopTimeoutMs } from '@cardinal/runtime';
import type { IContainer, IProbe } from 'kubernetes-models/v1';
import { ofKind, type Rule, selects } from '../manifest.ts';

/** How long the gateway waits for NATS before it listens, and a service for each server (libs/runtime, `waitForServer`). */
const longestStartS = 30;
/** The longest that the checks of `/readyz` take (libs/runtime, health). */
const longestCheckS = 2;

const pathOf = (probe: IProbe | undefined) => probe?.httpGet?.path?.split('?')[0];

const probeProblems = ({ startupProbe, livenessProbe, readinessProbe }: IContainer): string[] => {
  const { periodSeconds = 10, failureThreshold = 3 } = startupProbe ?? {};
  return [
    // What a restart does not mend must not cause one: liveness asks the process alone.
    ...(pathOf(livenessProbe) === '/healthz' ? [] : ['its liveness must be /healthz']),
    ...(pathOf(startupProbe) === '/healthz' ? [] : ['its startup must be /healthz']),
    ...(pathOf(readinessProbe) === '/readyz' ? [] : ['its readiness must be /readyz']),
    ...(periodSeconds * failureThreshold > longestStartS ? [] : ['its startup gives up before the service does']),
    ...((readinessProbe?.timeoutSeconds ?? 1) > longestCheckS ? [] : ['its readiness waits less than its checks take']),
  ];
};

/** Each service survives rollouts, drained nodes and load: probes, grace, budget, scaling, room. */
export const deploymentsAreWhole: Rule = (all, { leastPods }) =>
  ofKind(all, 'Deployment').flatMap(({ metadata: { name }, spec }) => {
    const pod = spec?.template.spec;
    const container = pod?.containers[0];
    if (!spec || !pod || !container) return [`Deployment ${name}: it has no container`];
    const scaling = ofKind(all, 'HorizontalPodAutoscaler').find((one) => one.spec?.scaleTargetRef.name === name)?.spec;
    const budgets = ofKind(all, 'PodDisruptionBudget').filter((one) =>
      selects(one.spec?.selector, spec.template.metadata?.labels ?? {}),
    );
    const { requests, limits } = container.resources ?? {};
    const graceS = pod.terminationGracePeriodSeconds ?? 30;
    const leavingS = container.lifecycle?.preStop?.sleep?.seconds ?? 0;
    const isBehindService = ofKind(all, 'Service').some(
      (one) => one.spec?.selector?.['app.kubernetes.io/name'] === name,
    );
    const asked = name === 'gateway' ? askedBy(name) : [];
    const readiness = container.readinessProbe?.httpGet?.path ?? '';
    return [
      ...probeProblems(container),
      ...(asked.every((one) => readiness.includes(`exclude=${one}`))
        ? []
        : ['its readiness hangs on a service: all gateways would go at once']),
      ...(budgets.length === 1 ? [] : ['it needs one PodDisruptionBudget']),
      ...(budgets.every((one) => one.spec?.maxUnavailable === 1) ? [] : ['its budget must let one pod go']),
      ...(scaling ? [] : ['it needs a HorizontalPodAutoscaler']),
      ...(scaling && (scaling.minReplicas ?? 1) < leastPods ? [`it needs ${leastPods} pods at least`] : []),
      ...(spec.replicas === undefined ? [] : ['its replicas are the HorizontalPodAutoscaler’s to say']),
      ...(spec.strategy?.rollingUpdate?.maxUnavailable === 0 ? [] : ['a rollout must not take pods away first']),
      ...(graceS > leavingS + stopTimeoutMs / 1000 ? [] : [`${graceS} s are too few to stop in`]),
      ...(leavingS > 0 || !isBehindService
        ? []
        : ['what is behind a Service must serve on while that learns of its end']),
      ...(requests?.cpu && requests.memory ? [] : ['it must request CPU and memory']),
      ...(limits?.memory ? [] : ['it needs a limit of memory']),
    ].map((problem) => `Deployment ${name}: ${problem}`);
  });
