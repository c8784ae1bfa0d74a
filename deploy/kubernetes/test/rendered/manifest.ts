import { askedBy, descriptionOf, type Listener, type ServiceName } from '@cardinal/contracts';
import { lines, renderedHeader } from '@cardinal/testkit';

/** A variable out of the Secret of a service. */
export const fromSecret = (service: string, key: string, variable = key): string[] => [
  `- name: ${variable}`,
  `  valueFrom: { secretKeyRef: { name: ${service}-credentials, key: ${key} } }`,
];
/** The same of one that the Secret may lack. */
const ifInSecret = (service: string, key: string): string[] => [
  `- name: ${key}`,
  `  valueFrom: { secretKeyRef: { name: ${service}-credentials, key: ${key}, optional: true } }`,
];
const inContainer = (line: string) => `            ${line}`;

const variablesOf = ({ variables, port }: Listener) => [
  `            - { name: ${variables}HOST, value: 0.0.0.0 }`,
  `            - { name: ${variables}PORT, value: "${port}" }`,
];

/** A process with a database says of that whether it is ready; one without, of the services that it asks. */
const readinessOf = (name: ServiceName, { database, port }: { database: boolean; port: string }) =>
  database
    ? lines(
        '          # Database, schema and broker, within 2 s: no pod serves before its migrations are done.',
        `          readinessProbe: { httpGet: { path: /readyz, port: ${port} }, periodSeconds: 5, timeoutSeconds: 3 }`,
      )
    : lines(
        '          # Within 2 s. Not the services that it asks: for one that is down, all of its pods would be taken away.',
        '          readinessProbe:',
        '            httpGet:',
        `              path: /readyz?${askedBy(name)
          .map((one) => `exclude=${one}`)
          .join('&')}`,
        `              port: ${port}`,
        '            periodSeconds: 5',
        '            timeoutSeconds: 3',
      );

/** Migrates its schema before anything needs it; `revisions` names the Job after the image. */
const migrationOf = (name: ServiceName) => `---
apiVersion: batch/v1
kind: Job
metadata:
  name: migrate-${name}-revision
  labels: { app.kubernetes.io/name: migrate }
spec:
  template:
    metadata:
      labels: { app.kubernetes.io/name: migrate }
    spec:
      containers:
        - name: once
          image: cardinal/${name}
          args: [service/src/migrate.ts]
          env:
${lines(fromSecret(name, 'DATABASE_URL').map(inContainer))}`;

/** Everything that runs of a service: `base/services/<name>.yaml`. */
export const manifestOf = (name: ServiceName): string => {
  const { about, database, listeners, secrets, settings, size } = descriptionOf(name);
  const [first] = listeners;
  const forClients = listeners.filter((one) => one.for === 'clients');
  const labels = `{ app.kubernetes.io/name: ${name} }`;
  return `${lines(
    `# ${renderedHeader}`,
    `# ${name}: ${about}`,
    'apiVersion: v1',
    'kind: ServiceAccount',
    'metadata:',
    `  name: ${name}`,
    `  labels: ${labels}`,
    forClients.length > 0 && [
      '---',
      'apiVersion: v1',
      'kind: Service',
      'metadata:',
      `  name: ${name}`,
      `  labels: ${labels}`,
      'spec:',
      `  selector: ${labels}`,
      '  ports:',
      ...forClients.map((one) => `    - { name: ${one.name}, port: 80, targetPort: ${one.name} }`),
    ],
    '---',
    'apiVersion: apps/v1',
    'kind: Deployment',
    'metadata:',
    `  name: ${name}`,
    `  labels: ${labels}`,
    'spec:',
    `  selector: { matchLabels: ${labels} }`,
    '  template:',
    '    metadata:',
    `      labels: ${labels}`,
    '    spec:',
    `      serviceAccountName: ${name}`,
    '      containers:',
    '        - name: service',
    `          image: cardinal/${name}`,
    '          ports:',
    listeners.map((one) => `            - { name: ${one.name}, containerPort: ${one.port} }`),
    settings && ['          envFrom:', `            - configMapRef: { name: ${name}-settings }`],
    '          env:',
    listeners.flatMap(variablesOf),
    database && [
      '            - { name: NODE_ENV, value: production }',
      ...fromSecret(name, 'DATABASE_URL').map(inContainer),
    ],
    fromSecret(name, 'NATS_URL').map(inContainer),
    secrets
      .filter(({ optional }) => !optional)
      .flatMap((secret) => (secret.mayBeEmpty ? ifInSecret : fromSecret)(name, secret.name).map(inContainer)),
    secrets.flatMap(({ accepted }) =>
      accepted === undefined
        ? []
        : [
            '            # Of another secret while the one is replaced (deploy/rotation.md).',
            ...ifInSecret(name, accepted).map(inContainer),
          ],
    ),
    '          resources:',
    `            requests: { cpu: ${size.cpu}, memory: ${size.memory} }`,
    `            limits: { memory: ${size.maxMemory} }`,
    forClients.length > 0 && [
      '          # Clients that still send here learn meanwhile that this pod stops.',
      '          lifecycle: { preStop: { sleep: { seconds: 5 } } }',
    ],
    '          # Up to 30 s go by where NATS has to be waited for.',
    `          startupProbe: { httpGet: { path: /healthz, port: ${first.name} }, periodSeconds: 2, failureThreshold: 30 }`,
    '          # The process alone: what is wrong elsewhere gets no better by restarts.',
    `          livenessProbe: { httpGet: { path: /healthz, port: ${first.name} }, periodSeconds: 10, timeoutSeconds: 5 }`,
    readinessOf(name, { database, port: first.name }),
    database && migrationOf(name),
  )}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: ${name}
  labels: ${labels}
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: ${name} }
  minReplicas: 2
  maxReplicas: ${size.maxPods}
  metrics:
    - type: Resource
      resource: { name: cpu, target: { type: Utilization, averageUtilization: 75 } }
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: ${name}
  labels: ${labels}
spec:
  maxUnavailable: 1
  # A pod that is not ready serves nobody: it keeps no node from being drained.
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector: { matchLabels: ${labels} }
`;
};
