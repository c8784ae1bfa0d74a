import http from 'node:http';
import { BlockList, isIPv4 } from 'node:net';

/** What the environment says of proxies, by the names of its variables. */
export type Proxies = Readonly<Record<string, string | undefined>>;

/** Of a URL's scheme, in the order in which they count. */
const variables = { 'http:': ['http_proxy', 'HTTP_PROXY'], 'https:': ['https_proxy', 'HTTPS_PROXY'] } as const;

/** This machine is reached without one, as in other programs: a proxy elsewhere would look for it at its own. */
const here = ['localhost', '127.0.0.1', '[::1]', '::1'];

const first = (names: readonly string[], env: Proxies) => names.find((name) => env[name]);

const noProxyIn = (env: Proxies): string => env.no_proxy || env.NO_PROXY || '';

const ports: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** Whether an entry of `NO_PROXY` takes an address out, as Node reads it: a host with all below it, with or without a port, or a range. */
const isTakenOut = (entry: string, { hostname, port, protocol }: URL): boolean => {
  const [, domain = '', only] = /^(?:\*?\.)?(.+?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
  const [start = '', end = ''] = domain.split('-');
  if (isIPv4(hostname) && isIPv4(start) && isIPv4(end)) {
    const range = new BlockList();
    range.addRange(start, end);
    return range.check(hostname);
  }
  const isOfPort = only === undefined || only === (port || ports[protocol]);
  return domain !== '' && isOfPort && (hostname === domain || hostname.endsWith(`.${domain}`));
};

/** The variable whose proxy stands before an address, if any. */
export const proxyBefore = (url: string, env: Proxies): string | undefined => {
  const address = new URL(url);
  const { protocol, hostname } = address;
  const without = noProxyIn(env);
  if (here.includes(hostname) || without === '*' || (protocol !== 'http:' && protocol !== 'https:')) return undefined;
  return without.split(/[\s,]+/).some((entry) => isTakenOut(entry, address))
    ? undefined
    : first(variables[protocol], env);
};

/** `proxy.example.com:3128`, as other programs take it too, is a proxy that speaks HTTP. */
const withScheme = (proxy: string): string => (/^[a-z][a-z\d+.-]*:\/\//i.test(proxy) ? proxy : `http://${proxy}`);

/**
 * From now on requests go through the proxies that the environment names (`HTTP_PROXY`, `HTTPS_PROXY`, `NO_PROXY`, also in small
 * letters), but those to this machine.
 * @returns why they do not, if so
 */
export const obeyProxies = (env: Proxies): string | undefined => {
  const name = first(Object.values(variables).flat(), env);
  if (name === undefined) return undefined;
  // Node 20 and 22 lack it.
  if (!('setGlobalProxyFromEnv' in http)) {
    if (env.NODE_USE_ENV_PROXY === '1') return undefined;
    return `${name} is not obeyed: Node ${process.version} takes proxies of the environment with NODE_USE_ENV_PROXY=1 from 22.21, and by itself from 24.14`;
  }
  const without = noProxyIn(env);
  // It means all where it stands alone.
  const exempt = without === '*' ? without : [...here, without].filter(Boolean).join(',');
  const proxies = Object.fromEntries(
    Object.values(variables).flatMap((names) => names.map((one) => [one, env[one] ? withScheme(env[one]) : undefined])),
  );
  try {
    http.setGlobalProxyFromEnv({ ...env, ...proxies, no_proxy: exempt, NO_PROXY: exempt });
    return undefined;
  } catch {
    return `${name} is not obeyed: it must be a URL such as http://proxy.example.com:3128`;
  }
};
