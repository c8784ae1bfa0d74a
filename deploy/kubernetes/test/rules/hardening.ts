import { type Rule, workloads } from '../manifest.ts';

const exactTag = /^[^@\s]+:v?\d+\.\d+[\w.-]*$/;

/** No pod has more rights than it needs (Pod Security Standards, "Restricted", and a root file system that is read-only). */
export const podsAreHardened: Rule = (all) =>
  workloads(all).flatMap(({ title, spec, containers }) => {
    const ofPod = spec.securityContext;
    return [
      ...(spec.automountServiceAccountToken === false ? [] : ['it gets a token of the API server']),
      ...(spec.enableServiceLinks === false ? [] : ['its environment names every Service']),
      ...(spec.serviceAccountName ? [] : ['it runs as the default ServiceAccount']),
      ...(spec.hostNetwork || spec.hostPID || spec.hostIPC ? ['it shares namespaces of its node'] : []),
      ...(ofPod?.runAsNonRoot === true && (ofPod.runAsUser ?? 0) > 0 ? [] : ['it may run as root']),
      ...(ofPod?.seccompProfile?.type === 'RuntimeDefault' ? [] : ['it has no seccomp profile']),
      ...containers.flatMap(({ image = '', securityContext: own, resources }) => [
        ...(own?.allowPrivilegeEscalation === false ? [] : ['it may gain privileges']),
        ...(own?.readOnlyRootFilesystem === true ? [] : ['its root file system can be written']),
        ...(own?.capabilities?.drop?.includes('ALL') && !own.capabilities.add ? [] : ['it keeps capabilities']),
        ...(own?.privileged || own?.runAsNonRoot === false || own?.runAsUser === 0
          ? ['a container has it its own way']
          : []),
        ...(!image.includes('cardinal/') || ofPod?.runAsUser === 65_532 ? [] : ['our images run as 65532']),
        ...(exactTag.test(image) ? [] : [`"${image}" has no exact tag`]),
        ...(resources?.requests && resources.limits?.memory ? [] : ['it requests nothing, or has no limit of memory']),
      ]),
      ...(spec.volumes ?? []).flatMap(({ name, hostPath }) =>
        hostPath ? [`volume ${name} is a folder of its node`] : [],
      ),
    ].map((problem) => `${title}: ${problem}`);
  });
