import { askedBy } from '@cardinal/contracts';
import { stopTimeoutMs } from '@cardinal/runtime';
import type { IProbe } from 'kubernetes-models/v1';
import { lacking, ofKind, ourImage, type Rule, selects } from '../manifest.ts';

/** How long the gateway waits for NATS before it listens, and a service for each server (libs/runtime, `waitForServer`). */
const longestStartS = 30;
/** The longest that the checks of `/readyz` take (libs/runtime, health). */
const longestCheckS = 2;

const pathOf = (probe: IProbe | undefined) => probe?.httpGet?.path?.split('?')[0];

/** Each service survives rollouts, drained nodes and load: probes, grace, budget, scaling, room. */
export const deploymentsAreWhole: Rule = (all, { leastPods }) =>
  ofKind(all, 'Deployment').flatMap(({ metadata: { name }, spec }) => {
    const pod = spec?.template.spec;
    const container = pod?.containers[0];
    if (!spec || !pod || !container) return [`Deployment ${name}: it has no container`];
    const { startupProbe, livenessProbe, readinessProbe, resources, lifecycle } = container;
    const { periodSeconds = 10, failureThreshold = 3 } = startupProbe ?? {};
    const scaling = ofKind(all, 'HorizontalPodAutoscaler').find((one) => one.spec?.scaleTargetRef.name === name)?.spec;
    const budgets = ofKind(all, 'PodDisruptionBudget').filter((one) =>
      selects(one.spec?.selector, spec.template.metadata?.labels ?? {}),
    );
    const { requests, limits } = resources ?? {};
    const graceS = pod.terminationGracePeriodSeconds ?? 30;
    const leavingS = lifecycle?.preStop?.sleep?.seconds ?? 0;
    const isBehindService = ofKind(all, 'Service').some(
      (one) => one.spec?.selector?.['app.kubernetes.io/name'] === name,
    );
    // Where all services are one process, its probes are those of all.
    const isTogether = ourImage(container.image) === 'all';
    const asked = name === 'gateway' && !isTogether ? askedBy(name) : [];
    const probed = [startupProbe, livenessProbe, readinessProbe].map((probe) => probe?.httpGet?.port);
    const readiness = readinessProbe?.httpGet?.path ?? '';
    return lacking(`Deployment ${name}`, {
      // What a restart does not mend must not cause one: liveness asks the process alone.
      'its liveness must be /healthz': pathOf(livenessProbe) === '/healthz',
      'its startup must be /healthz': pathOf(startupProbe) === '/healthz',
      'its readiness must be /readyz': pathOf(readinessProbe) === '/readyz',
      'its startup gives up before the service does': periodSeconds * failureThreshold > longestStartS,
      'its readiness waits less than its checks take': (readinessProbe?.timeoutSeconds ?? 1) > longestCheckS,
      'its readiness hangs on a service: all gateways would go at once': asked.every((one) =>
        readiness.includes(`exclude=${one}`),
      ),
      'its probes must be those of its process': !isTogether || probed.every((port) => port === 'metrics'),
      'it needs one PodDisruptionBudget': budgets.length === 1,
      'its budget must let one pod go': budgets.every((one) => one.spec?.maxUnavailable === 1),
      'it needs a HorizontalPodAutoscaler': scaling,
      [`it needs ${leastPods} pods at least`]: !scaling || (scaling.minReplicas ?? 1) >= leastPods,
      'its replicas are the HorizontalPodAutoscaler’s to say': spec.replicas === undefined,
      'a rollout must not take pods away first': spec.strategy?.rollingUpdate?.maxUnavailable === 0,
      [`${graceS} s are too few to stop in`]: graceS > leavingS + stopTimeoutMs / 1000,
      'what is behind a Service must serve on while that learns of its end': leavingS > 0 || !isBehindService,
      'it must request CPU and memory': requests?.cpu && requests.memory,
      'it needs a limit of memory': limits?.memory,
    });
  });
