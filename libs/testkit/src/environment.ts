/** Where the Docker engine would answer: the socket's path, or undefined for an engine over TCP or none. */
export const dockerSocket = (): string | undefined => {
  const host = process.env.DOCKER_HOST;
  if (!host) return '/var/run/docker.sock';
  return host.startsWith('unix://') ? host.slice('unix://'.length) : undefined;
};

/**
 * How often a test repeats what must never go wrong: seldom in the usual run, and as often as was promised with
 * `FULL_ROUNDS=1`.
 * @param usual how often in the usual run; a tenth of it where left out
 */
export const rounds = (promised: number, usual = Math.ceil(promised / 10)): number =>
  process.env.FULL_ROUNDS === '1' ? promised : usual;

/** Folders in which programs of Prometheus may be: that of `PROMETHEUS_BIN`, then those of the PATH. */
export const prometheusFolders = (): string[] =>
  [process.env.PROMETHEUS_BIN ?? '', ...(process.env.PATH ?? '').split(':')].filter(Boolean);

/** Where a PgBouncer may be: at `PGBOUNCER_BIN`, else where distributions put it. */
export const pgbouncerPaths = (): string[] =>
  process.env.PGBOUNCER_BIN ? [process.env.PGBOUNCER_BIN] : ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'];

/** Where an HAProxy may be: at `HAPROXY_BIN`, else where distributions put it. */
export const haproxyPaths = (): string[] =>
  process.env.HAPROXY_BIN ? [process.env.HAPROXY_BIN] : ['/usr/sbin/haproxy', '/usr/local/sbin/haproxy'];

/** Where a Chromium may be: at `CHROMIUM_BIN`, else where distributions put it. */
export const chromiumPaths = (): string[] =>
  process.env.CHROMIUM_BIN
    ? [process.env.CHROMIUM_BIN]
    : ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/**
 * A running system that the acceptance tests are pointed at, instead of a stack of their own: the gateway's origin, and
 * the folder of the key that signs its tokens.
 */
export const givenStack = (): { origin: string; keys: string } | undefined => {
  const { ACCEPTANCE_URL: origin, ACCEPTANCE_KEYS: keys } = process.env;
  return origin && keys ? { origin, keys } : undefined;
};
