import { type BrokenFor, containerOf, one, podOf, variable, without } from './change.ts';

export const brokenWiring: BrokenFor<'namesExist' | 'selectorsMatch' | 'portsExist' | 'onlyNamedConnections'> = {
  namesExist: [
    [
      'settings that nobody makes',
      (all) => Object.assign(containerOf(all, 'gateway').envFrom[0].configMapRef, { name: 'settings' }),
      'Deployment gateway: there is no ConfigMap settings',
    ],
    [
      'a key that the Secret does not have',
      (all) => Object.assign(variable(all, 'card', 'NATS_URL').valueFrom.secretKeyRef, { key: 'URL' }),
      'Deployment card: there is no Secret card-credentials/URL',
    ],
    [
      'a ServiceAccount that is gone',
      (all) => without(all, 'ServiceAccount', 'card'),
      'Deployment card: there is no ServiceAccount card',
    ],
    [
      'a mount of no volume',
      (all) => Object.assign(podOf(all, 'attachment'), { volumes: [] }),
      'Deployment attachment: there is no volume scratch',
    ],
    [
      'a claim that nobody makes',
      (all) =>
        Object.assign(podOf(all, 'attachment').volumes[0], {
          emptyDir: undefined,
          persistentVolumeClaim: { claimName: 'scratch' },
        }),
      'Deployment attachment: there is no PersistentVolumeClaim scratch',
    ],
    [
      'an HPA of nothing',
      (all) => Object.assign(one(all, 'HorizontalPodAutoscaler', 'card').spec.scaleTargetRef, { name: 'cards' }),
      'HorizontalPodAutoscaler card: what it scales is not there',
    ],
  ],
  selectorsMatch: [
    [
      'pods that are called otherwise',
      (all) =>
        Object.assign(one(all, 'Deployment', 'card').spec.template.metadata.labels, {
          'app.kubernetes.io/name': 'cards',
        }),
      'Deployment card: its selector means no pods',
    ],
    [
      'a Service of every pod',
      (all) =>
        Object.assign(one(all, 'Service', 'gateway').spec, { selector: { 'app.kubernetes.io/part-of': 'cardinal' } }),
      'Service gateway: its selector means no pods of one kind',
    ],
    [
      'a budget for nobody',
      (all) => Object.assign(one(all, 'PodDisruptionBudget', 'card').spec.selector.matchLabels, { tier: 'back' }),
      'PodDisruptionBudget card: its selector means no pods of one kind',
    ],
    [
      'a policy for nobody',
      (all) => Object.assign(one(all, 'NetworkPolicy', 'from-gateway').spec.podSelector.matchLabels, { tier: 'front' }),
      'NetworkPolicy from-gateway-to-issuer: its selector means no pods',
    ],
    [
      'a spread by a label that is not there',
      (all) => podOf(all, 'card').topologySpreadConstraints[0].matchLabelKeys.push('tier'),
      'Deployment card: its spread over topology.kubernetes.io/zone does not mean its own pods',
    ],
  ],
  portsExist: [
    [
      'a probe elsewhere',
      (all) => Object.assign(containerOf(all, 'card').livenessProbe.httpGet, { port: 'http' }),
      'Deployment card: the port of its livenessProbe is none of its own',
    ],
    [
      'a port that the service does not listen on',
      (all) => Object.assign(variable(all, 'card', 'PORT'), { value: '8090' }),
      'Deployment card: PORT is 8090, which is none of its ports',
    ],
    [
      'a Service of another port',
      (all) => Object.assign(one(all, 'Service', 'attachment').spec.ports[0], { targetPort: 'http' }),
      'Service attachment: its pods have no port http',
    ],
    [
      'an Ingress to another port',
      (all) =>
        Object.assign(one(all, 'Ingress', 'files').spec.rules[0].http.paths[0].backend.service.port, { name: 'http' }),
      'Ingress files: / leads to no port of attachment',
    ],
  ],
  onlyNamedConnections: [
    [
      'NATS out of reach',
      (all) => one(all, 'NetworkPolicy', 'to-nats').spec.podSelector.matchExpressions[0].values.shift(),
      'NetworkPolicy: gateway -> nats/nats:4222 is needed and not let through',
    ],
    [
      'the gateway at Postgres',
      (all) => one(all, 'NetworkPolicy', 'to-postgres').spec.podSelector.matchExpressions[0].values.push('gateway'),
      'NetworkPolicy: gateway -> postgres/cardinal:5432 is let through',
    ],
    [
      'one service at another',
      (all) =>
        Object.assign(one(all, 'NetworkPolicy', 'to-nats').spec.egress[0], {
          to: [{ podSelector: { matchLabels: { 'app.kubernetes.io/name': 'card' } } }],
        }),
      'NetworkPolicy: gateway -> card:4222 is let through at one end only',
    ],
    [
      'every port of the servers',
      (all) => Object.assign(one(all, 'NetworkPolicy', 'to-postgres').spec.egress[0], { ports: undefined }),
      'NetworkPolicy: card -> postgres/cardinal:* is let through',
    ],
    [
      'nobody who refuses the rest',
      (all) => without(all, 'NetworkPolicy', 'nobody'),
      'NetworkPolicy: * -> doctor:* is let through',
    ],
    [
      'anybody at the gateway',
      (all) => Object.assign(one(all, 'NetworkPolicy', 'from-ingress-to-gateway').spec.ingress[0], { from: undefined }),
      'NetworkPolicy: outside -> gateway:8080 is let through',
    ],
  ],
};
