import { dataOf, type Manifest, ofKind, type Rule, selects, type Workload, workloads } from '../manifest.ts';

/** Every name that a pod refers to: its own kind, and with a key where it names one. */
const namesOf = ({ spec, containers }: Workload): string[] => [
  `ServiceAccount ${spec.serviceAccountName}`,
  ...(spec.volumes ?? []).flatMap(({ configMap, secret, persistentVolumeClaim, projected }) => [
    ...(projected?.sources ?? []).flatMap((source) => [
      ...(source.secret?.items ?? []).map(({ key }) => `Secret ${source.secret?.name}/${key}`),
      ...(source.configMap?.items ?? []).map(({ key }) => `ConfigMap ${source.configMap?.name}/${key}`),
    ]),
    ...(configMap ? [`ConfigMap ${configMap.name}`] : []),
    ...(secret ? [`Secret ${secret.secretName}`] : []),
    ...(persistentVolumeClaim ? [`PersistentVolumeClaim ${persistentVolumeClaim.claimName}`] : []),
  ]),
  ...containers.flatMap(({ env = [], envFrom = [] }) => [
    ...env.flatMap(({ valueFrom }) => [
      ...(valueFrom?.secretKeyRef && !valueFrom.secretKeyRef.optional
        ? [`Secret ${valueFrom.secretKeyRef.name}/${valueFrom.secretKeyRef.key}`]
        : []),
      ...(valueFrom?.configMapKeyRef
        ? [`ConfigMap ${valueFrom.configMapKeyRef.name}/${valueFrom.configMapKeyRef.key}`]
        : []),
    ]),
    ...envFrom.flatMap(({ configMapRef, secretRef }) => [
      ...(configMapRef ? [`ConfigMap ${configMapRef.name}`] : []),
      ...(secretRef ? [`Secret ${secretRef.name}`] : []),
    ]),
  ]),
];

/** Every name that there is, with each of its keys where it has some. */
const existing = (all: Manifest[]): Set<string> =>
  new Set([
    ...all.map(({ kind, metadata }) => `${kind} ${metadata.name}`),
    ...[...ofKind(all, 'Secret'), ...ofKind(all, 'ConfigMap')].flatMap((one) =>
      Object.keys(dataOf(one)).map((key) => `${one.kind} ${one.metadata.name}/${key}`),
    ),
  ]);

/** ConfigMaps, Secrets and their keys, ServiceAccounts, claims, volumes, and what an HPA scales, exist. */
export const namesExist: Rule = (all, { brought }) => {
  const known = existing(all);
  // A Secret that is brought is named by each of its keys.
  const isThere = (name: string) =>
    known.has(name) || brought.has(name) || [...brought].some((one) => one.startsWith(`${name}/`));
  return [
    ...workloads(all).flatMap((workload) =>
      namesOf(workload)
        .filter((name) => !isThere(name))
        .map((name) => `${workload.title}: there is no ${name}`),
    ),
    ...workloads(all).flatMap(({ title, kind, name, spec, containers }) => {
      const templates =
        kind === 'StatefulSet'
          ? (ofKind(all, 'StatefulSet').find(({ metadata }) => metadata.name === name)?.spec?.volumeClaimTemplates ??
            [])
          : [];
      const volumes = [
        ...(spec.volumes ?? []).map((volume) => volume.name),
        ...templates.map((one) => one.metadata?.name),
      ];
      return containers
        .flatMap(({ volumeMounts = [] }) => volumeMounts)
        .filter((mount) => !volumes.includes(mount.name))
        .map((mount) => `${title}: there is no volume ${mount.name}`);
    }),
    ...ofKind(all, 'HorizontalPodAutoscaler')
      .filter(({ spec }) => !isThere(`${spec?.scaleTargetRef.kind} ${spec?.scaleTargetRef.name}`))
      .map(({ metadata }) => `HorizontalPodAutoscaler ${metadata.name}: what it scales is not there`),
  ];
};

/** Selectors mean what they stand for, and something at all. */
export const selectorsMatch: Rule = (all) => {
  const pods = workloads(all);
  const matching = (selector: Parameters<typeof selects>[0]) => pods.filter(({ labels }) => selects(selector, labels));
  return [
    ...[...ofKind(all, 'Deployment'), ...ofKind(all, 'StatefulSet')].flatMap(({ kind, metadata, spec }) => {
      const meant = matching(spec?.selector).map(({ name }) => name);
      return meant.length === 1 && meant[0] === metadata.name
        ? []
        : [`${kind} ${metadata.name}: its selector means ${meant.join(', ') || 'no pods'}`];
    }),
    ...ofKind(all, 'Service')
      .filter(({ spec }) => matching({ matchLabels: spec?.selector ?? {} }).length !== 1)
      .map(({ metadata }) => `Service ${metadata.name}: its selector means no pods of one kind`),
    ...ofKind(all, 'PodDisruptionBudget')
      .filter(({ spec }) => matching(spec?.selector).length !== 1)
      .map(({ metadata }) => `PodDisruptionBudget ${metadata.name}: its selector means no pods of one kind`),
    ...ofKind(all, 'NetworkPolicy')
      .filter(({ spec }) => matching(spec?.podSelector).length === 0)
      .map(({ metadata }) => `NetworkPolicy ${metadata.name}: its selector means no pods`),
    ...pods.flatMap(({ title, spec, labels }) =>
      (spec.topologySpreadConstraints ?? [])
        .filter(
          ({ labelSelector, matchLabelKeys = [] }) =>
            !selects(labelSelector, labels) ||
            matchLabelKeys.some((key) => key !== 'pod-template-hash' && !(key in labels)),
        )
        .map(({ topologyKey }) => `${title}: its spread over ${topologyKey} does not mean its own pods`),
    ),
  ];
};
