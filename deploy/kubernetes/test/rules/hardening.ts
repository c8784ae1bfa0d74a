import { lacking, ourImage, type Rule, workloads } from '../manifest.ts';

const exactTag = /^[^@\s]+(:v?\d+\.\d+[\w.-]*|@sha256:[0-9a-f]{64})$/;

/** No pod has more rights than it needs (Pod Security Standards, "Restricted", and a root file system that is read-only). */
export const podsAreHardened: Rule = (all) =>
  workloads(all).flatMap(({ title, spec, containers }) => {
    const ofPod = spec.securityContext;
    return [
      ...lacking(title, {
        'it gets a token of the API server': spec.automountServiceAccountToken === false,
        'its environment names every Service': spec.enableServiceLinks === false,
        'it runs as the default ServiceAccount': spec.serviceAccountName,
        'it shares namespaces of its node': !(spec.hostNetwork || spec.hostPID || spec.hostIPC),
        'it may run as root': ofPod?.runAsNonRoot === true && (ofPod.runAsUser ?? 0) > 0,
        'it has no seccomp profile': ofPod?.seccompProfile?.type === 'RuntimeDefault',
      }),
      ...containers.flatMap(({ image = '', imagePullPolicy, securityContext: own, resources }) =>
        lacking(title, {
          'it may gain privileges': own?.allowPrivilegeEscalation === false,
          'its root file system can be written': own?.readOnlyRootFilesystem === true,
          'it keeps capabilities': own?.capabilities?.drop?.includes('ALL') && !own.capabilities.add,
          'a container has it its own way': !own?.privileged && own?.runAsNonRoot !== false && own?.runAsUser !== 0,
          'our images run as 65532': !ourImage(image) || ofPod?.runAsUser === 65_532,
          // Nobody has published images under names without a registry: whoever does so later is a stranger.
          'an image without a registry must not be pulled':
            !image.startsWith('cardinal/') || imagePullPolicy === 'Never',
          [`"${image}" has no exact tag`]: exactTag.test(image),
          'it requests nothing, or has no limit of memory': resources?.requests && resources.limits?.memory,
        }),
      ),
      ...(spec.volumes ?? []).flatMap(({ name, hostPath }) =>
        lacking(title, { [`volume ${name} is a folder of its node`]: !hostPath }),
      ),
    ];
  });
