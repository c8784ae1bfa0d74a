import { describe, expect, it } from 'vitest';
import { configSchema } from './config.ts';

const right = {
  NATS_URL: 'nats://localhost:4222',
  JWKS_FILE: '/etc/cardinal/jwks.json',
  TOKEN_ISSUER: 'https://issuer.example',
  TOKEN_AUDIENCE: 'cardinal',
};

const wrongNames = (env: Record<string, string | undefined>) => {
  const parsed = configSchema.safeParse(env);
  return parsed.success ? [] : parsed.error.issues.map(({ path }) => path.join('.'));
};

describe('the configuration', () => {
  it('needs no more than a broker, keys, an issuer and an audience', () => {
    expect(configSchema.parse(right)).toMatchObject({
      PORT: 8080,
      HOST: '127.0.0.1',
      RATE_LIMIT_MAX: 2000,
    });
  });

  it('names everything that is missing or wrong at once', () => {
    expect(wrongNames({ PORT: '70000' }).sort()).toEqual(['NATS_URL', 'PORT', 'TOKEN_ISSUER']);
  });

  it('takes an operator key in the place of an issuer, if a request can have it', () => {
    const { TOKEN_ISSUER: _, ...others } = right;
    const withKey = (OPERATOR_KEY: string) => wrongNames({ ...others, OPERATOR_KEY });
    expect(withKey('c'.repeat(32))).toEqual([]);
    for (const wrong of ['c'.repeat(31), `${'c'.repeat(32)} c`]) expect(withKey(wrong)).toEqual(['OPERATOR_KEY']);
  });

  it('takes lists of origins and of proxies, and allows none by default', () => {
    expect(configSchema.parse(right)).toMatchObject({ CORS_ORIGINS: [], TRUST_PROXY: [] });
    const CORS_ORIGINS = 'https://app.example.com, http://localhost:3000';
    const TRUST_PROXY = 'loopback,10.0.0.0/8,2001:db8::1';
    expect(configSchema.parse({ ...right, CORS_ORIGINS, TRUST_PROXY })).toMatchObject({
      CORS_ORIGINS: ['https://app.example.com', 'http://localhost:3000'],
      TRUST_PROXY: ['loopback', '10.0.0.0/8', '2001:db8::1'],
    });
  });

  it.each(['*', 'app.example.com', 'https://app.example.com/', 'https://*.example.com', 'null'])(
    'takes %s for no origin',
    (CORS_ORIGINS) => {
      expect(wrongNames({ ...right, CORS_ORIGINS })).toEqual(['CORS_ORIGINS']);
    },
  );

  it.each(['true', '1', '10.0.0.0/33', '10.0.0.0/0', 'proxy.example.com', '::1/129'])(
    'takes %s for no proxy',
    (TRUST_PROXY) => {
      expect(wrongNames({ ...right, TRUST_PROXY })).toEqual(['TRUST_PROXY']);
    },
  );

  it('takes a key file, the URL of a key set, or an issuer with a discovery document', () => {
    const issuer = { ...right, JWKS_FILE: undefined };
    expect(wrongNames(issuer)).toEqual([]);
    expect(wrongNames({ ...issuer, JWKS_URL: 'https://issuer.example/keys' })).toEqual([]);
    expect(wrongNames({ ...right, JWKS_URL: 'https://issuer.example/keys' })).toEqual(['JWKS_URL']);
    for (const TOKEN_ISSUER of ['cardinal', 'https://', 'https://issuer.example?tenant=1', 'ftp://issuer.example']) {
      expect(wrongNames({ ...issuer, TOKEN_ISSUER })).toEqual(['TOKEN_ISSUER']);
      expect(wrongNames({ ...right, TOKEN_ISSUER })).toEqual([]);
    }
  });

  it('reads which claims of tokens have workspace, user and scopes', () => {
    expect(configSchema.parse(right)).toMatchObject({
      TOKEN_AUDIENCE: ['cardinal'],
      TOKEN_WORKSPACE_CLAIM: 'workspace_id',
      TOKEN_USER_CLAIM: 'sub',
      TOKEN_NAME_CLAIM: 'name',
      TOKEN_EMAIL_CLAIM: 'email',
      TOKEN_SCOPE_CLAIMS: ['scope'],
      TOKEN_SCOPE_MAP: new Map(),
      TOKEN_IDS: 'uuid',
    });
    const TOKEN_SCOPE_MAP = '{"CN=Admins,OU=Work": "kanban:admin", "/staff": "kanban:write"}';
    const TOKEN_SCOPE_CLAIMS = 'scope, https://cardinal.example/groups';
    expect(
      configSchema.parse({ ...right, TOKEN_AUDIENCE: 'cardinal, api://cardinal', TOKEN_SCOPE_CLAIMS, TOKEN_SCOPE_MAP }),
    ).toMatchObject({
      TOKEN_AUDIENCE: ['cardinal', 'api://cardinal'],
      TOKEN_SCOPE_CLAIMS: ['scope', 'https://cardinal.example/groups'],
      TOKEN_SCOPE_MAP: new Map([
        ['CN=Admins,OU=Work', 'kanban:admin'],
        ['/staff', 'kanban:write'],
      ]),
    });
  });

  it.each([
    ['TOKEN_AUDIENCE', ' , '],
    ['TOKEN_SCOPE_CLAIMS', ','],
    ['TOKEN_SCOPE_MAP', 'admins=kanban:admin'],
    ['TOKEN_SCOPE_MAP', '{"admins": "admin"}'],
    ['TOKEN_SCOPE_MAP', '["kanban:admin"]'],
    ['TOKEN_IDS', 'names'],
  ])('refuses %s %j in one line', (name, value) => {
    expect(wrongNames({ ...right, [name]: value })).toEqual([name]);
  });
});
