/** Where the Docker engine would answer: the socket's path, or undefined for an engine over TCP or none. */
export const dockerSocket = (): string | undefined => {
  const host = process.env.DOCKER_HOST;
  if (!host) return '/var/run/docker.sock';
  return host.startsWith('unix://') ? host.slice('unix://'.length) : undefined;
};
