import { ofKind, type Rule, workloads } from '../manifest.ts';

const millicores = (quantity: unknown) => {
  const text = String(quantity ?? 0);
  return text.endsWith('m') ? Number(text.slice(0, -1)) : Number(text) * 1000;
};

/** The least pods of all services, one more each in a rollout, and the servers find nodes that have the CPU they request. */
export const podsFindRoom: Rule = (all, { cores }) => {
  const wanted = workloads(all)
    .filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet')
    .map(({ kind, name, containers }) => {
      const scaling = ofKind(all, 'HorizontalPodAutoscaler').find((one) => one.spec?.scaleTargetRef.name === name);
      const pods = kind === 'Deployment' ? (scaling?.spec?.minReplicas ?? 1) + 1 : 1;
      return pods * containers.reduce((sum, { resources }) => sum + millicores(resources?.requests?.cpu), 0);
    })
    .reduce((sum, one) => sum + one, 0);
  return wanted <= cores * 1000 ? [] : [`the pods request ${wanted}m of CPU: more than the ${cores} cores there are`];
};
