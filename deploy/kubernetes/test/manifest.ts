import type { ILabelSelector } from '@kubernetes-models/apimachinery/apis/meta/v1';
import type { IHTTPRoute } from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1';
import type { IPodMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';
import type { IDeployment, IStatefulSet } from 'kubernetes-models/apps/v1';
import type { IHorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import type { ICronJob, IJob } from 'kubernetes-models/batch/v1';
import type { IIngress, INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import type { IPodDisruptionBudget } from 'kubernetes-models/policy/v1';
import type { IConfigMap, IContainer, IPersistentVolumeClaim, IPodSpec, ISecret, IService } from 'kubernetes-models/v1';

export type Labels = Record<string, string>;

/** An object as it is rendered. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Labels };
}

interface Kinds {
  ConfigMap: IConfigMap;
  CronJob: ICronJob;
  Deployment: IDeployment;
  HTTPRoute: IHTTPRoute;
  HorizontalPodAutoscaler: IHorizontalPodAutoscaler;
  Ingress: IIngress;
  Job: IJob;
  NetworkPolicy: INetworkPolicy;
  PersistentVolumeClaim: IPersistentVolumeClaim;
  PodDisruptionBudget: IPodDisruptionBudget;
  PodMonitor: IPodMonitor;
  Secret: ISecret;
  Service: IService;
  ServiceAccount: object;
  StatefulSet: IStatefulSet;
}

export type Kind = keyof Kinds;

/** The objects of one kind. */
export const ofKind = <Name extends Kind>(all: Manifest[], kind: Name) =>
  all.filter((one) => one.kind === kind) as (Manifest & Omit<Kinds[Name], keyof Manifest>)[];

/** What runs pods, and the pods that it runs. */
export interface Workload {
  kind: string;
  /** Kind and name, as a message says it. */
  title: string;
  name: string;
  labels: Labels;
  spec: IPodSpec;
  containers: IContainer[];
}

/** Everything that runs pods. */
export const workloads = (all: Manifest[]): Workload[] =>
  [
    ...ofKind(all, 'Deployment').map((one) => ({ one, template: one.spec?.template })),
    ...ofKind(all, 'StatefulSet').map((one) => ({ one, template: one.spec?.template })),
    ...ofKind(all, 'Job').map((one) => ({ one, template: one.spec?.template })),
    ...ofKind(all, 'CronJob').map((one) => ({ one, template: one.spec?.jobTemplate.spec?.template })),
  ].map(({ one: { kind, metadata }, template }) => ({
    kind,
    title: `${kind} ${metadata.name}`,
    name: metadata.name,
    labels: (template?.metadata?.labels ?? {}) as Labels,
    spec: template?.spec ?? { containers: [] },
    containers: [...(template?.spec?.initContainers ?? []), ...(template?.spec?.containers ?? [])],
  }));

/** Whether a selector means an object with these labels; an empty one means all. */
export const selects = (selector: ILabelSelector | undefined, labels: Labels): boolean =>
  Object.entries(selector?.matchLabels ?? {}).every(([key, value]) => labels[key] === value) &&
  (selector?.matchExpressions ?? []).every(({ key, operator, values = [] }) => {
    if (operator !== 'In') throw new Error(`no selector here says ${operator}`);
    return values.includes(labels[key] ?? '');
  });

/** Which of our images a reference names; nothing where it is somebody else's. */
export const ourImage = (reference = ''): string | undefined => /\bcardinal[/-]([a-z]+)[@:][^/]+$/.exec(reference)?.[1];

/** What a Secret or ConfigMap has, by key. */
export const dataOf = ({ data, stringData }: { data?: object; stringData?: object }): Labels =>
  ({ ...data, ...stringData }) as Labels;

/** A rule that manifests must keep; what is said of each object that breaks it. */
export type Rule = (all: Manifest[], given: Given) => string[];

/** What an object lacks of what is asked of it, each in a sentence of what is wrong where it does not hold. */
export const lacking = (title: string, asked: Record<string, unknown>): string[] =>
  Object.entries(asked).flatMap(([problem, holds]) => (holds ? [] : [`${title}: ${problem}`]));

/** What a rule knows beside the objects of a rendering. */
export interface Given {
  /** Names that the operator of the cluster has to supply: `Secret name/key`, `ConfigMap name`. */
  brought: Set<string>;
  /** Connections that Postgres takes, where it is not among them. */
  maxConnections?: number;
  /** The allowed connections: `gateway -> nats:4222`. */
  connections: string[];
  /** Pods that a service has at least. */
  leastPods: number;
  /** Cores that its nodes have left for it. */
  cores: number;
}
