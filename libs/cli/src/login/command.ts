import { createClient, type Me } from '@cardinal/client/source';
import type { Command } from 'commander';
import { defaultUrl, urlIn, webAddress } from '../config.ts';
import { CliError, explain, UsageError } from '../errors.ts';
import { print, visible } from '../print.ts';
import { checkToken, type Session, warnOfEnd } from '../session.ts';
import { type Named, profileNameOf } from './access.ts';
import { askSecret } from './ask.ts';
import {
  changeProfile,
  type Profile,
  profileNames,
  type Renewal,
  readProfile,
  removeProfile,
  writeProfile,
} from './profiles.ts';

interface LoginOptions {
  issuer?: string;
  clientId?: string;
  scope: string;
  audience?: string;
  resource?: string;
}

const folderOf = ({ environment: { profiles } }: Session): string => {
  if (profiles === undefined) throw new CliError('there is no place for profiles');
  return profiles;
};

/** How long until a time, in words for people. */
const lastsFor = (until: string | null): string => {
  if (until === null) return 'never';
  const minutes = Math.round((Date.parse(until) - Date.now()) / 60_000);
  if (minutes < 0) return 'ended';
  if (minutes < 120) return `${minutes} min`;
  return minutes < 72 * 60 ? `${Math.round(minutes / 60)} h` : `${Math.round(minutes / 1440)} days`;
};

const described = ({ user_id, workspace_id, scopes, token_expires_at, api_key }: Me) => [
  `user       ${user_id}`,
  `workspace  ${workspace_id}`,
  `scopes     ${scopes.join(' ')}`,
  ...(api_key ? [`key        ${visible(api_key.name)}`] : []),
  `ends       ${token_expires_at === null ? 'never' : `${token_expires_at} (${lastsFor(token_expires_at)})`}`,
];

/** A profile; undefined where there is none, or a damaged one: login mends it, and logout removes it. */
const undamaged = (folder: string, name: string, onDamage = (_error: CliError): void => undefined) => {
  try {
    return readProfile(folder, name);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    onDamage(error);
    return undefined;
  }
};

/** Gets a token, looks whose it is, and keeps it. */
const login = async (session: Session, named: Named, { issuer, clientId, ...wanted }: LoginOptions) => {
  const folder = folderOf(session);
  const name = profileNameOf(named, session.environment);
  const url = named.url ?? urlIn(session.environment) ?? undamaged(folder, name)?.url ?? defaultUrl;
  session.access = () => ({ url });
  if ((issuer === undefined) !== (clientId === undefined)) throw new UsageError('--issuer and --client-id go together');
  const granted: Pick<Profile, 'token' | 'renewal'> =
    issuer !== undefined && clientId !== undefined
      ? await (await import('./device.ts')).authorizeDevice({ ...wanted, issuer, clientId }, console.error)
      : { token: checkToken(named.token ?? (await askSecret(`Token or API key for ${url}: `))) };
  const keep = async () => {
    const me = await createClient({ baseUrl: url, token: granted.token, onAttempt: warnOfEnd(session) }).me.get();
    return [
      me,
      await changeProfile(folder, name, () => writeProfile(folder, name, { url, ...me, ...granted })),
    ] as const;
  };
  const [me, file] = await keep().catch(async (error) => {
    // Nobody keeps it, so it must not stay good.
    if (granted.renewal) await tryToRevoke(session, granted.renewal);
    throw error;
  });
  console.log([`Logged in to ${url} (profile "${name}", ${file})`, ...described(me)].join('\n'));
  if (granted.renewal) console.log('           then it is renewed by itself');
  if (session.environment.token !== undefined) console.error('CARDINAL_TOKEN is set, and goes before any profile');
};

/** Has an issuer take a refresh token no more, and says where it stays good. @returns whether it is revoked */
const tryToRevoke = async (session: Session, renewal: Renewal): Promise<boolean> => {
  let reason = `${renewal.issuer} has no way to revoke it`;
  try {
    if (await (await import('./renew.ts')).revoke(renewal)) return true;
  } catch (error) {
    reason = explain(error, session) ?? (error as Error).message;
    session.exitCode = 1;
  }
  console.error(`its refresh token stays good for whoever has a copy, until it ends: ${reason}`);
  return false;
};

/** Removes a profile, whatever its issuer says. */
const logout = async (session: Session, named: Named) => {
  const folder = folderOf(session);
  const name = profileNameOf(named, session.environment);
  await changeProfile(folder, name, async () => {
    const { renewal, api_key: key } = undamaged(folder, name) ?? {};
    const revoked = renewal && (await tryToRevoke(session, renewal)) ? ', its refresh token is revoked' : '';
    if (!removeProfile(folder, name)) throw new CliError(`there is no profile "${name}"`);
    console.log(
      `Logged out: profile "${name}" is gone${revoked}; ${key ? `its API key stays valid until "cardinal keys revoke ${key.id}"` : 'its token ends by itself'}`,
    );
  });
};

async function* all(session: Session) {
  const folder = folderOf(session);
  for (const name of profileNames(folder)) {
    const profile = undamaged(folder, name, ({ message }) => {
      console.error(message);
      session.exitCode = 1;
    });
    if (profile === undefined) continue;
    const { token: _, renewal, ...shown } = profile;
    yield { name, ...shown, renewed_by: renewal?.issuer ?? null };
  }
}

/** `cardinal login`, `cardinal logout`, `cardinal profiles` */
export const addLogin = (program: Command, session: Session): void => {
  const named = () => program.opts<Named>();
  program
    .command('login')
    .description(
      'Keeps an address and a token or an API key as a profile. It is asked for, or read from standard input, or comes as a token from an OpenID Connect issuer where you confirm in a browser (--issuer).',
    )
    .option('--issuer <url>', 'an OpenID Connect issuer with device flow', webAddress)
    .option('--client-id <id>', 'what this program is called there')
    .option('--scope <scopes>', 'what to ask the issuer for', 'openid offline_access kanban:read kanban:write')
    .option('--audience <name>', 'whom the token is for, where the issuer asks for it')
    .option(
      '--resource <url>',
      'the service that the token is for (RFC 8707), where the issuer asks for it',
      webAddress,
    )
    .action((options: LoginOptions) => login(session, named(), options));
  program
    .command('logout')
    .description('Forgets a profile, and has its issuer revoke its refresh token.')
    .action(() => logout(session, named()));
  program
    .command('profiles')
    .description('The profiles, their addresses and users, and when their tokens end.')
    .action(async () => {
      await print(session, all(session), ({ name, url, user_id, workspace_id, token_expires_at, renewed_by }) => ({
        profile: name,
        address: url,
        user: user_id,
        workspace: workspace_id,
        ends: renewed_by === null ? lastsFor(token_expires_at) : 'renewed',
      }));
    });
};
