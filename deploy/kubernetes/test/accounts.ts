import { type Access, accessOf, type BusUserName, busUserNames } from '@cardinal/bus';
import { stringify } from 'yaml';

const permissionsOf = ({ publish, subscribe, responses }: Access) => ({
  publish: { allow: publish },
  subscribe: { allow: subscribe },
  allow_responses: responses,
});
const passwordOf = (user: BusUserName) => `$${user.toUpperCase()}_PASSWORD`;

/** The users of the broker in its own language, passwords from its environment. */
export const accountsConfig = (): string =>
  [
    '# Written by the tests out of what each service may do (libs/bus, access.ts): `npx vitest run deploy/kubernetes -u`.',
    'accounts: {',
    '  CARDINAL: {',
    '    jetstream: enabled',
    '    users: [',
    ...busUserNames.map((user) => {
      const permissions = JSON.stringify(permissionsOf(accessOf(user)), null, 2).replaceAll('\n', '\n        ');
      return `      {\n        user: ${user}, password: ${passwordOf(user)}, permissions: ${permissions}\n      }`;
    }),
    '    ]',
    '  }',
    '}',
    '',
  ].join('\n');

/** The same as values of the NATS chart. */
export const accountsValues = (): string => {
  const users = busUserNames.map((user) => ({
    user,
    password: `<< ${passwordOf(user)} >>`,
    permissions: permissionsOf(accessOf(user)),
  }));
  const values = { config: { merge: { accounts: { CARDINAL: { jetstream: 'enabled', users } } } } };
  return `# Written by the tests, as servers/accounts.conf is.\n${stringify(values, { lineWidth: 0 })}`;
};
