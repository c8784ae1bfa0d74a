import type { IContainer, IHTTPGetAction } from 'kubernetes-models/v1';
import { ofKind, type Rule, selects, workloads } from '../manifest.ts';

type Port = IHTTPGetAction['port'];

/** Whether one of the containers has the port, given by name or number. */
const has = (containers: IContainer[], port: Port | undefined): boolean =>
  containers.some(({ ports = [] }) => ports.some(({ name, containerPort }) => port === name || port === containerPort));

/** Where each variable that names a port is listened on. */
const variables: Record<string, string[]> = {
  PORT: ['http', 'health'],
  FILES_PORT: ['files'],
  METRICS_PORT: ['metrics'],
};

/** Ports that probes, Services and Ingresses name are there, and are those that the configuration has. */
export const portsExist: Rule = (all) => {
  const pods = workloads(all);
  const services = ofKind(all, 'Service');
  return [
    ...pods.flatMap(({ title, containers }) =>
      containers.flatMap((container) => [
        ...(['startupProbe', 'livenessProbe', 'readinessProbe'] as const)
          .filter((probe) => container[probe]?.httpGet && !has([container], container[probe].httpGet.port))
          .map((probe) => `${title}: the port of its ${probe} is none of its own`),
        ...(container.env ?? [])
          .filter(({ name, value }) => {
            const names = variables[name];
            const ports = container.ports ?? [];
            return names && !ports.some((one) => names.includes(one.name ?? '') && String(one.containerPort) === value);
          })
          .map(({ name, value }) => `${title}: ${name} is ${value}, which is none of its ports`),
      ]),
    ),
    ...services.flatMap(({ metadata, spec }) => {
      const containers = pods
        .filter(({ labels }) => selects({ matchLabels: spec?.selector ?? {} }, labels))
        .flatMap((pod) => pod.containers);
      return (spec?.ports ?? [])
        .filter(({ port, targetPort }) => !has(containers, targetPort ?? port))
        .map(({ port, targetPort }) => `Service ${metadata.name}: its pods have no port ${targetPort ?? port}`);
    }),
    ...ofKind(all, 'HTTPRoute').flatMap(({ metadata, spec }) =>
      (spec?.rules ?? [])
        .flatMap(({ backendRefs = [] }) => backendRefs)
        .filter(({ name, port }) =>
          services.every((one) => one.metadata.name !== name || !one.spec?.ports?.some((its) => its.port === port)),
        )
        .map(({ name, port }) => `HTTPRoute ${metadata.name}: ${name} has no port ${port}`),
    ),
    ...ofKind(all, 'PodMonitor').flatMap(({ metadata, spec }) =>
      (spec?.podMetricsEndpoints ?? [])
        .filter(
          ({ port }) =>
            !pods.some(({ labels, containers }) => selects(spec?.selector, labels) && has(containers, port)),
        )
        .map(({ port }) => `PodMonitor ${metadata.name}: no pod has a port ${port}`),
    ),
    ...ofKind(all, 'Ingress').flatMap(({ metadata, spec }) =>
      (spec?.rules ?? [])
        .flatMap(({ http }) => http?.paths ?? [])
        .filter(({ backend }) => {
          const ports = services.find((one) => one.metadata.name === backend.service?.name)?.spec?.ports ?? [];
          const { name, number } = backend.service?.port ?? {};
          return !ports.some((one) => one.name === name || one.port === number);
        })
        .map(({ path, backend }) => `Ingress ${metadata.name}: ${path} leads to no port of ${backend.service?.name}`),
    ),
  ];
};
