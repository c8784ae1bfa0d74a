/** Splits a Postgres URL. It may name several hosts with commas between them (libpq, "Specifying Multiple Hosts"). */
const partsOf = (url: string) => {
  const [, before = '', hosts = '', rest = ''] = /^([a-z]+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/is.exec(url) ?? [];
  return { before, hosts, rest };
};

/** Returns the URL of each host in a Postgres URL, in order. */
export const hostUrls = (url: string): string[] => {
  const { before, hosts, rest } = partsOf(url);
  return hosts.includes(',') ? hosts.split(',').map((host) => `${before}${host}${rest}`) : [url];
};

/** Changes user, password or database (`pathname`, which begins with `/`) of a Postgres URL. The hosts stay. */
export const changeDatabaseUrl = (
  url: string,
  fields: { username?: string; password?: string; pathname?: string },
): string => {
  const { href } = Object.assign(new URL(hostUrls(url)[0] ?? url), fields);
  const { before, rest } = partsOf(href);
  return `${before}${partsOf(url).hosts}${rest}`;
};

/** Lists `host:port` of each server, with commas between them, without the URL's secrets. */
export const serversOf = (url: string): string =>
  hostUrls(url)
    .map((one) => new URL(one))
    .map(({ hostname, port }) => `${hostname}:${port || 5432}`)
    .join(', ');
