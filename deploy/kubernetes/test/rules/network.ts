import type { INetworkPolicyPeer, INetworkPolicyPort } from 'kubernetes-models/networking.k8s.io/v1';
import { ofKind, type Rule, selects, type Workload, workloads } from '../manifest.ts';

/** What pods are called here: Jobs of one kind are one. */
const nameOf = ({ labels }: Workload) => labels['app.kubernetes.io/name'] ?? '';

/** Where clusters have their pods, Services and nodes, and clouds the metadata of their machines. */
const inner = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16'];
/** One address as it is; `outside` where none of the inner networks is meant, else `anywhere`. */
const placeOf = ({ cidr, except = [] }: NonNullable<INetworkPolicyPeer['ipBlock']>): string => {
  if (cidr.endsWith('/32')) return cidr;
  return cidr === '2000::/3' || inner.every((one) => except.includes(one)) ? 'outside' : 'anywhere';
};

/** The peers of a policy: own pods by name, others as `namespace/pods`, and addresses by `placeOf`. */
const peersOf = ({ namespaceSelector, podSelector, ipBlock }: INetworkPolicyPeer, pods: Workload[]): string[] => {
  if (ipBlock) return [placeOf(ipBlock)];
  if (!namespaceSelector) return [...new Set(pods.filter(({ labels }) => selects(podSelector, labels)).map(nameOf))];
  const namespace = namespaceSelector.matchLabels?.['kubernetes.io/metadata.name'] ?? '*';
  return [`${namespace}/${Object.values(podSelector?.matchLabels ?? {}).join() || '*'}`];
};

/** A port as a number, where it has one on pods of ours. */
const numberOf = (port: INetworkPolicyPort['port'] | undefined, name: string, pods: Workload[]): string => {
  const ports = pods
    .filter((pod) => nameOf(pod) === name)
    .flatMap(({ containers }) => containers.flatMap((one) => one.ports ?? []));
  return String(ports.find((one) => one.name === port)?.containerPort ?? port ?? '*');
};

/**
 * Every connection that the policies let through: `from -> to:port`. One between our own pods must be let out and in.
 */
const connectionsOf: (all: Parameters<Rule>[0]) => { open: Set<string>; half: string[] } = (all) => {
  const pods = workloads(all);
  const policies = ofKind(all, 'NetworkPolicy');
  const own = new Set(pods.map(nameOf));
  const [out, into] = [new Set<string>(), new Set<string>()];
  for (const pod of pods) {
    const name = nameOf(pod);
    const meant = policies.filter(({ spec }) => selects(spec?.podSelector, pod.labels));
    const isolated = (way: 'Egress' | 'Ingress') => meant.some(({ spec }) => spec?.policyTypes?.includes(way));
    if (!isolated('Egress')) out.add(`${name} -> *:*`);
    if (!isolated('Ingress')) into.add(`* -> ${name}:*`);
    for (const { spec } of meant) {
      for (const { to = [{ podSelector: {} }, { ipBlock: { cidr: '0.0.0.0/0' } }], ports = [{}] } of spec?.egress ??
        []) {
        for (const peer of to.flatMap((one) => peersOf(one, pods))) {
          for (const { port } of ports) out.add(`${name} -> ${peer}:${numberOf(port, peer, pods)}`);
        }
      }
      for (const { from = [{ podSelector: {} }, { ipBlock: { cidr: '0.0.0.0/0' } }], ports = [{}] } of spec?.ingress ??
        []) {
        for (const peer of from.flatMap((one) => peersOf(one, pods))) {
          for (const { port } of ports) into.add(`${peer} -> ${name}:${numberOf(port, name, pods)}`);
        }
      }
    }
  }
  const isBetweenOurs = (connection: string) => {
    const [, from = '', to = ''] = /^(.+) -> (.+):/.exec(connection) ?? [];
    return own.has(from) && own.has(to);
  };
  const half = [...out, ...into].filter((one) => isBetweenOurs(one) && !(out.has(one) && into.has(one)));
  return { open: new Set([...out, ...into].filter((one) => !half.includes(one))), half };
};

/** The policies let through what ARCHITECTURE, "Who talks to whom", names and nothing else. */
export const onlyNamedConnections: Rule = (all, { connections }) => {
  const { open, half } = connectionsOf(all);
  return [
    ...connections.filter((one) => !open.has(one)).map((one) => `NetworkPolicy: ${one} is needed and not let through`),
    ...[...open].filter((one) => !connections.includes(one)).map((one) => `NetworkPolicy: ${one} is let through`),
    ...half.map((one) => `NetworkPolicy: ${one} is let through at one end only`),
  ];
};
